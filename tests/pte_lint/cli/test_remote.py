"""Addresses on the command line: what is printed, and what never is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pte_lint.testing.data_builder import DataTensor, build_data
from pte_lint.testing.program_builder import build_program
from tests.pte_lint.cli.conftest import MODEL, Run
from tests.support.examples import externally
from tests.support.loopback import Request, Served, need_fsspec, serving

need_fsspec()

SECRETS = "?X-Amz-Credential=hush&X-Amz-Signature=hush#hush"


@pytest.fixture
def server() -> Iterator[Served]:
    with serving(Served.of(MODEL.read_bytes())) as served:
        yield served


def secret(address: str) -> str:
    return address.replace("//", "//hush:hush@") + SECRETS


def test_what_was_fetched_is_told(run: Run, server: Served) -> None:
    result = run("check", server.address)
    assert f"fetched: {server.sent} bytes in 1 request, of {server.sent} bytes" in " ".join(
        result.stdout.split()
    )
    report = json.loads(run("check", server.address, "--format", "json").stdout)
    artifact = report["artifacts"][0]
    assert artifact["path"] == server.address
    assert artifact["size"] == MODEL.stat().st_size
    assert artifact["fetched"] == {"bytes": artifact["size"], "requests": 1}


def test_a_file_that_is_here_fetches_nothing(run: Run, model: Path) -> None:
    assert "fetched" not in run("check", model).stdout
    report = json.loads(run("check", model, "--format", "json").stdout)
    assert report["artifacts"][0]["fetched"] is None


@pytest.mark.parametrize(
    "words",
    [
        ("check",),
        ("check", "--format", "json", "-v"),
        ("check", "--format", "sarif"),
        ("inspect",),
        ("inspect", "--json"),
        ("report",),
        ("graph",),
        ("baseline", "write"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("fault", [None, 403, 404, "cut"])
def test_secrets_are_never_printed(
    run: Run, words: tuple[str, ...], fault: int | str | None
) -> None:
    def behave(request: Request) -> bool:
        if fault is None:
            return False
        if fault == "cut":
            request.close_connection = True
        else:
            assert isinstance(fault, int)
            request.refuse(fault)
        return True

    with serving(Served.of(MODEL.read_bytes(), behave=behave)) as server:
        result = run(*words, secret(server.address))
    assert server.requests
    assert "hush" not in result.output
    assert result.exit_code in ((0, 1) if fault is None else (2,))
    if fault is not None:
        assert f"error: cannot read {server.address}: " in result.stderr


@pytest.mark.parametrize(
    ("path", "query", "sent"),
    [
        ("/a%2Fb/m.pte", "?x=%2F%7e&y=+", "/a%2Fb/m.pte?x=%2F%7e&y=+"),
        ("/a b/m.pte", "", "/a%20b/m.pte"),
        ("/gr\u00f6\u00dfe/m.pte", "", "/gr%C3%B6%C3%9Fe/m.pte"),
        ("/100%/m.pte", "", "/100%25/m.pte"),
    ],
)
def test_an_address_is_sent_as_it_was_given(run: Run, path: str, query: str, sent: str) -> None:
    """Signatures are about every escape."""
    asked: list[str] = []

    def note(request: Request) -> bool:
        asked.append(request.path)
        return False

    with serving(Served.of(MODEL.read_bytes(), behave=note), path) as server:
        assert run("check", server.address + query).exit_code in (0, 1)
    assert asked == [sent]


def test_machine_formats_name_the_address(run: Run, server: Served) -> None:
    address = server.address
    sarif = json.loads(run("check", address, "--format", "sarif").stdout)
    assert sarif["runs"][0]["artifacts"][0]["location"]["uri"] == address
    gitlab = json.loads(run("check", address, "--format", "gitlab").stdout)
    assert {issue["location"]["path"] for issue in gitlab} == {address}
    assert (
        f"file={address.replace(':', '%3A')}," in run("check", address, "--format", "github").stdout
    )


def test_ignore_entries_and_baselines_know_addresses(run: Run, server: Served) -> None:
    assert run("check", server.address).exit_code == 1
    entry = '[[ignore]]\nrule = "PTE901"\nreason = "known"\npath = "http://*/model.pte"\n'
    Path("pte-lint.toml").write_text(entry, "utf-8")
    assert run("check", server.address).exit_code == 0
    Path("pte-lint.toml").write_text('baseline = "known.json"\n', "utf-8")
    run("baseline", "write", server.address)
    assert list(json.loads(Path("known.json").read_text("utf-8"))["artifacts"]) == [server.address]
    assert run("check", server.address).exit_code == 0


def test_user_and_password_are_sent(run: Run, server: Served) -> None:
    run("check", secret(server.address))
    assert server.headers[0]["Authorization"].startswith("Basic ")


def test_one_bad_address_does_not_stop_the_others(run: Run, server: Served, model: Path) -> None:
    gone = server.address.replace("http://", "nosuchthing://")
    result = run("check", gone, server.address, model)
    assert result.exit_code == 2
    assert "2 files" in result.stdout
    assert f"error: cannot read {gone}: fsspec knows no file system" in result.stderr


def test_data_files_far_away(run: Run) -> None:
    program = Path("program.pte")
    program.write_bytes(build_program(externally()).bytes())
    data = build_data({"w": DataTensor([1, 2, 3, 4], (2, 2))}).bytes()
    Path("second.pte").write_bytes(program.read_bytes())
    with serving(Served.of(data), "/w.ptd") as server:
        for jobs in ("1", "2"):
            before = server.requests
            result = run("check", ".", "--data", secret(server.address), "-j", jobs)
            told = " ".join(result.stdout.split())
            assert f"{server.address}: fetched {len(data)} bytes in 1 request" in told
            assert server.requests == before + 1, "once, however many processes there are"
    failed = run("check", program, "--data", "nosuchthing://hush:hush@host/w.ptd")
    assert failed.exit_code == 2
    assert "cannot read nosuchthing://host/w.ptd: " in failed.stderr


def test_a_configured_data_file_far_away(
    run: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = build_data({"w": DataTensor([1, 2, 3, 4], (2, 2))}).bytes()
    with serving(Served.of(data), "/w.ptd") as server:
        text = f'data = ["{server.address}"]\nremote = {{ requests = "3" }}\n'
        Path("pte-lint.toml").write_text(text, "utf-8")
        told = f"{server.address}: fetched"
        assert "--allow-address" in run("check", model).stderr
        assert server.requests == 0
        allowed = run("check", model, "--allow-address", server.address)
        assert told in " ".join(allowed.stdout.split())
        monkeypatch.setenv("PTE_LINT_ALLOW_ADDRESS", server.address.rpartition("/")[0])
        assert told in " ".join(run("check", model).stdout.split())


def test_two_versions_far_away_are_compared(run: Run, server: Served) -> None:
    result = run("diff", secret(server.address), server.address)
    assert result.exit_code == 0
    assert "fetched of the old one: " in result.stdout
    assert "no change" in result.stdout
    document = json.loads(run("diff", server.address, server.address, "--format", "json").stdout)
    assert document["old"]["fetched"] == document["new"]["fetched"] == {
        "bytes": MODEL.stat().st_size,
        "requests": 1,
    }  # fmt: skip


def test_running_wants_the_whole_file(run: Run, server: Served) -> None:
    for words in (("confirm",), ("check", "--confirm"), ("report", "--confirm")):
        result = run(*words, secret(server.address))
        assert result.exit_code == 2
        assert f"running {server.address} needs all of it: download it first" in result.stderr
        assert "hush" not in result.output


def test_caps_on_the_command_line(run: Run, server: Served) -> None:
    result = run("check", server.address, "--remote", "bytes=1000", "--remote", "besides=64")
    assert result.exit_code == 2
    assert "more than the 1000 that may be fetched" in result.stderr
    for bad in ("bytes", "bytes=x", "speed=1"):
        assert run("check", server.address, "--remote", bad).exit_code == 2
    Path("pte-lint.toml").write_text('remote = { speed = "1" }\n', "utf-8")
    wrong = run("check", server.address)
    assert wrong.exit_code == 2
    assert "remote.there is no cap 'speed'" in wrong.stderr.replace("\n", " ")
