"""Hostile children: held, recorded, and gone afterwards."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from pte_lint.harness.build import Probe
from pte_lint.harness.driver import run_probe
from pte_lint.harness.fence import FenceAttempt, try_fence
from pte_lint.harness.process import ProbeProcess

pytestmark = pytest.mark.runtime


@pytest.fixture(scope="module")
def attempts(probe: Probe) -> dict[str, FenceAttempt]:
    return {attempt.name: attempt for attempt in try_fence(timeout=1.0)}


@pytest.mark.parametrize(
    "name",
    [
        "create_file",
        "create_folder",
        "delete_file",
        "network",
        "new_process",
        "start_program",
        "signal_parent",
        "memory",
        "threads",
        "descriptors",
        "environment",
        "read_file",
        "see_processes",
        "be_root",
    ],
)
def test_refused(attempts: dict[str, FenceAttempt], name: str) -> None:
    attempt = attempts[name]
    assert attempt.refused is True
    assert attempt.step.outcome == "ok"


@pytest.mark.parametrize(
    ("name", "outcome", "signal"),
    [
        ("endless", "timeout", None),
        ("bad_access", "crash", "SIGSEGV"),
        ("stack_overflow", "crash", "SIGSEGV"),
        ("abort", "crash", "SIGABRT"),
        ("exception", "crash", "SIGABRT"),
        ("kill_itself", "crash", "SIGKILL"),
        ("leave_early", "crash", None),
        ("flood_output", "ok", None),
        ("junk_on_the_report", "crash", None),
        ("frames_with_junk_inside", "ok", None),
        ("forged_frames_of_junk", "crash", None),
        ("junk_after_the_end", "ok", None),
        ("report_flooded_with_junk", "crash", None),
        ("stop_itself", "timeout", None),
        ("ignore_signals", "timeout", None),
    ],
)
def test_recorded(
    attempts: dict[str, FenceAttempt], name: str, outcome: str, signal: str | None
) -> None:
    step = attempts[name].step
    assert (step.outcome, step.signal) == (outcome, signal)
    assert step.damaged == ("junk" in name)
    assert step.error is None


def test_what_is_printed_is_kept_apart_and_cut(attempts: dict[str, FenceAttempt]) -> None:
    assert attempts["flood_output"].step.console == "{" * 4096
    assert "terminate called" in attempts["exception"].step.console


def test_an_exception_nobody_catches_aborts_and_says_why(files: Path) -> None:
    run = run_probe(files / "buffer_size_huge.pte", describe=False).methods[0].runs[0]
    assert run.signal == "SIGABRT"
    assert "std::bad_alloc" in run.console


def test_endless_program_is_stopped_by_the_clock(files: Path) -> None:
    report = run_probe(files / "jump_loop_endless.pte", timeout=0.05, describe=False)
    run = report.methods[0].runs[0]
    assert (run.stage, run.outcome) == ("execute", "timeout")
    assert run.instruction is not None
    assert run.instructions > 1000


def test_the_time_for_a_whole_program_ends_it(files: Path) -> None:
    report = run_probe(
        files / "jump_loop_endless.pte",
        timeout=0.1,
        total_timeout=0.25,
        variants=["default", "rising", "poisoned_device", "poisoned_host"],
        describe=False,
    )
    outcomes = [run.outcome for run in report.methods[0].runs]
    assert outcomes[0] == "timeout"
    assert outcomes[-1] == "skipped"
    assert set(outcomes) == {"timeout", "skipped"}


def test_nothing_is_left_behind(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mine = str(os.getpid())
    for name in ("jump_loop_endless", "null_delegate_processed", "add_default"):
        run_probe(files / f"{name}.pte", timeout=0.2)
    assert list(tmp_path.iterdir()) == []
    assert [pid for pid in children_of(mine) if "pte-lint-probe" in command_of(pid)] == []


def children_of(parent: str) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[1] == parent:
            found.append(entry.name)
    return found


def command_of(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def descendants(pid: str) -> list[str]:
    found = []
    for child in children_of(pid):
        found += [child, *descendants(child)]
    return found


def test_with_the_probe_everything_ends(probe: Probe, files: Path, tmp_path: Path) -> None:
    """Whoever kills the first process of it, at any time, leaves no program running."""
    words = [f"--program={files / 'jump_loop_endless.pte'}", "--variant=default", "--seconds=60"]
    with ProbeProcess(probe, "run", words, tmp_path) as process:
        deadline = time.monotonic() + 30
        below: list[str] = []
        while not below or len(below) < 2:
            assert time.monotonic() < deadline
            below = descendants(str(process.pid)) or below
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        while any(is_running(pid) for pid in below):
            assert time.monotonic() < deadline
            time.sleep(0.02)


def is_running(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
