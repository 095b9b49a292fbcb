"""The harness against records of what the real runtime did, made by another probe.

Runs where PTE_LINT_CORPUS names a folder of folders with programs and a `truth.json` each.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pte_lint.harness.batch import BatchItem, run_batch
from pte_lint.harness.build import Probe
from pte_lint.harness.driver import run_probe
from pte_lint.harness.outcome import MethodRun, ProbeRun, ProgramLoad

pytestmark = pytest.mark.runtime

VARIANTS = ["default", "host_inputs", "device_inputs", "outputs_not_given", "rising"]
#: Words of the records for what we call otherwise.
STAGES = {"set_inputs": "set_input", "get_outputs": "get_output", "method_meta": "load_method"}
NAMES = {"ramp_inputs": "rising"}
#: With minimal verification, reads a name past the end of its own bytes, right where the heap goes
#: on: two probes rightly see two things.
READS_PAST_ITS_END = {"truncated_plain_1576.pte"}
#: These jump through a function pointer that nothing has set: a crash, but at any address.
JUMPS_ANYWHERE = {"op_index_huge.pte", "operator_name_too_long.pte"}


def folders() -> Iterator[Path]:
    named = os.environ.get("PTE_LINT_CORPUS")
    if named:
        yield from sorted(path.parent for path in Path(named).glob("*/truth.json"))


def recorded(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """Stage, outcome, error, signal of a record."""
    stage = STAGES.get(record["stage"], record["stage"])
    if record["timed_out"]:
        return stage, "timeout", None, None
    if record["signal"]:
        return stage, "crash", None, record["signal"]
    if record["error"]["code"]:
        return stage, "error", record["error"]["name"], None
    return "execute", "ok", None, None


def seen(step: MethodRun | ProgramLoad) -> tuple[Any, ...]:
    stage = step.stage if step.outcome not in {"ok", "undefined"} else "execute"
    outcome = "ok" if step.outcome == "undefined" else step.outcome
    return stage, outcome, step.error, step.signal


def wrong_memory(record: Mapping[str, Any]) -> bool:
    """Whether a delegate of a record got a pointer to the wrong memory."""
    calls = record.get("delegate_calls", [])
    return any("pointer" in arg.get("problem", "") for call in calls for arg in call["args"])


def run_differences(file: str, record: Mapping[str, Any], run: MethodRun | None) -> Iterator[str]:
    if run is None:
        yield "was not run"
        return
    if recorded(record) != seen(run):
        yield f"recorded {recorded(record)}, seen {seen(run)} {run.logs[-2:]}"
        return
    judged = run.outcome in {"ok", "undefined"} and "delegate_calls" in record
    if judged and wrong_memory(record) != (run.outcome == "undefined"):
        yield f"recorded wrong memory: {wrong_memory(record)}, seen {run.remarks}"
    if "fault" in record and file not in JUMPS_ANYWHERE:
        place = record["fault"]["address_in"].replace("-", "")
        if run.fault is None or (run.fault.address_in or "") != place:
            yield f"recorded fault in {place!r}, seen {run.fault}"
    if run.variant != "rising" and not record.get("stubs"):
        digests = [output.get("fnv64") for output in record.get("results", [])]
        if run.outcome == "ok" and digests != [output.digest for output in run.outputs]:
            yield f"recorded outputs {digests}, seen {run.outputs}"


def summary(step: MethodRun | ProgramLoad) -> str:
    """How it ended, in the words of `outcome`."""
    stage, outcome, error, signal = seen(step)
    if outcome == "error":
        return f"{stage}_error:{error}"
    return f"signal:{signal}@{stage}" if outcome == "crash" else str(outcome)


def differences_in_short(outcome: Mapping[str, Any], full: ProbeRun) -> Iterator[str]:
    """The same for records that tell how each method ended, and nothing else of the run.

    What corrupts the heap ends now in one way and now in another.
    """
    if not outcome["methods"]:
        # Of a bundle they tell what became of the program inside.
        if outcome["overall"] not in {"ok", summary(full.program)}:
            yield f"recorded {outcome['overall']}, seen {summary(full.program)}"
        return
    runs = {report.name: report.run("default") for report in full.methods}
    for method, said in outcome["methods"].items():
        expected = "ok" if said.startswith("silent_wrong") else said
        run = runs.get(method)
        if not expected.startswith("timeout") and (run is None or summary(run) != expected):
            yield f"{method}: recorded {said}, seen {run and summary(run)}"


def differences(record: Mapping[str, Any], full: ProbeRun, minimal: ProbeRun) -> Iterator[str]:
    if "runtime" not in record:
        yield from differences_in_short(record["outcome"], full)
        return
    file, truth = record["file"], record["runtime"]
    for name, load in (("program", full.program), ("program_minimal", minimal.program)):
        if recorded(truth[name]) != seen(load):
            yield f"{name}: recorded {recorded(truth[name])}, seen {seen(load)}"
    if len(truth["methods"]) != len(full.methods):
        yield f"recorded {len(truth['methods'])} methods, seen {len(full.methods)}"
    for method, report in zip(truth["methods"], full.methods, strict=False):
        for run in method["runs"]:
            variant = NAMES.get(run["variant"], run["variant"])
            for text in run_differences(file, run, report.run(variant)):
                yield f"{report.name} {variant}: {text}"
    if file in READS_PAST_ITS_END:
        return
    for method, report in zip(truth.get("methods_minimal", []), minimal.methods, strict=False):
        for text in run_differences(file, method["run"], report.run("default")):
            yield f"{report.name} with minimal verification: {text}"


@pytest.mark.parametrize("folder", list(folders()), ids=lambda folder: folder.name)
def test_agreement(probe: Probe, folder: Path) -> None:
    records = json.loads((folder / "truth.json").read_text())
    items = [
        BatchItem(
            folder / record["file"],
            tuple(folder / d["file"] for d in record.get("data_files") or [] if d["given"]),
        )
        for record in records
    ]
    full = run_batch(items, variants=VARIANTS)
    # What minimal verification lets through may read past its end into the heap, which is another
    # one in a probe that has run other programs before: a new probe for each.
    minimal = [
        run_probe(item.program, data=item.data, verification="minimal", describe=False)
        for item in items
        if not isinstance(item.program, bytes)
    ]
    found = [
        f"{record['file']}: {text}"
        for record, one, other in zip(records, full, minimal, strict=True)
        for text in differences(record, one, other)
    ]
    assert found == []
