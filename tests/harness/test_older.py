"""Older runtimes replayed on the installed one."""

from __future__ import annotations

from pathlib import Path

import pytest

from pte_lint.harness.driver import run_probe

pytestmark = pytest.mark.runtime

CASES = [
    # Device-tagged planned inputs: the crash of executorch#21580 in 1.4.
    ("add_skip_both_planned_768", "1.2", "execute", "ok", None),
    ("add_skip_both_planned_768", "1.3", "execute", "ok", None),
    ("add_skip_both_planned_768", "1.4", "set_input", "crash", "SIGSEGV"),
    ("add_skip_both_planned_768", None, "set_input", "error", "NotSupported"),
    # Copy kernels exist from 1.4 on.
    ("add_default", "1.2", "load_method", "error", "OperatorMissing"),
    ("add_default", "1.3", "load_method", "error", "OperatorMissing"),
    ("add_default", "1.4", "execute", "ok", None),
    # Device memory that cannot be had: host memory that cannot be had before 1.4, then a check,
    # then an error.
    ("buffers_device_huge", "1.3", "load_method", "crash", "SIGABRT"),
    ("buffers_device_huge", "1.4", "load_method", "crash", "SIGABRT"),
    ("buffers_device_huge", None, "load_method", "error", "MemoryAllocationFailed"),
    # Nothing of it about devices: the same everywhere.
    ("linear", "1.2", "execute", "ok", None),
    ("mlp_xnnpack", "1.3", "execute", "ok", None),
    ("operator_unknown", "1.4", "load_method", "error", "OperatorMissing"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def test_replay(files: Path, case: tuple[str, str | None, str, str, str | None]) -> None:
    name, version, *expected = case
    report = run_probe(files / f"{name}.pte", as_runtime=version, describe=False)
    assert report.as_runtime == (version or ".".join(report.runtime_version.split(".")[:2]))
    run = report.methods[0].runs[0]
    assert (run.stage, run.outcome, run.error or run.signal) == tuple(expected)


def test_the_replayed_crash_is_on_the_device(files: Path) -> None:
    path = files / "add_skip_both_planned_768.pte"
    fault = run_probe(path, as_runtime="1.4", describe=False).methods[0].runs[0].fault
    assert fault is not None
    assert fault.address_in == "cuda:0"


def test_replayed_results_are_the_same_where_nothing_differs(files: Path) -> None:
    path = files / "linear.pte"
    plain = run_probe(path, variants=["rising"], describe=False).methods[0].runs[0]
    for version in ("1.2", "1.3", "1.4"):
        run = run_probe(path, variants=["rising"], as_runtime=version, describe=False)
        assert run.methods[0].runs[0].outputs == plain.outputs
