"""What a run leaves to show, as plain values for reports."""

from __future__ import annotations

from pte_lint.claims.finding import Json
from pte_lint.harness.outcome import MethodRun, Step
from pte_lint.text.printable import printable

_MAX_LOGS = 12
_MAX_LOG = 1000
_MAX_CONSOLE = 400


def runtime_facts(step: Step, run: MethodRun | None) -> dict[str, Json]:
    """How the run ended: stage, outcome, the runtime's error, or signal and faulting address."""
    facts: dict[str, Json] = {
        "stage": step.stage,
        "outcome": step.outcome,
        "error": step.error,
        "signal": step.signal,
    }
    if step.fault is not None and step.fault.address is not None:
        facts["address"] = f"{step.fault.address:#x}"
        facts["address_in"] = step.fault.address_in
        facts["address_offset"] = step.fault.offset
    if run is not None:
        facts["input"] = run.input
        facts["instruction"] = run.instruction.index if run.instruction is not None else None
    return facts


def run_evidence(step: Step, run: MethodRun | None) -> dict[str, Json]:
    """The runtime's own log lines, what was copied, and which delegates were stand-ins."""
    evidence: dict[str, Json] = {"seen": runtime_facts(step, run)}
    logs = [printable(line[:_MAX_LOG]) for line in step.logs[:_MAX_LOGS]]
    if logs:
        evidence["logs"] = logs
    if step.console:
        evidence["console"] = printable(step.console[:_MAX_CONSOLE])
    if run is not None:
        evidence["bytes_copied"] = {
            "host_to_device": run.copied.h2d_bytes,
            "device_to_host": run.copied.d2h_bytes,
        }
        if run.standins:
            evidence["stand_ins"] = sorted(printable(name) for name in run.standins)
        if run.remarks:
            evidence["remarks"] = [printable(each[:_MAX_LOG]) for each in run.remarks]
    return evidence
