"""Runs an artifact on the real runtime and marks each finding and verdict with what was seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pte_lint.claims.finding import Confirmation, Finding, Severity
from pte_lint.claims.forecast import NEWEST, Outcome, Prediction, Stage, Verification
from pte_lint.claims.result import ArtifactReport, Verdict
from pte_lint.data.context import Context
from pte_lint.harness.decide import (
    CONFIRMED,
    DAMAGED,
    NOT_REACHED,
    REFUTED,
    UNSUPPORTED,
    Claim,
    Decision,
    Signs,
    decide,
)
from pte_lint.harness.driver import run_probe
from pte_lint.harness.evidence import run_evidence, runtime_facts
from pte_lint.harness.expectation import Expectation, Observation, Spot, expect, observe
from pte_lint.harness.fence import fence_notes
from pte_lint.harness.options import AsRuntime, ProbeOptions
from pte_lint.harness.outcome import MethodRun, ProbeRun, Step
from pte_lint.harness.outcome import Verification as Level
from pte_lint.harness.running import (
    by_variant,
    cannot_run,
    delegate_outputs,
    runnable,
    stood_in,
    stood_in_for_verdict,
)
from pte_lint.harness.signs import BASELINE, POISONED, find_signs
from pte_lint.harness.wheel import find_wheel
from pte_lint.text.printable import printable

_REPLAYED: dict[str, AsRuntime] = {"1.4": "1.4", "1.3": "1.3", "1.2": "1.2"}


_Sizes = tuple[tuple[int, tuple[int, ...]], ...]
"""Sizes by position of the input."""


@dataclass(frozen=True, slots=True)
class ConfirmOptions:
    """How to run what is to be confirmed; `probe.unfenced` says whether without a fence too."""

    probe: ProbeOptions = field(default_factory=ProbeOptions)
    replay: bool = True
    """Also show what older runtimes do where a finding says that they do something else."""


def confirm(
    report: ArtifactReport,
    context: Context,
    data: Sequence[Path] = (),
    options: ConfirmOptions | None = None,
) -> ArtifactReport:
    """Returns the report with a confirmation on every finding and verdict.

    Args:
        report: what `check` said about the artifact.
        context: the same artifact, opened.
        data: .ptd files that the program is loaded with.
        options: how to run it.

    Raises:
        HarnessUnavailable: the runtime, the compiler or the device asked for is missing, or the
            fence cannot be raised and `options` do not allow to do without.
    """
    return confirm_with_notes(report, context, data, options)[0]


def confirm_with_notes(
    report: ArtifactReport,
    context: Context,
    data: Sequence[Path] = (),
    options: ConfirmOptions | None = None,
) -> tuple[ArtifactReport, tuple[str, ...]]:
    """As `confirm`, and what there is to say about how the programs were held."""
    confirmer = _Confirmer(report, context, data, options or ConfirmOptions())
    return confirmer.confirmed(), confirmer.notes()


class _Confirmer:
    """One artifact's confirmation; runs are made once and shared by all findings."""

    def __init__(
        self,
        report: ArtifactReport,
        context: Context,
        data: Sequence[Path],
        options: ConfirmOptions,
    ) -> None:
        self._report, self._context, self._data = report, context, data
        self._options = options
        self._methods = {printable(m.name): m for m in reversed(context.methods)}
        self._runs: dict[tuple[str, str, int, _Sizes], ProbeRun] = {}

    def confirmed(self) -> ArtifactReport:
        report = self._report
        reason = cannot_run(self._context)
        if reason is not None:
            nothing = Confirmation(UNSUPPORTED, evidence={"reason": reason})
            return replace(
                report,
                findings=tuple(replace(f, confirmation=nothing) for f in report.findings),
                verdict=tuple(replace(v, confirmation=nothing) for v in report.verdict),
            )
        with runnable(self._context) as path:
            self._path = path
            return replace(
                report,
                findings=tuple(self._finding(f) for f in report.findings),
                verdict=tuple(self._verdict(v) for v in report.verdict),
            )

    def notes(self) -> tuple[str, ...]:
        """What stood for the runtime, and about the fence, once for all runs."""
        told = [
            note
            for run in self._runs.values()
            for note in fence_notes(run.fence, allowed=self._options.probe.unfenced)
        ]
        runtime = self._context.target.runtime
        if self._runs and runtime != NEWEST:
            installed = find_wheel().version
            told.append(
                f"executorch {runtime} was replayed on {installed}: how it loads methods and takes "
                f"inputs; container checks, kernels and delegates are those of {installed}"
            )
        return tuple(dict.fromkeys(told))

    # -- findings --------------------------------------------------------------------------------

    def _finding(self, finding: Finding) -> Finding:
        is_claim = finding.severity is Severity.ERROR or bool(_sizes(finding))
        if finding.runtime is None or finding.is_unjudged or not is_claim:
            reason = "running shows nothing about it: it is no failure of the runtime"
            return replace(
                finding, confirmation=Confirmation(UNSUPPORTED, evidence={"reason": reason})
            )
        target = self._context.target
        runtime = target.runtime
        full = target.verification is not Verification.MINIMAL
        decision, step, run = self._decide(finding, finding.runtime, runtime, full)
        evidence = run_evidence(step, run)
        if finding.runtime_minimal is not None and full:
            minimal = self._minimal(finding, finding.runtime_minimal, runtime)
            evidence["minimal_verification"] = minimal
            if minimal["status"] == REFUTED:
                decision = Decision(REFUTED, f"minimal verification: {minimal['reason']}")
        older = dict(self._older(finding, runtime)) if self._options.replay else {}
        if older:
            evidence["older_runtimes"] = older
        evidence["reason"] = decision.reason
        confirmation = Confirmation(decision.status, runtime_facts(step, run), evidence)
        return replace(finding, confirmation=confirmation)

    def _minimal(self, finding: Finding, prediction: Prediction, runtime: str) -> dict[str, object]:
        if prediction.outcome is Outcome.OK:
            # The finding does not trouble this level; others may still end the run.
            return {"status": UNSUPPORTED, "reason": "nothing is predicted at this level"}
        decision, step, run = self._decide(finding, prediction, runtime, full=False)
        return {"status": decision.status, "reason": decision.reason, **run_evidence(step, run)}

    def _older(self, finding: Finding, runtime: str) -> Iterator[tuple[str, dict[str, object]]]:
        """What the versions do that the finding predicts something else of, newest first."""
        assert finding.forecast is not None
        full = self._context.target.verification is not Verification.MINIMAL
        for version in _REPLAYED:
            prediction = finding.forecast.at(version, self._context.target.verification)
            if version == runtime or prediction is None or prediction == finding.runtime:
                continue
            if prediction.stage in (Stage.LOAD_PROGRAM, Stage.LOAD_METHOD):
                continue  # loading is not replayed
            decision, step, run = self._decide(finding, prediction, version, full)
            yield (
                version,
                {
                    "predicted": str(prediction),
                    "status": decision.status,
                    "reason": decision.reason,
                    **run_evidence(step, run),
                },
            )

    def _decide(
        self, finding: Finding, prediction: Prediction, runtime: str, full: bool
    ) -> tuple[Decision, Step, MethodRun | None]:
        method = self._methods.get(finding.method) if finding.method is not None else None
        claim = Claim(finding, expect(finding, prediction, method))
        first = 0
        if prediction.stage is Stage.SET_INPUT:
            # Inputs are set one after the other: begin with the one in question.
            first = claim.expected.spot.within or 0
        probe = self._probe(runtime, full, first, _sizes(finding))
        if prediction.stage is Stage.LOAD_PROGRAM or not probe.methods:
            seen = observe(probe.program)
            claims = self._claims(None, runtime, full)
            return decide(claim, seen, claims, Signs({})), probe.program, None
        name = finding.method if finding.method is not None else _first_name(self._context)
        return self._decide_in_method(claim, name, probe, runtime, full)

    def _decide_in_method(
        self, claim: Claim, name: str | None, probe: ProbeRun, runtime: str, full: bool
    ) -> tuple[Decision, Step, MethodRun | None]:
        method = self._methods.get(name) if name is not None else None
        runs = by_variant(probe, name)
        run = runs.get("default")
        if claim.expected.spot.run > 1 and run is not None and run.outcome in ("ok", "undefined"):
            run = runs.get(BASELINE)  # the first of two runs goes through: look at the second
        if method is None or run is None:
            reason = "the method cannot be asked for by its name"
            return Decision(UNSUPPORTED, reason), probe.program, None
        signs = find_signs(runs, method)
        claims = self._claims(name, runtime, full)
        decision = decide(claim, observe(run, method), claims, signs)
        replaced = stood_in(claim, run, method)
        if decision.status == REFUTED and replaced is not None:
            decision = Decision(UNSUPPORTED, replaced)
        return decision, run, run

    def _claims(self, method: str | None, runtime: str, full: bool) -> list[Claim]:
        level = Verification.FULL if full else Verification.MINIMAL
        claims = []
        for finding in self._report.findings:
            if finding.severity is not Severity.ERROR or finding.forecast is None:
                continue
            if finding.is_unjudged:
                continue
            prediction = finding.forecast.at(runtime, level)
            if prediction is None or finding.method not in (None, method):
                continue
            where = self._methods.get(finding.method) if finding.method is not None else None
            claims.append(Claim(finding, expect(finding, prediction, where)))
        return claims

    def _needs_two_runs(self) -> bool:
        return any(
            expect(f, f.runtime, self._methods.get(f.method)).spot.run > 1
            for f in self._report.findings
            if f.runtime is not None and f.method is not None and not f.is_unjudged
        )

    # -- verdicts --------------------------------------------------------------------------------

    def _verdict(self, verdict: Verdict) -> Verdict:
        """A verdict is confirmed when the run ended as it says; a failure it missed refutes it.

        One that was not judged says nothing that a run could show.
        """
        if verdict.outcome is Outcome.UNJUDGED:
            nothing = Confirmation(UNSUPPORTED, evidence={"reason": "it was not judged"})
            return replace(verdict, confirmation=nothing)
        target = self._context.target
        full = target.verification is not Verification.MINIMAL
        probe = self._probe(target.runtime, full, 0)
        claim = self._verdict_claim(verdict, full)
        step: Step = probe.program
        run: MethodRun | None = None
        if verdict.method is None:
            seen = observe(step)
            if verdict.outcome is Outcome.OK:
                decision = _ran(seen.failed, seen)
            else:
                decision = decide(claim, seen, [claim], Signs({}))
        else:
            runs = by_variant(probe, verdict.method)
            method, run = self._methods.get(verdict.method), runs.get("default")
            step = run or step
            if method is None or run is None:
                seen = observe(step)
                decision = Decision(
                    REFUTED if seen.failed else UNSUPPORTED, f"it was not run: {seen}"
                )
            elif verdict.outcome is Outcome.OK:
                seen = observe(run, method)
                bad = seen.failed or seen.outcome == "undefined"
                decision = self._condition(verdict, seen) or _ran(bad, seen)
            else:
                if claim.expected.spot.run > 1:
                    run = runs.get(BASELINE, run)
                decision = decide(claim, observe(run, method), [claim], find_signs(runs, method))
                replaced = stood_in_for_verdict(verdict, run)
                if decision.status == REFUTED and replaced is not None:
                    decision = Decision(UNSUPPORTED, replaced)
        evidence = run_evidence(step, run) | {"reason": decision.reason}
        confirmation = Confirmation(decision.status, runtime_facts(step, run), evidence)
        return replace(verdict, confirmation=confirmation)

    def _verdict_claim(self, verdict: Verdict, full: bool) -> Claim:
        """The verdict as a claim; the finding that decides it tells in which run it shows."""
        said = Prediction(verdict.stage, verdict.outcome, verdict.error, verdict.signal)
        claims = self._claims(verdict.method, self._context.target.runtime, full)
        leading = min(
            (c for c in claims if c.expected.prediction == said),
            key=lambda c: c.key,
            default=None,
        )
        run = leading.expected.spot.run if leading is not None else 1
        return Claim(
            Finding(message="", remediation=""), Expectation(Spot(verdict.stage, None, run), said)
        )

    def _condition(self, verdict: Verdict, seen: Observation) -> Decision | None:
        """A failure that a warning announces: it hangs on what the harness or the machine gives."""
        undefined = seen.outcome == "undefined"
        if seen.damaged or (not seen.failed and not undefined):
            return None
        for finding in self._report.findings:
            if (
                finding.severity is Severity.WARNING
                and finding.runtime is not None
                and not finding.is_unjudged
                and finding.method in (None, verdict.method)
                and (
                    seen.matches(finding.runtime)
                    or (undefined and finding.runtime.outcome is Outcome.UNDEFINED)
                )
            ):
                reason = f"{finding.rule} warns of it: {seen}"
                return Decision(UNSUPPORTED, reason)
        return None

    # -- runs ------------------------------------------------------------------------------------

    def _probe(self, runtime: str, full: bool, first_input: int, sizes: _Sizes = ()) -> ProbeRun:
        level: Level = "full" if full else "minimal"
        key = (runtime, level, first_input, sizes)
        known = self._runs.get(key)
        if known is None:
            variants = ["default"]
            if any(_is_undefined(f) for f in self._report.findings):
                variants += [BASELINE, *POISONED]
            elif self._needs_two_runs():
                variants.append(BASELINE)
            known = run_probe(
                self._path,
                data=self._data,
                options=replace(
                    self._options.probe,
                    verification=level,
                    variants=tuple(variants),
                    as_runtime=None if runtime == NEWEST else _REPLAYED[runtime],
                    delegate_outputs=delegate_outputs(self._context.methods),
                    first_input=first_input,
                    input_sizes=dict(sizes),
                ),
            )
            self._runs[key] = known
        return known


