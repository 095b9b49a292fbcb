"""Programs on pages of links, from servers that are busy or lead elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from pte_lint.cli.one_by_one import OneByOne, State
from pte_lint.cli.paths import single
from pte_lint.cli.runner import Failure
from pte_lint.config.settings import RunSettings
from pte_lint.files.remote import http_index, patience
from pte_lint.files.remote.listing import listed
from pte_lint.files.remote.origin import FetchError
from pte_lint.files.walking import Names
from tests.support import stores
from tests.support.folders import Site, site
from tests.support.listings import BAD, GOOD, check, names
from tests.support.loopback import need_fsspec

need_fsspec()
stores.need("pyarrow")


@pytest.fixture
def web() -> Iterator[Site]:
    files = {
        "/zoo/good.pte": GOOD, "/zoo/deep/bad%20one.pte": BAD, "/elsewhere/x.pte": GOOD,
        "/zoo/notes.txt": b"",
    }  # fmt: skip
    pages = {
        "/zoo/": '<a href="?C=N">name</a> <a href="/">up</a> <a href="../elsewhere/x.pte">x</a>'
        '<a href="https://other.example/zoo/y.pte">y</a> <a href="good.pte">g</a>'
        '<a href="deep/">d</a> <A HREF=\'notes.txt\'>n</a> <a href="good.pte#again">g</a>'
        '<a href="%2e%2e/elsewhere/x.pte">z</a> <a href="javascript:x.pte">j</a>'
        '<a href="http://[">broken</a>',
        "/zoo/deep/": '<a href="bad%20one.pte">b</a> <a href="../">up</a> <a href="./">here</a>',
    }
    with site(Site(files, pages)) as served:
        yield served


def test_a_page_of_links(web: Site) -> None:
    base = f"{web.address}/zoo/"
    found = list(listed(base, Names(100), 10))
    assert [(each.inside, each.size) for each in found] == [
        ("good.pte", len(GOOD)),
        ("notes.txt", 0),
        ("deep/bad one.pte", len(BAD)),
    ]
    assert [method for method, path in web.asked if path == "/zoo/good.pte"] == ["HEAD"]
    result = check(base, "--output", "parquet=results")
    assert result.exit_code == 1, result.output
    rows = stores.read(Path("results"))["artifacts"]
    assert [(row["path"], row["runs"], row["fetched_requests"]) for row in rows] == [
        (f"{base}good.pte", True, 1),
        (f"{base}deep/bad%20one.pte", False, 1),
    ]
    assert rows[0]["revision"].startswith('"')


def test_password_and_signature_stay_with_the_page(web: Site) -> None:
    base = f"{web.address}/zoo/".replace("//", "//user:hush@", 1)
    found = list(listed(f"{base}?signature=hush", Names(100), 10))
    assert found[0].address == f"{base}good.pte"
    assert found[0].name == f"{web.address}/zoo/good.pte"
    assert all(each.get("Authorization", "").startswith("Basic ") for each in web.headers)
    result = check(base, "--output", "parquet=results")
    told = result.output + Path("results/artifacts.parquet").read_bytes().decode("latin-1")
    assert "hush" not in told


def test_a_page_that_is_elsewhere_is_not_followed(web: Site) -> None:
    with site(Site({"/zoo/x.pte": GOOD}, {"/zoo/": '<a href="x.pte">x</a>'})) as other:

        def away(request: BaseHTTPRequestHandler) -> bool:
            request.send_response(302)
            request.send_header("Location", f"{other.address}/zoo/")
            request.send_header("Content-Length", "0")
            request.end_headers()
            return True

        web.behave = away
        result = check(f"{web.address}/zoo/")
        assert result.exit_code == 2
        assert "cannot list" in result.stderr
        assert "the page is elsewhere" in result.stderr
        assert other.asked == []


def test_a_page_that_never_ends(web: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_index, "PAGE_BYTES", 1_000)
    web.pages["/zoo/"] += " " * 1_000
    with pytest.raises(FetchError, match="more than 1000 bytes"):
        names(f"{web.address}/zoo/")


def test_pages_that_lead_to_each_other_are_asked_once(web: Site) -> None:
    web.pages = {
        f"/zoo/{'a/' * n}": '<a href="a/">a</a><a href="/zoo/">top</a>' for n in range(200)
    }
    assert names(f"{web.address}/zoo/") == []
    assert len(web.asked) == len(set(web.asked)) == 65


def test_a_server_that_is_busy_is_asked_again(web: Site, waits: list[float]) -> None:
    left = {"/zoo/": 2, "/zoo/deep/": 1}

    def busy(request: BaseHTTPRequestHandler) -> bool:
        if not left.get(request.path):
            return False
        left[request.path] -= 1
        request.send_response(429)
        request.send_header("Retry-After", "7" if request.path == "/zoo/" else "100000")
        request.send_header("Content-Length", "0")
        request.end_headers()
        return True

    web.behave = busy
    assert len(names(f"{web.address}/zoo/")) == 3
    assert waits == [7.0, 7.0, patience.LONGEST]


def test_a_server_that_stays_busy_is_left(web: Site, waits: list[float]) -> None:
    def busy(request: BaseHTTPRequestHandler) -> bool:
        request.send_response(503)
        request.send_header("Content-Length", "0")
        request.end_headers()
        return True

    web.behave = busy
    with pytest.raises(FetchError, match="HTTP 503"):
        names(f"{web.address}/zoo/")
    assert (len(web.asked), waits) == (4, [1.0, 2.0, 4.0])
    web.behave = lambda request: False
    with pytest.raises(FetchError, match="HTTP 404"):
        names(f"{web.address}/nothing/")
    assert len(web.asked) == 5


def test_an_artifact_behind_a_busy_server_is_asked_again(web: Site) -> None:
    left = [2]

    def busy(request: BaseHTTPRequestHandler) -> bool:
        if request.command != "GET" or not request.path.endswith("good.pte") or not left[0]:
            return False
        left[0] -= 1
        request.send_response(503)
        request.send_header("Content-Length", "0")
        request.end_headers()
        return True

    web.behave = busy
    judge = OneByOne(State(RunSettings(isolated=True), None, date(2026, 1, 1)))
    told = judge(single(f"{web.address}/zoo/good.pte"))
    assert not isinstance(told, Failure)
    assert left == [0]
    assert [path for _, path in web.asked].count("/zoo/good.pte") == 3
