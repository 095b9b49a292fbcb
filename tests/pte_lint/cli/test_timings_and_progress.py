"""What is said on stderr about the work itself, and that reports do not change with it."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from pte_lint.cli import progress, progress_line
from pte_lint.clock import RULE, STAGE, Clock
from pte_lint.report import timings_text
from tests.pte_lint.cli.conftest import Run


class Terminal(io.StringIO):
    """A terminal that keeps what is written."""

    encoding = "ascii"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    made = Terminal()
    # Not in sys itself: pytest puts its own stream there between fixture and test.
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=made))
    monkeypatch.setattr(progress_line, "DELAY", 0.05)
    monkeypatch.setattr(progress_line, "INTERVAL", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    return made


def wait_for(is_so: Callable[[], bool]) -> None:
    """Waits until something is so, for as long as a busy machine may need."""
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def lines(terminal: Terminal) -> list[str]:
    return [line.rstrip() for line in terminal.getvalue().split("\r")]


def test_the_report_is_the_same_with_timings(run: Run, model: Path) -> None:
    for form in ("text", "sarif", "junit"):
        plain = run("check", model, "--format", form)
        timed = run("check", model, "--format", form, "--timings")
        assert timed.stdout == plain.stdout
        assert timed.exit_code == plain.exit_code
        assert plain.stderr == ""
        assert timed.stderr.startswith("timings: seconds of each alone\n")
        assert {"load", "read", "report", "PTE901"} <= set(timed.stderr.split())


def test_json_has_them_only_when_asked(run: Run, model: Path) -> None:
    plain = json.loads(run("check", model, "--format", "json").stdout)
    assert "timings" not in plain
    timed = json.loads(run("check", model, "--format", "json", "--timings").stdout)
    timings = timed.pop("timings")
    assert timed == plain
    assert set(timings) == {"stages", "analyses", "rules", "total"}
    assert "PTE901" in timings["rules"]
    parts = [s for kind in ("stages", "analyses", "rules") for s in timings[kind].values()]
    assert timings["total"] == pytest.approx(sum(parts), abs=1e-3)


@pytest.mark.slow
def test_several_processes_are_summed_up(run: Run, model: Path) -> None:
    Path("second.pte").write_bytes(model.read_bytes())
    timed = run("check", ".", "--timings", "-j", "2", "--format", "json")
    assert "timings: seconds of each alone, summed over 2 processes" in timed.stderr
    rules = json.loads(timed.stdout)["timings"]["rules"]
    assert "PTE301" in rules, "the processes load the real rules"


def test_long_tables_are_cut() -> None:
    seconds = {(RULE, f"PTE{n}"): 1.0 + n for n in range(100, 160)} | {(STAGE, "read"): 500.0}
    said = timings_text.render(seconds).splitlines()
    assert said[1].split() == ["stage", "read", "500.0000", "6.0", "%"]
    assert said[-2].split()[:2] == ["21", "others"]
    assert said[-1].split() == ["total", f"{sum(seconds.values()):.4f}", "100.0", "%"]
    assert timings_text.render({}).splitlines()[-1].split() == ["total", "0.0000"]


def test_short_work_shows_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_line, "DELAY", 600)
    assert list(progress.tracked([1, 2, 3], ["a", "b", "c"], 3)) == [1, 2, 3]
    assert terminal.getvalue() == ""


def test_long_work_shows_where_it_is_and_cleans_up(terminal: Terminal) -> None:
    def work() -> object:
        yield 1
        wait_for(lambda: "1 of 2" in terminal.getvalue())
        yield 2

    names = ["first.pte", "\x1b[31mred\u00df.pte"]
    assert list(progress.tracked(work(), names, 2)) == [1, 2]
    shown = lines(terminal)
    assert any(line.startswith("1 of 2 files done: ") for line in shown)
    assert "\x1b" not in terminal.getvalue()
    assert terminal.getvalue().isascii()
    assert terminal.getvalue().endswith("\r" + " " * 59 + "\r"), "the line is wiped"


def test_one_long_file_shows_what_is_being_done(terminal: Terminal) -> None:
    from pte_lint.clock import timed

    with progress.showing("model.pte"), timed(STAGE, "read"):
        wait_for(lambda: "(read)" in terminal.getvalue())
    assert "working: model.pte (read)" in lines(terminal)


def test_long_names_are_cut_to_the_terminal(terminal: Terminal) -> None:
    with progress.showing("x" * 500):
        wait_for(lambda: "xxx" in terminal.getvalue())
    assert max(len(part) for part in terminal.getvalue().split("\r")) == 59


@pytest.mark.parametrize("why", ["quiet", "no terminal", "dumb terminal"])
def test_nobody_is_shown_anything(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    if why == "no terminal":
        monkeypatch.setattr(Terminal, "isatty", lambda _: False)
    if why == "dumb terminal":
        monkeypatch.setenv("TERM", "dumb")

    def work() -> object:
        time.sleep(0.1)
        yield 1

    assert list(progress.tracked(work(), ["a"], 1, quiet=why == "quiet")) == [1]
    assert terminal.getvalue() == ""


def test_the_line_names_no_file_where_several_processes_work(terminal: Terminal) -> None:
    display = progress_line.Display([], 500, Clock(), terminal)
    display.done = 12
    assert display.text() == "12 of 500 files done"


def test_the_line_tells_the_rate_where_nobody_knows_how_many_there_are(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(progress_line, "monotonic", lambda: now[0])
    display = progress_line.Display([], 0, Clock(), terminal)
    display.done = 30
    now[0] += 3
    assert display.text() == "30 files done, 10 a second"
