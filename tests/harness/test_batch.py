"""Many programs through one probe."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest

from pte_lint.harness.batch import BatchItem, run_batch
from pte_lint.harness.driver import run_probe
from pte_lint.harness.process import ProbeProcess

pytestmark = pytest.mark.runtime

NAMES = ["linear", "text_file", "add_default", "kernel_arg_wrong_kind", "cond", "operator_unknown"]


def test_results_come_in_order_and_equal_single_runs(files: Path) -> None:
    paths = [files / f"{name}.pte" for name in NAMES]
    results = list(run_batch(paths))
    assert [Path(result.path).stem for result in results] == NAMES
    for path, result in zip(paths, results, strict=True):
        single = run_probe(path, describe=False)
        assert result.program.error == single.program.error
        assert [m.runs[0].outputs for m in result.methods] == [
            m.runs[0].outputs for m in single.methods
        ]


def test_bytes_and_data_files(files: Path) -> None:
    items: list[BatchItem | bytes] = [
        (files / "linear.pte").read_bytes(),
        BatchItem(files / "external_constants.pte", (files / "external_constants.ptd",)),
        BatchItem((files / "external_constants.pte").read_bytes(), name="without"),
        b"",
    ]
    results = list(run_batch(items))
    assert [result.path for result in results][2] == "without"
    outcomes = [r.methods[0].runs[0].error if r.methods else r.program.error for r in results]
    assert outcomes == [None, None, "InvalidState", "InvalidArgument"]


def test_a_probe_that_dies_is_replaced(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[ProbeProcess] = []
    enter = ProbeProcess.__enter__

    def remember(self: ProbeProcess) -> ProbeProcess:
        started.append(self)
        return enter(self)

    monkeypatch.setattr(ProbeProcess, "__enter__", remember)
    paths = [files / "jump_loop_endless.pte"] + [files / "linear.pte"] * 8
    results = run_batch(paths, timeout=5.0)
    first = next(results)
    os.kill(started[-1].pid, signal.SIGKILL)
    rest = list(results)
    assert first.program.outcome == "ok"
    assert len(rest) == 8
    lost = [result for result in rest if result.program.outcome == "skipped"]
    # What was in the pipe when it died may still arrive; at most one program is lost.
    assert len(lost) <= 1
    assert len(started) == 2
    assert all(r.methods[0].runs[0].outcome == "ok" for r in rest if r not in lost)


def test_leaving_early_ends_the_probe(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    results = run_batch([files / "linear.pte"] * 6)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert list(tmp_path.iterdir()) == []


def test_mutants_always_end_cleanly(files: Path) -> None:
    """Random damage, seeded: every mutant has an outcome of a known kind, the probe survives."""
    chance = random.Random(20)
    originals = [(files / f"{name}.pte").read_bytes() for name in NAMES]
    mutants = []
    for number in range(150):
        data = bytearray(originals[number % len(originals)])
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
        mutants.append(bytes(data[: chance.randrange(8, len(data))] if number % 10 == 0 else data))
    results = list(run_batch(mutants, verification="fallback", timeout=10.0))
    assert len(results) == len(mutants)
    assert {result.program.outcome for result in results} <= {"ok", "error", "crash"}
    runs = [run for result in results for method in result.methods for run in method.runs]
    assert len(runs) > 50
    assert {run.outcome for run in runs} <= {"ok", "error", "crash", "undefined", "timeout"}
    for run in runs:
        assert (run.outcome == "error") == (run.error is not None)
