"""What cases say about a report: whether the verdict that a method runs is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pte_lint.claims.finding import Confirmation, Finding, Json, Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.claims.result import ArtifactReport, Verdict
from pte_lint.data.context import Context
from pte_lint.harness.decide import CONFIRMED, REFUTED
from pte_lint.harness.elements import Tolerance
from pte_lint.harness.expected.cases import Case
from pte_lint.harness.expected.running import DIFFERS, EQUAL, FAILED, CaseResult, run_case
from pte_lint.harness.recorded_runs import Recorder
from pte_lint.text.printable import printable

_Part = tuple[str, str]
"""A part of a bundle's case by its path, and the error that tools which run cases give for it."""

KEY = "expected"
"""Where results stand in the evidence of a verdict's confirmation."""


def with_cases(
    report: ArtifactReport,
    context: Context,
    cases: Sequence[Case],
    recorder: Recorder | None,
    tolerance: Tolerance | None = None,
) -> ArtifactReport:
    """The report with what became of the cases, each in its method's verdict.

    Args:
        report: confirmed already.
        context: the same artifact, opened.
        cases: what to give and what to expect.
        recorder: runs it; None where nothing can.
        tolerance: instead of those by element type.

    Raises:
        HarnessUnavailable: the runtime or the compiler is missing.
    """
    methods = {printable(m.name): m for m in reversed(context.methods)}
    first = printable(context.methods[0].name) if context.methods else None
    results: list[CaseResult] = []
    for case in cases:
        name = case.method if case.method is not None else first
        method = methods.get(name) if name is not None else None
        if method is not None and recorder is not None:
            results.append(replace(run_case(case, method, recorder, tolerance), method=name))
        else:
            told = f"there is no method {name}" if name else "no method can be run"
            results.append(CaseResult(case.name, name, FAILED, told))
    shown = dict(_places(cases, results))
    return replace(
        report,
        findings=tuple(_shown(finding, shown) for finding in report.findings),
        verdict=tuple(
            _marked(verdict, [r for r in results if _belongs(r, verdict, report)])
            for verdict in report.verdict
        ),
    )


def _places(cases: Sequence[Case], results: Sequence[CaseResult]) -> Iterator[tuple[_Part, str]]:
    """What of a bundle's cases does not fit, as runs show: an input, an output's type or sizes."""
    for case, result in zip(cases, results, strict=True):
        if not case.path or result.status != FAILED:
            continue
        if result.input in case.inputs:
            where = f"{case.path}.inputs[{result.input}]", "NotSupported"
            yield where, f"{case.name}: {result.reason}"
        if result.output is not None and result.is_unlike:
            where = f"{case.path}.expected_outputs[{result.output}]", "NotFound"
            yield where, f"{case.name}: {result.reason}"


def _shown(finding: Finding, shown: Mapping[_Part, str]) -> Finding:
    """An error about a part of a case, confirmed where its run ended at that part."""
    part = finding.location.path, str(finding.evidence.get("result"))
    reason, before = shown.get(part), finding.confirmation
    if reason is None or finding.severity is not Severity.ERROR or before is None:
        return finding
    evidence = {**before.evidence, "reason": reason}
    return replace(finding, confirmation=replace(before, status=CONFIRMED, evidence=evidence))


def _belongs(result: CaseResult, verdict: Verdict, report: ArtifactReport) -> bool:
    """Cases of methods that have no verdict of their own go to the first."""
    own = {each.method for each in report.verdict}
    return result.method == verdict.method or (
        result.method not in own and verdict is report.verdict[0]
    )


def _marked(verdict: Verdict, results: Sequence[CaseResult]) -> Verdict:
    if not results:
        return verdict
    before = verdict.confirmation or Confirmation("unsupported")
    evidence: dict[str, Json] = {**before.evidence, KEY: [_as_json(each) for each in results]}
    status = before.status
    off = next((each for each in results if each.status == DIFFERS), None)
    if off is not None and verdict.outcome is Outcome.OK:
        status = REFUTED
    elif off is not None and verdict.outcome in (Outcome.WRONG, Outcome.UNDEFINED):
        status = CONFIRMED
    if off is not None and status != before.status:
        evidence["reason"] = f"the outputs are not those expected of {off.case}"
    return replace(verdict, confirmation=replace(before, status=status, evidence=evidence))


def _as_json(result: CaseResult) -> dict[str, Json]:
    told: dict[str, Json] = {
        "case": result.case,
        "status": result.status,
        "reason": result.reason,
        "outputs_compared": result.compared,
    }
    if result.output is not None:
        told["output"] = result.output
    if result.apart is not None:
        apart = result.apart
        told |= {
            "element": list(apart.element),
            "got": _number(apart.got),
            "expected": _number(apart.want),
            "max_absolute": _number(apart.absolute),
            "max_relative": _number(apart.relative),
            "elements_different": apart.different,
            "elements": apart.elements,
        }
    return told


def _number(value: float) -> Json:
    """A number of JSON, which has no infinity and no NaN."""
    return value if isinstance(value, int) or abs(value) < float("inf") else str(value)


def is_met(report: ArtifactReport) -> bool:
    """Whether every case could be run and gave what it should."""
    for verdict in report.verdict:
        told = verdict.confirmation.evidence.get(KEY) if verdict.confirmation else None
        for each in told if isinstance(told, list) else ():
            if isinstance(each, dict) and each.get("status") != EQUAL:
                return False
    return True
