"""What a request carries: to the host that it was set for, and to no other host or port."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import pte_lint
from pte_lint.files.fetched import ArtifactError
from pte_lint.files.remote.address import Anonymous
from pte_lint.testing.data_builder import DataTensor, build_data
from tests.support.command import command, require_one_line
from tests.support.look import DATA
from tests.support.loopback import Request, Served, need_fsspec, serving
from tests.support.virtual import long_program, virtual_program

need_fsspec()

FILE = virtual_program(long_program(400))
SECRETS = {"X-Api-Key": "hush", "Cookie": "session=hush", "Authorization": "Bearer hush"}

Serve = Callable[..., Served]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serves the same file at as many ports as are asked for."""
    with ExitStack() as stack:

        def call(behave: Callable[[Request], bool] | None = None, path: str = "/m.pte") -> Served:
            served = Served(FILE.size, FILE.read, behave=behave)
            return stack.enter_context(serving(served, path))

        yield call


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Headers, cookies and queries as fsspec's configuration gives them to a protocol."""
    from fsspec import config
    from fsspec.implementations.http import HTTPFileSystem

    HTTPFileSystem.clear_instance_cache()
    client = {"headers": {"X-Session": "hush"}, "cookies": {"two": "hush"}}
    given = {"headers": SECRETS, "params": {"key": "hush"}, "client_kwargs": client}
    monkeypatch.setitem(config.conf, "http", given)


def told(served: Served) -> str:
    """Everything that a server was told."""
    assert served.headers, "nothing was asked"
    return repr(served.headers) + repr(served.paths)


def move(to: Callable[[], str]) -> Callable[[Request], bool]:
    def behave(request: Request) -> bool:
        request.refuse(302, Location=to(), Set_Cookie="from_server=hush; Path=/")
        return True

    return behave


@pytest.mark.usefixtures("configured")
def test_configured_headers_go_to_nobody_unless_told(serve: Serve) -> None:
    served = serve()
    pte_lint.check(served.address, isolated=True)
    assert "hush" not in told(served)