def _sizes(finding: Finding) -> _Sizes:
    """Sizes of inputs that a finding is about, where it is about others than the largest."""
    given = finding.evidence.get("given") or {}
    return tuple((int(position), tuple(sizes)) for position, sizes in sorted(given.items()))


def _is_undefined(finding: Finding) -> bool:
    return any(
        p is not None and p.outcome is Outcome.UNDEFINED
        for p in (finding.runtime, finding.runtime_minimal)
    )


def _ran(bad: bool, seen: Observation) -> Decision:
    """About the claim that a run goes through. What was not run shows nothing."""
    if seen.damaged or seen.outcome == "skipped":
        return Decision(UNSUPPORTED, DAMAGED if seen.damaged else "it was not run")
    if not bad:
        return Decision(CONFIRMED, "the run went through")
    if seen.error == "OperatorMissing":
        return Decision(UNSUPPORTED, "the installed runtime lacks an operator of this method")
    return Decision(REFUTED, f"the run ended with {seen}")


def _first_name(context: Context) -> str | None:
    return printable(context.methods[0].name) if context.methods else None


def status_counts(report: ArtifactReport) -> dict[str, int]:
    """Error findings by status, in the order confirmed, refuted, not_reached, unsupported."""
    counts = dict.fromkeys((CONFIRMED, REFUTED, NOT_REACHED, UNSUPPORTED), 0)
    for finding in report.findings:
        if finding.severity is Severity.ERROR and finding.confirmation is not None:
            counts[finding.confirmation.status] += 1
    return counts
