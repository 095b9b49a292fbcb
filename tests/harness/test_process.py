"""A probe that misbehaves: the driver's side holds."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from pte_lint.harness.build import Probe
from pte_lint.harness.driver import run_probe
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.process import ProbeProcess

# The report descriptor is named in the second word: --report-fd=N.
HEAD = '#!/bin/bash\nfd="${2#--report-fd=}"\n'
EMPTY = '{"verification":"full","program":{"stage":"done","num_methods":0},"methods":[]}'


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for the probe; write its body, then run."""
    path = tmp_path / "fake-probe"
    monkeypatch.setattr("pte_lint.harness.driver.build_probe", lambda *_: opened(path))
    (tmp_path / "some.pte").write_bytes(b"x")
    return path


def opened(path: Path) -> Probe:
    return Probe(path, os.open(path, os.O_RDONLY))


def becomes(fake: Path, body: str) -> None:
    fake.write_text(HEAD + body)
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)


def test_a_report_is_read_whatever_is_printed(fake: Path, wheel: Path) -> None:
    becomes(fake, f"echo junk; echo '{{' >&2; echo '{EMPTY}' >&$fd\n")
    run = run_probe(fake.parent / "some.pte")
    assert (run.program.outcome, run.methods) == ("ok", ())


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit 3\n", "the probe gave no report"),
        ("echo beside itself >&2; exit 1\n", "beside itself\n"),
        ("echo '}{' >&$fd\n", "the probe gave no report"),
        ("echo '[1]' >&$fd\n", "the probe gave no report"),
        ("kill -9 $$\n", "the probe gave no report"),
    ],
    ids=["exit", "complaint", "junk", "list", "killed"],
)
def test_no_report_is_an_outcome(fake: Path, wheel: Path, body: str, words: str) -> None:
    becomes(fake, body)
    program = run_probe(fake.parent / "some.pte").program
    assert (program.outcome, program.console) == ("skipped", words)


def test_a_probe_that_does_not_start(fake: Path, wheel: Path) -> None:
    becomes(fake, "echo 'x: error while loading shared libraries: libexecutorch.so' >&2\n")
    with pytest.raises(HarnessUnavailable, match="does not start"):
        run_probe(fake.parent / "some.pte")


def test_a_probe_that_hangs_is_ended(fake: Path, tmp_path: Path) -> None:
    becomes(fake, "trap '' TERM\nwhile true; do sleep 0.05; done\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    with ProbeProcess(opened(fake), "run", [], folder) as process:
        assert process.read_line(0.2) is None
        pid = process.pid
    assert not Path(f"/proc/{pid}").exists()


def test_arguments_travel_unharmed(fake: Path, tmp_path: Path) -> None:
    becomes(fake, 'tr "\\0" "|" < "${4#--arguments=}" >&$fd; echo >&$fd\n')
    folder = tmp_path / "folder"
    folder.mkdir()
    with ProbeProcess(opened(fake), "run", ["--program=a b\n=c", "--x=\udcff"], folder) as process:
        line = process.read_line(5)
        rest = process.read_line(5)
    assert line == b"--program=a b"
    assert rest == b"=c|--x=\xff|"


def test_sending_needs_an_open_input(fake: Path, tmp_path: Path) -> None:
    becomes(fake, "exit 0\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    with (
        ProbeProcess(opened(fake), "run", [], folder) as process,
        pytest.raises(OSError, match="input"),
    ):
        process.send(b"x")


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "executorch"
    (root / "lib").mkdir(parents=True)
    (root / "lib/libexecutorch.so").write_bytes(b"")
    (root / "version.py").write_text('__version__ = "1.5.1"\n')
    monkeypatch.setenv("PTE_LINT_EXECUTORCH", str(root))
    return root
