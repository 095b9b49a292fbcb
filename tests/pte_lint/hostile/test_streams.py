"""Full, closed and broken streams, and a working folder that is gone: one line, and never more."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.command import in_a_shell, require_one_line
from tests.support.look import DATA

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")

FULL = "cannot write the standard output: No space left on device"
CLOSED = "cannot write the standard output: it is closed"

PRINTING = (
    "check model.pte",
    "check model.pte --format json",
    "check model.pte ./model.pte -j2",
    "inspect model.pte",
    "diff model.pte model.pte",
    "graph model.pte",
    "report model.pte",
    "explain PTE301",
    "rules --format json",
    "cache dir",
    "baseline write model.pte",
    "--version",
    "check --help",
)
"""Everything that prints, in every way in which something is printed."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    shutil.copy(DATA / "clean" / "linear.pte", tmp_path / "model.pte")
    return tmp_path


@pytest.mark.parametrize("line", PRINTING)
def test_a_full_and_a_closed_output(place: Path, line: str) -> None:
    require_one_line(in_a_shell(place, f"pte-lint {line} > /dev/full"), FULL)
    require_one_line(in_a_shell(place, f"pte-lint {line} >&-"), CLOSED)


@pytest.mark.parametrize("line", ["rules --format json", "check model.pte model.pte -v -j2"])
def test_a_reader_that_has_gone(place: Path, line: str) -> None:
    done = in_a_shell(place, f"pte-lint {line} | true; echo ${{PIPESTATUS[0]}}")
    assert (done.stdout, done.stderr) == ("141\n", "")


def test_a_reader_that_goes_after_a_line(place: Path) -> None:
    """Much more is printed than a pipe holds."""
    done = in_a_shell(place, "pte-lint explain PTE{101..116} PTE{301..323} | head -n1")
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""


@pytest.mark.parametrize("line", ["nope", "check nope.pte", "check --nope", "inspect"])
@pytest.mark.parametrize("how", ["2>&-", "2>/dev/full", ">&- 2>&-", "<&- >&- 2>&-"])
def test_errors_that_nobody_can_be_told(place: Path, line: str, how: str) -> None:
    done = in_a_shell(place, f"pte-lint {line} {how}")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def test_a_closed_input(place: Path) -> None:
    require_one_line(in_a_shell(place, "pte-lint check - <&-"), "cannot read <stdin>: it is closed")
    done = in_a_shell(place, "pte-lint check -q model.pte ./model.pte -j2 <&-")
    assert (done.returncode, done.stderr) == (0, "")
    done = in_a_shell(place, "pte-lint inspect - < . 2>&1 || true")
    assert "Traceback" not in done.stdout


def test_what_is_written_with_everything_closed_is_whole(place: Path) -> None:
    """Files that are opened must not get the numbers of the streams."""
    line = "pte-lint check -q model.pte --output json=out.json <&- 2>&-"
    done = in_a_shell(place, line)
    assert (done.returncode, done.stderr) == (0, "")
    assert in_a_shell(place, "pte-lint check model.pte --format json").stdout == (
        place / "out.json"
    ).read_text("utf-8")


def test_a_working_folder_that_is_gone(place: Path) -> None:
    gone = "mkdir gone; cd gone; rmdir ../gone;"
    model = place / "model.pte"
    told = "the working folder cannot be found: No such file or directory"
    for line, words in (
        (f"pte-lint check {model}", told),
        (f"pte-lint report {model}", told),
        ("pte-lint check model.pte --isolated", "cannot read model.pte: No such file"),
        ("pte-lint inspect model.pte", "cannot read model.pte: No such file"),
        (f"pte-lint baseline write {model} --isolated", "the working folder is gone"),
        (f"pte-lint check {model} --isolated -q --output json=x.json", "cannot write x.json"),
    ):
        require_one_line(in_a_shell(place, f"{gone} {line}"), words)
    done = in_a_shell(
        place, f"{gone} pte-lint check {model} {model} --isolated --select ALL -q -j2"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "model.pte" in done.stdout


def test_names_on_the_command_line_reach_the_terminal_escaped(place: Path) -> None:
    hostile = "\033[31m\n::error::x\u202e"
    for line in ('pte-lint "$1"', 'pte-lint check "--$1"', 'pte-lint check "$1.pte"',
                 'pte-lint check --target "$1" model.pte', 'pte-lint inspect model.pte "$1"',
                 'pte-lint check model.pte --output "text=$1/x"', 'pte-lint explain "$1"',
                 'pte-lint check --config "$1" model.pte'):  # fmt: skip
        done = in_a_shell(place, line, hostile)
        assert done.returncode in (2, 3), "3: a glob that matches nothing"
        assert "\033" not in done.stderr + done.stdout
        assert "\u202e" not in done.stderr + done.stdout
        assert not any(each.startswith("::") for each in done.stderr.splitlines())


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes")
def test_a_name_that_is_no_text(place: Path) -> None:
    os.link(place / "model.pte", os.fsencode(place) + b"/a\xff\n.pte")
    for jobs in ("1", "2"):
        done = in_a_shell(place, f"pte-lint check . -j{jobs} --output json=x --output junit=y")
        assert (done.returncode, done.stderr) == (0, "")
        assert "a\\udcff\\n.pte: clean" in done.stdout


def test_a_process_that_is_ended(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the system does when there is no memory left."""
    from pte_lint.cli import runner
    from pte_lint.files.fetched import ArtifactError

    monkeypatch.setattr(runner, "_task", os._exit)
    with pytest.raises(ArtifactError, match="a process that judged files was ended"):
        list(runner._in_processes([7, 7], (_nothing, (), None, None), 2))  # type: ignore[list-item]


def _nothing() -> None:
    return None
