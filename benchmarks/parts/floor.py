"""The runtime itself, in C++: what loading a program costs that nobody explains anything about."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import check_command, run
from benchmarks.parts import Row
from pte_lint.harness.driver import run_probe
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.outcome import ProbeRun

_NO_INPUT = 1 << 20
"""Inputs from this one on are set: none, so that execution is refused and costs nothing."""


def floor(files: dict[str, Path], repeat: int) -> Iterator[Row]:
    """A whole check beside `Program::load` with full verification, and `load_method` after it."""
    options = ProbeOptions(describe=False, first_input=_NO_INPUT, timeout=120)
    for name, path in files.items():
        try:
            runs = [run_probe(path, options=options) for _ in range(repeat)]
        except HarnessUnavailable as exc:
            yield {"what": name, "skipped": exc.reason}
            return
        check = run(check_command(str(path)), repeat)
        load = statistics.median(r.program.seconds for r in runs)
        both = statistics.median(_method_seconds(r) for r in runs)
        yield {
            "what": name,
            "check_wall": check.wall,
            "load_program": load,
            "load_method": both,
            "ratio": check.wall / both,
            "stage": _stage(runs[0]),
        }


def _method_seconds(run: ProbeRun) -> float:
    """Wall clock of the child that loads the program and its first method."""
    return run.methods[0].runs[0].seconds if run.methods else run.program.seconds


def _stage(run: ProbeRun) -> str:
    """How far the first method got: past `load_method` when it stands at a later stage."""
    return run.methods[0].runs[0].stage if run.methods else run.program.stage