@pytest.mark.usefixtures("configured")
def test_configured_headers_go_to_the_host_that_is_named(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    named, other = serve(), serve()
    host = named.address.rpartition("/")[0]
    monkeypatch.setenv("PTE_LINT_HEADERS_FOR", f"https://example.org {host}")
    for served in (named, other):
        pte_lint.check(served.address, isolated=True)
    for headers in named.headers:
        assert {name: headers[name] for name in ("X-Api-Key", "Authorization")} == {
            name: SECRETS[name] for name in ("X-Api-Key", "Authorization")
        }
        assert headers["X-Session"] == "hush"
        assert "two=hush" in headers["Cookie"]
    assert all("key=hush" in path for path in named.paths)
    assert "hush" not in told(other)


@pytest.mark.usefixtures("configured")
def test_another_port_of_the_same_host_is_another_host(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also over `localhost`, whose cookies a client would send to every port."""
    other = serve()
    first = serve(move(lambda: other.address))
    address = first.address.replace("127.0.0.1", "localhost")
    monkeypatch.setenv("PTE_LINT_HEADERS_FOR", address.rpartition("/")[0])
    other.address = other.address.replace("127.0.0.1", "localhost")
    pte_lint.check(address, isolated=True)
    assert "hush" in told(first)
    assert "hush" not in told(other)


@pytest.mark.usefixtures("configured")
def test_what_was_left_is_not_carried_back(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server must not choose what another one is asked with its credentials."""

    def at_home(request: Request) -> bool:
        if request.path.startswith("/secret"):
            return False
        request.refuse(302, Location=away.address)
        return True

    away = serve(move(lambda: home.address.replace("/m.pte", "/secret")))
    home = serve(at_home)
    monkeypatch.setenv("PTE_LINT_HEADERS_FOR", home.address.rpartition("/")[0])
    pte_lint.check(home.address.replace("//", "//user:hush@"), isolated=True)
    back = [h for h, p in zip(home.headers, home.paths, strict=True) if p.startswith("/secret")]
    assert back
    assert "hush" not in repr(back) + told(away)
    assert "dXNlcjpodXNo" not in repr(back) + told(away), "user:hush in base64"


@pytest.mark.usefixtures("configured")
def test_redirections_on_the_same_host_keep_them(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    def behave(request: Request) -> bool:
        if request.path.startswith("/moved"):
            return False
        request.refuse(307, Location="/moved")
        return True

    served = serve(behave)
    monkeypatch.setenv("PTE_LINT_HEADERS_FOR", served.address.rpartition("/")[0])
    pte_lint.check(served.address.replace("//", "//user:word@"), isolated=True)
    assert all(headers["X-Api-Key"] == "hush" for headers in served.headers)
    assert all("Authorization" in headers for headers in served.headers)


@pytest.mark.usefixtures("configured")
def test_an_address_of_a_configuration_carries_nothing(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even to a host that is named for others."""
    served = serve()
    monkeypatch.setenv("PTE_LINT_HEADERS_FOR", served.address.rpartition("/")[0])
    pte_lint.check(Anonymous(served.address), isolated=True)
    assert "hush" not in told(served)


def test_passwords_of_the_machine_go_where_the_command_line_leads(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A .netrc knows hosts and no ports."""
    from fsspec import config
    from fsspec.implementations.http import HTTPFileSystem

    HTTPFileSystem.clear_instance_cache()
    monkeypatch.setitem(config.conf, "http", {"client_kwargs": {"trust_env": True}})
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login user password hush\n", "utf-8")
    (tmp_path / "netrc").chmod(0o600)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    other = serve()
    first = serve(move(lambda: other.address))
    pte_lint.check(first.address, isolated=True)
    assert all("Authorization" in headers for headers in first.headers)
    assert not any("Authorization" in headers for headers in other.headers)
    pte_lint.check(Anonymous(other.address), isolated=True)
    assert not any("Authorization" in headers for headers in other.headers)


@pytest.mark.usefixtures("configured")
def test_a_host_that_wants_what_it_did_not_get(serve: Serve) -> None:
    def refuse(request: Request) -> bool:
        request.refuse(401)
        return True

    with pytest.raises(ArtifactError, match="hosts that PTE_LINT_HEADERS_FOR names"):
        pte_lint.check(serve(refuse).address, isolated=True)


def test_other_file_systems_are_asked_as_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    import fsspec.core

    from pte_lint.files.remote.file_systems import file_system
    from pte_lint.files.remote.origin import FetchError

    asked: list[dict[str, object]] = []

    def url_to_fs(address: str, **options: object) -> tuple[None, str]:
        asked.append(options)
        return None, address

    monkeypatch.setattr(fsspec.core, "url_to_fs", url_to_fs)
    file_system(Anonymous("s3://bucket/w.ptd"))
    file_system(Anonymous("hf://owner/w.ptd"))
    file_system("s3://bucket/w.ptd")
    assert asked == [
        {"anon": True, "key": None, "secret": None, "token": None},
        {"token": False},
        {},
    ]
    with pytest.raises(FetchError, match="without credentials"):
        file_system(Anonymous("gs://bucket/w.ptd"))


def test_the_command_with_a_stranger_s_configuration(serve: Serve, tmp_path: Path) -> None:
    """The whole way: the program from one host, its data from another that a checkout names."""
    data = build_data({"w": DataTensor([1, 2, 3, 4], (2, 2))}).bytes()
    first = serve()
    with serving(Served.of(data), "/w.ptd") as other:
        text = f'data = ["{other.address}"]\n'
        (tmp_path / "pte-lint.toml").write_text(text, "utf-8")
        extra = {
            "FSSPEC_HTTP_HEADERS": '{"X-Api-Key": "hush"}',
            "PTE_LINT_HEADERS_FOR": f"{first.address} {other.address}",
        }
        words = ("check", first.address.replace("//", "//user:word@"), "-j2", str(DATA / "clean"))
        require_one_line(command(tmp_path, *words, extra=extra), "--allow-address")
        assert other.requests == first.requests == 0
        done = command(tmp_path, *words, "--allow-address", other.address, extra=extra)
        assert done.returncode in (0, 1), done.stderr
        assert first.headers
        assert all(headers["X-Api-Key"] == "hush" for headers in first.headers)
        assert "hush" not in told(other)
        assert not any("Authorization" in headers for headers in other.headers)
