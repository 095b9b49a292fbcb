"""What runs show about verdicts.

A verdict says how a run ends: it is confirmed where a run ends so. A failure that it missed, or
harm that shows in a run that it calls good, refutes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pte_lint.claims.finding import Confirmation, Finding, Severity
from pte_lint.claims.forecast import Outcome, Prediction, Verification
from pte_lint.claims.result import ArtifactReport, Verdict
from pte_lint.data.context import Context
from pte_lint.harness.claiming import Claims
from pte_lint.harness.decide import (
    CONFIRMED,
    CONSISTENT,
    DAMAGED,
    REFUTED,
    UNSUPPORTED,
    Claim,
    Decision,
    Rivals,
    decide,
)
from pte_lint.harness.evidence import run_evidence, runtime_facts
from pte_lint.harness.expectation import Expectation, Observation, Spot, observe
from pte_lint.harness.memory_signs import BASELINE, decided_by_memory
from pte_lint.harness.outcome import MethodRun, ProbeRun, Step
from pte_lint.harness.running import by_variant, stood_in_for_verdict


def confirm_verdict(
    verdict: Verdict,
    report: ArtifactReport,
    context: Context,
    claims: Claims,
    probe: Callable[[str, bool], ProbeRun],
) -> Verdict:
    """Returns the verdict with a confirmation.

    Args:
        verdict: one of the report's.
        report: what was found.
        context: the artifact.
        claims: the report's claims.
        probe: runs the program, for a runtime and at a level of verification.
    """
    if verdict.outcome is Outcome.UNJUDGED:
        # One that was not judged says nothing that a run could show.
        nothing = Confirmation(UNSUPPORTED, evidence={"reason": "it was not judged"})
        return replace(verdict, confirmation=nothing)
    target = context.target
    full = target.verification is not Verification.MINIMAL
    ran = probe(target.runtime, full)
    claim = _claim(verdict, claims.about(verdict.method, target.runtime, full))
    step: Step = ran.program
    run: MethodRun | None = None
    if verdict.method is None:
        seen = observe(step)
        if verdict.outcome is Outcome.OK:
            decision = _went_through(seen.failed, seen)
        else:
            decision = _ended(claim, seen)
    else:
        runs = by_variant(ran, verdict.method)
        method, run = claims.method(verdict.method), runs.get("default")
        step = run or step
        if method is None or run is None:
            seen = observe(step)
            decision = Decision(REFUTED if seen.failed else UNSUPPORTED, f"it was not run: {seen}")
        elif verdict.outcome is Outcome.OK:
            seen = observe(run, method)
            bad = seen.failed or seen.outcome == "undefined"
            lacking = announced(report, verdict.method, seen)
            decision = (
                _went_through(bad, seen) if lacking is None else Decision(UNSUPPORTED, lacking)
            )
        else:
            if claim.expected.spot.run > 1 and run.outcome in ("ok", "undefined"):
                run = runs.get(BASELINE, run)
            seen = observe(run, method)
            decision = _ended(claim, seen, decided_by_memory(runs, method))
            lacking = announced(report, verdict.method, seen)
            if decision.status == REFUTED and lacking is not None:
                decision = Decision(UNSUPPORTED, lacking)
            replaced = stood_in_for_verdict(verdict, run)
            if decision.status == REFUTED and replaced is not None:
                decision = Decision(UNSUPPORTED, replaced)
    evidence = run_evidence(step, run) | {"reason": decision.reason}
    confirmation = Confirmation(decision.status, runtime_facts(step, run), evidence)
    return replace(verdict, confirmation=confirmation)


def _ended(claim: Claim, seen: Observation, by_memory: str | None = None) -> Decision:
    """How a run ended is all that a verdict is about: no sign is asked for."""
    decision = decide(claim, seen, Rivals([claim]), (), by_memory)
    if decision.status != CONSISTENT:
        if seen.outcome == "undefined" and claim.expected.prediction.outcome is Outcome.UNDEFINED:
            return Decision(CONFIRMED, "data was handed over in the wrong memory")
        return decision
    reason = by_memory if by_memory is not None and not seen.failed else f"the run: {seen}"
    return Decision(CONFIRMED, reason)


def _claim(verdict: Verdict, claims: list[Claim]) -> Claim:
    """The verdict as a claim; the finding that decides it tells in which run it shows."""
    said = Prediction(verdict.stage, verdict.outcome, verdict.error, verdict.signal)
    leading = min(
        (c for c in claims if replace(c.expected.prediction, run=1) == said),
        key=lambda c: (c.expected.spot.run, c.key),
        default=None,
    )
    run = leading.expected.spot.run if leading is not None else 1
    nothing = Finding(message="", remediation="")
    return Claim(nothing, Expectation(Spot(verdict.stage, None, run), said))


def announced(report: ArtifactReport, method: str | None, seen: Observation) -> str | None:
    """Which warning announces how a run ended: that hangs on what the harness or machine gives."""
    undefined = seen.outcome == "undefined"
    if seen.damaged or (not seen.failed and not undefined):
        return None
    for finding in report.findings:
        if (
            finding.severity is Severity.WARNING
            and finding.runtime is not None
            and not finding.is_unjudged
            and finding.method in (None, method)
            and (
                seen.matches(finding.runtime)
                or (undefined and finding.runtime.outcome is Outcome.UNDEFINED)
            )
        ):
            return f"{finding.rule} warns of it: {seen}"
    return None


def _went_through(bad: bool, seen: Observation) -> Decision:
    """About the claim that a run goes through. What was not run shows nothing."""
    if seen.damaged or seen.outcome == "skipped":
        return Decision(UNSUPPORTED, DAMAGED if seen.damaged else "it was not run")
    if seen.outcome == "timeout":
        return Decision(UNSUPPORTED, f"the run was stopped at its time limit in {seen.spot}")
    if not bad:
        return Decision(CONFIRMED, "the run went through")
    if seen.error == "OperatorMissing":
        return Decision(UNSUPPORTED, "the installed runtime lacks an operator of this method")
    return Decision(REFUTED, f"the run ended with {seen}")
