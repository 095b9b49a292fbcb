"""What a comparison with PyTorch says about findings and verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import isfinite

from pte_lint.claims.finding import Confirmation, Finding, Json
from pte_lint.claims.forecast import Outcome
from pte_lint.claims.result import ArtifactReport, Verdict
from pte_lint.data.context import Context
from pte_lint.harness.decide import CONFIRMED, REFUTED, UNSUPPORTED
from pte_lint.harness.process import scratch_folder
from pte_lint.harness.recorded_runs import Recorder
from pte_lint.harness.reference.comparing import (
    MethodComparison,
    Progress,
    WrongCall,
    compare_method,
)
from pte_lint.harness.reference.delegates import Delegates
from pte_lint.harness.reference.pytorch import PyTorch
from pte_lint.harness.runs import sizes_of
from pte_lint.text.printable import printable

KEY = "reference"
"""Where the comparison stands in the evidence of a verdict's confirmation."""

_GARBAGE = (Outcome.WRONG, Outcome.UNDEFINED)


def with_reference(
    report: ArtifactReport,
    context: Context,
    recorder: Recorder,
    torch: PyTorch,
    progress: Progress,
) -> ArtifactReport:
    """The report with every call of every method that runs compared with what PyTorch makes of it.

    Args:
        report: confirmed already.
        context: the same artifact, opened.
        recorder: runs it.
        torch: answers what PyTorch makes of a call.
        progress: is told what is being compared.

    Raises:
        HarnessUnavailable: the runtime, the compiler or PyTorch is missing.
    """
    compared: dict[str, MethodComparison] = {}
    with scratch_folder() as folder:
        delegates = Delegates(context, folder)
        for method in context.methods:
            name = printable(method.name)
            if name not in compared:  # the runtime finds the first of equal names
                told = partial(_tell, progress, name)
                named = {sizes_of(each) for each in report.findings if each.method == name} - {()}
                sizes = [dict(each) for each in sorted(named)]
                compared[name] = compare_method(
                    method, recorder, torch, delegates, told, named=sizes
                )
    findings = tuple(_finding(each, compared.get(each.method or "")) for each in report.findings)
    return replace(
        report,
        findings=findings,
        verdict=tuple(
            _verdict(each, compared.get(each.method or ""), findings, torch.version)
            for each in report.verdict
        ),
    )


def _tell(progress: Progress, method: str, told: str) -> None:
    progress(f"{method}: {told}")


def _finding(finding: Finding, compared: MethodComparison | None) -> Finding:
    """A finding of garbage at a call: shown by its difference, or by the lack of one."""
    at = finding.location.instruction
    if compared is None or at is None or finding.runtime is None:
        return finding
    if finding.runtime.outcome not in _GARBAGE:
        return finding
    wrong = next((each for each in compared.wrong if each.instruction == at), None)
    if wrong is not None:
        reason = f"with {wrong.inputs}, {wrong.reason}"
        return _changed(finding, CONFIRMED, reason, {KEY: _wrong_json(wrong)})
    if finding.runtime.outcome is Outcome.WRONG and at in compared.equal:
        reason = f"the call gives what PyTorch's operator gives for {_listed(compared)}"
        return _changed(finding, REFUTED, reason, {})
    return finding


def _changed(finding: Finding, status: str, reason: str, evidence: Mapping[str, Json]) -> Finding:
    before = finding.confirmation or Confirmation(UNSUPPORTED)
    told = {**before.evidence, **evidence, "reason": reason}
    return replace(finding, confirmation=replace(before, status=status, evidence=told))


def _verdict(
    verdict: Verdict,
    compared: MethodComparison | None,
    findings: tuple[Finding, ...],
    version: str | None,
) -> Verdict:
    if compared is None:
        return verdict
    own = [each for each in findings if each.method == verdict.method]
    before = verdict.confirmation or Confirmation(UNSUPPORTED)
    evidence: dict[str, Json] = {**before.evidence, KEY: _as_json(compared, version)}
    status, reason = before.status, str(before.evidence.get("reason", ""))
    if verdict.outcome is Outcome.OK and status != REFUTED:
        status, reason = _of_running(compared, own, status, reason)
    elif verdict.outcome in _GARBAGE:
        status, reason = _of_garbage(verdict, own, status, reason)
    evidence["reason"] = reason
    return replace(verdict, confirmation=replace(before, status=status, evidence=evidence))


def _of_running(
    compared: MethodComparison, findings: list[Finding], status: str, reason: str
) -> tuple[str, str]:
    """About the claim that a method runs and is right."""
    told = {each.location.instruction: each.rule for each in findings}
    untold = next((each for each in compared.wrong if each.instruction not in told), None)
    if untold is not None:
        return REFUTED, f"the run went through, but {_named(untold)} is wrong"
    if compared.wrong:
        first = compared.wrong[0]
        return UNSUPPORTED, f"{told[first.instruction]} tells of it: {_named(first)} is wrong"
    if compared.compared and status == CONFIRMED:
        return status, f"{reason}, and every call that was compared gives what PyTorch's does"
    return status, reason


def _of_garbage(
    verdict: Verdict, findings: list[Finding], status: str, reason: str
) -> tuple[str, str]:
    """About the claim that results are wrong: what became of the findings that say so."""
    leading = [
        each.confirmation
        for each in findings
        if each.runtime is not None
        and each.runtime.outcome is verdict.outcome
        and each.rule == verdict.rule
        and each.confirmation is not None
    ]
    for each in leading:
        if each.status == CONFIRMED:
            return CONFIRMED, str(each.evidence.get("reason", ""))
    if leading and all(each.status == REFUTED for each in leading):
        return REFUTED, str(leading[0].evidence.get("reason", ""))
    return status, reason


def _named(wrong: WrongCall) -> str:
    return f"instruction {wrong.instruction} ({wrong.operator})"


def _listed(compared: MethodComparison) -> str:
    return ", ".join(compared.inputs)


def _as_json(compared: MethodComparison, version: str | None) -> dict[str, Json]:
    return {
        "torch": version,
        "inputs": list(compared.inputs),
        "failed": dict(compared.failed),
        "calls_compared": compared.compared,
        "wrong_calls": [_wrong_json(each) for each in compared.wrong],
        "not_compared": dict(compared.not_compared),
    }


def _wrong_json(wrong: WrongCall) -> dict[str, Json]:
    """A call that differs, without the numbers that JSON lacks."""
    return {
        "instruction": wrong.instruction,
        "operator": wrong.operator,
        "inputs": wrong.inputs,
        "output": wrong.output,
        "reason": wrong.reason,
        **{
            key: str(value) if isinstance(value, float) and not isfinite(value) else value
            for key, value in wrong.facts.items()
        },
    }
