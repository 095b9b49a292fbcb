"""Servers that lie, cut connections, ignore ranges, redirect, refuse or sleep."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

import pte_lint
from pte_lint.files.fetched import ArtifactError
from pte_lint.files.remote.caps import Caps
from tests.support.loopback import Request, Served, need_fsspec, serving
from tests.support.virtual import GIB, long_program, virtual_program

need_fsspec()

FILE = virtual_program(long_program(400))
MOST = FILE.program_size + (64 << 10)


def trouble(behave: Callable[[Request], bool], timeout: float = 5.0) -> tuple[str, Served]:
    """What is said about a server that behaves like this."""
    with (
        serving(Served(FILE.size, FILE.read, behave=behave)) as server,
        pytest.raises(ArtifactError) as caught,
    ):
        pte_lint.check(server.address, isolated=True, caps=Caps(timeout=timeout))
    said = caught.value.strerror or ""
    assert said.startswith(f"cannot read {server.address}: ")
    return said.partition(": ")[2], server


def ignores_ranges(request: Request) -> bool:
    request.start(200, {"Content_Length": str(FILE.size)})
    for at in range(0, FILE.size, 1 << 20):
        request.body(FILE.read(at, at + (1 << 20)))
        if request.close_connection:
            break
    return True


def test_a_server_that_ignores_ranges_is_not_read() -> None:
    said, server = trouble(ignores_ranges)
    assert "ignores range requests" in said
    assert "download the file" in said.lower()
    # What it had sent before the connection was closed lies in buffers; it is far from a GiB.
    assert server.sent < GIB // 10


def test_a_small_file_from_a_server_that_ignores_ranges_is_fine() -> None:
    content = virtual_program(size=64).head
    content = content.ljust(virtual_program(size=64).size, b"\0")

    def whole(request: Request) -> bool:
        request.start(200, {"Content_Length": str(len(content))})
        request.body(content)
        return True

    with serving(Served.of(content, behave=whole)) as server:
        report = pte_lint.check(server.address, isolated=True).artifacts[0]
    assert report.findings == pte_lint.check(content, isolated=True).artifacts[0].findings
    assert report.fetched is not None
    assert report.fetched.bytes == len(content)
    assert report.sha256 is not None


def without_length(request: Request) -> bool:
    request.start(200, {"Transfer_Encoding": "chunked"})
    request.body(b"5\r\nwords\r\n0\r\n\r\n")
    return True


def says_nothing(request: Request) -> bool:
    start, stop = request.asked()
    request.start(206, {"Content_Length": str(stop - start)})
    request.body(FILE.read(start, stop))
    return True


def other_range(request: Request) -> bool:
    start, stop = request.asked()
    request.give(start, stop, Content_Range=f"bytes {start + 1}-{stop}/{FILE.size}")
    return True


def too_little(request: Request) -> bool:
    start, stop = request.asked()
    request.give(start, stop, Content_Range=f"bytes {start}-{stop - 100}/{FILE.size}")
    return True


def less_than_it_says(request: Request) -> bool:
    start, stop = request.asked()
    request.give(start, stop, Content_Length=str(stop - start + 100))
    request.close_connection = True
    return True


def shorter_body(request: Request) -> bool:
    start, stop = request.asked()
    request.start(
        206,
        {
            "Content_Range": f"bytes {start}-{stop - 1}/{FILE.size}",
            "Content_Length": str(stop - start - 5),
        },
    )
    request.body(FILE.read(start, stop - 5))
    return True


def longer_body(request: Request) -> bool:
    start, stop = request.asked()
    request.start(
        206,
        {
            "Content_Range": f"bytes {start}-{stop - 1}/{FILE.size}",
            "Content_Length": str(stop - start + 5),
        },
    )
    request.body(FILE.read(start, stop + 5))
    return True


def cuts(request: Request) -> bool:
    start, stop = request.asked()
    request.start(
        206,
        {
            "Content_Range": f"bytes {start}-{stop - 1}/{FILE.size}",
            "Content_Length": str(stop - start),
        },
    )
    request.body(FILE.read(start, (start + stop) // 2))
    request.close_connection = True
    return True


def hangs_up(request: Request) -> bool:
    request.close_connection = True
    return True


def compresses(request: Request) -> bool:
    start, stop = request.asked()
    request.give(start, stop, Content_Encoding="gzip")
    return True


def endless(request: Request) -> bool:
    request.refuse(302, Location="/again")
    return True


def nowhere(request: Request) -> bool:
    request.refuse(302, Location="file:///etc/passwd")
    return True


def huge(request: Request) -> bool:
    start, stop = request.asked()
    request.give(start, stop, Content_Range=f"bytes {start}-{stop - 1}/{'9' * 5000}")
    return True


def no_range(request: Request) -> bool:
    request.refuse(416)
    return True


@pytest.mark.parametrize(
    ("behave", "expected"),
    [
        (without_length, "ignores range requests: it would send the whole file"),
        (says_nothing, "does not say which bytes it holds"),
        (other_range, "asked for bytes 0 to 16383, the server gives 1 to 16384"),
        (too_little, "asked for bytes 0 to 16383, the server gives 0 to 16284"),
        (less_than_it_says, "the connection was cut, or the answer is not as long as it says"),
        (shorter_body, "the connection ended after 16379 of 16384 bytes"),
        (longer_body, "the server sends more than the 16384 bytes that it announces"),
        (cuts, "the connection was cut"),
        (hangs_up, "the server closed the connection"),
        (compresses, "the server compresses its answers"),
        (endless, "the server redirects too often"),
        (nowhere, "the server redirects to something else than HTTP"),
        (huge, "does not say which bytes it holds"),
        (no_range, "the server refuses the first bytes (HTTP 416)"),
    ],
    ids=lambda value: value.__name__ if callable(value) else None,
)
def test_bad_answers(behave: Callable[[Request], bool], expected: str) -> None:
    said, server = trouble(behave)
    assert expected in said
    assert server.sent <= MOST


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (401, "the server wants credentials (HTTP 401)"),
        (403, "access is denied (HTTP 403)"),
        (404, "there is no such file (HTTP 404)"),
        (429, "the server has had too many requests (HTTP 429)"),
        (503, "the server failed (HTTP 503)"),
        (204, "the server's answer is of no use (HTTP 204)"),
    ],
)
def test_refusals(status: int, expected: str) -> None:
    def refuse(request: Request) -> bool:
        request.refuse(status)
        return True

    assert trouble(refuse)[0] == expected


def test_silence_ends_the_waiting() -> None:
    def sleep(request: Request) -> bool:
        time.sleep(10)
        return False

    # Whoever waited to the end would have the file.
    said, _ = trouble(sleep, timeout=0.2)
    assert "too slow: no byte for 0.2 seconds" in said


def test_a_trickle_ends_the_waiting_too() -> None:
    """A byte now and then keeps the connection alive, but not for ever."""

    def trickle(request: Request) -> bool:
        start, stop = request.asked()
        length = {"Content_Length": str(stop - start)}
        request.start(206, {"Content_Range": f"bytes {start}-{stop - 1}/{FILE.size}", **length})
        for at in range(start, stop):
            request.body(FILE.read(at, at + 1))
            if request.close_connection:
                break
            time.sleep(0.05)
        return True

    said, _ = trouble(trickle, timeout=0.3)
    assert "too slow" in said


@pytest.mark.parametrize("what", ["etag", "size", "date"])
def test_a_file_that_changes_meanwhile(what: str) -> None:
    def change(request: Request) -> bool:
        start, stop = request.asked()
        again = request.served.requests > 1
        if what == "etag":
            request.served.etag = f'"{request.served.requests}"'
        elif what == "size":
            request.served.size = FILE.size - (1 if again else 0)
        request.give(start, stop, Last_Modified="now" if what == "date" and again else "then")
        return True

    said, _ = trouble(change)
    assert f"changed while it was being read (its {'ETag' if what == 'etag' else what}" in said


def test_a_file_that_becomes_shorter_meanwhile() -> None:
    def change(request: Request) -> bool:
        if request.served.requests == 1:
            return False
        request.served.size = 100
        request.give(*request.asked())
        return True

    assert "changed while it was being read (its size" in trouble(change)[0]


def test_no_connection() -> None:
    with serving(Served.of(b"")) as server:
        address = server.address
    with pytest.raises(ArtifactError, match="no connection"):
        pte_lint.check(address, isolated=True)


def test_redirections_are_followed_and_counted() -> None:
    def move(request: Request) -> bool:
        if request.path == "/moved.pte":
            return False
        request.refuse(302, Location="/moved.pte")
        return True

    with serving(Served(FILE.size, FILE.read, behave=move)) as server:
        report = pte_lint.check(server.address, isolated=True).artifacts[0]
    assert report.path == server.address
    assert report.fetched is not None
    assert (report.fetched.requests, report.fetched.bytes) == (server.requests, server.sent)
    assert server.requests == 4


def test_credentials_do_not_follow_to_another_server() -> None:
    def move(request: Request) -> bool:
        request.refuse(302, Location=other.address)
        return True

    with (
        serving(Served(FILE.size, FILE.read)) as other,
        serving(Served(FILE.size, FILE.read, behave=move)) as first,
    ):
        pte_lint.check(first.address.replace("//", "//user:secret@"), isolated=True)
    assert all("Authorization" in headers for headers in first.headers)
    assert other.headers
    assert not any("Authorization" in headers for headers in other.headers)


def test_from_https_to_http_is_refused() -> None:
    from yarl import URL

    from pte_lint.files.remote.http import _onward
    from pte_lint.files.remote.origin import FetchError

    with pytest.raises(FetchError, match="from https to http"):
        _onward(URL("https://example.invalid/m.pte"), "http://example.invalid/m.pte")
