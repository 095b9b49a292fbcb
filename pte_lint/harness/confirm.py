"""Runs an artifact on the real runtime and marks each finding and verdict with what was seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from pte_lint.claims.finding import Confirmation, Finding, Json, Severity
from pte_lint.claims.forecast import Outcome, Prediction, Stage, Verification
from pte_lint.claims.result import ArtifactReport, Verdict
from pte_lint.claims.sign import (
    Signs,
    has_sign,
    is_refutable,
    which_refutes,
    which_seen,
    why_unseen,
)
from pte_lint.data.context import Context
from pte_lint.harness.claiming import Claims
from pte_lint.harness.decide import (
    CONFIRMED,
    NOT_REACHED,
    REFUTED,
    STATUSES,
    UNSUPPORTED,
    Claim,
    Decision,
    decide,
)
from pte_lint.harness.evidence import run_evidence, runtime_facts
from pte_lint.harness.expectation import observe
from pte_lint.harness.language import Driven, drive
from pte_lint.harness.memory_signs import BASELINE, POISONED, decided_by_memory
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.outcome import MethodRun, ProbeRun, Step
from pte_lint.harness.record import contradicts_file, facts_of, lines_of
from pte_lint.harness.running import by_variant, cannot_run, runnable, stood_in
from pte_lint.harness.runs import REPLAYED, How, Runs, Sizes, TooManyRuns, sizes_of
from pte_lint.harness.verdicts import announced, confirm_verdict
from pte_lint.questions.method import Method
from pte_lint.rulebook.registry import load_rules
from pte_lint.schema.frozen import dataclass, field
from pte_lint.text.printable import printable


@dataclass(frozen=True, slots=True)
class ConfirmOptions:
    """How to run what is to be confirmed; `probe.unfenced` says whether without a fence too."""

    probe: ProbeOptions = field(default_factory=ProbeOptions)
    replay: bool = True
    """Also show what older runtimes do where a finding says that they do something else."""
    signs: Mapping[str, Signs | None] | None = None
    """By rule what a run shows where its cause is true; None: what the installed rules say."""


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
    reason = cannot_run(context)
    if reason is not None:
        nothing = Confirmation(UNSUPPORTED, evidence={"reason": reason})
        return replace(
            report,
            findings=tuple(replace(f, confirmation=nothing) for f in report.findings),
            verdict=tuple(replace(v, confirmation=nothing) for v in report.verdict),
        ), ()
    options = options or ConfirmOptions()
    with runnable(context) as path:
        runs = Runs(path, context, data, options.probe)
        return confirm_runs(report, runs, options), runs.notes()


def confirm_runs(report: ArtifactReport, runs: Runs, options: ConfirmOptions) -> ArtifactReport:
    """As `confirm`, by the runs of a program that can be run, of which some may be made already."""
    return _Confirmer(report, runs.context, options, runs).confirmed()


class _Confirmer:
    """One artifact's confirmation."""

    def __init__(
        self, report: ArtifactReport, context: Context, options: ConfirmOptions, runs: Runs
    ) -> None:
        self._report, self._context, self._runs = report, context, runs
        self._replay = options.replay
        self._records: dict[int, tuple[Step, tuple[str, ...]]] = {}
        """By identity, which the run is kept for."""
        signs = options.signs
        if signs is None:
            signs = {rule.id: rule.sign for rule in load_rules()}
        self._claims = Claims(report, context, signs)

    def confirmed(self) -> ArtifactReport:
        report = self._report
        return replace(
            report,
            findings=tuple(self._finding(f) for f in report.findings),
            verdict=tuple(self._verdict(v) for v in report.verdict),
        )

    def _verdict(self, verdict: Verdict) -> Verdict:
        done = confirm_verdict(verdict, self._report, self._context, self._claims, self._probe)
        done = self._with_driving(done)
        origin = self._runs.origin(self._context.target.runtime)
        if done.confirmation is None or not origin:
            return done
        evidence = {**done.confirmation.evidence, **origin}
        return replace(done, confirmation=replace(done.confirmation, evidence=evidence))

    def _with_driving(self, verdict: Verdict) -> Verdict:
        """What a runner's calls came to, beside the run of a method that they call."""
        if verdict.confirmation is None or verdict.method is None or self._driven is None:
            return verdict
        if verdict.method not in self._driven.methods:
            return verdict
        shown = verdict.confirmation
        evidence = {**shown.evidence, "driven": self._driven.generation}
        refuted = shown.status == REFUTED and verdict.outcome is Outcome.OK
        if refuted and self._driven.went_through:
            # The run had as many tokens as the method takes, all at position 1 and later, which is
            # past the end of a cache: no runner does that.
            evidence["reason"] = f"called as a runner does it goes through; {evidence['reason']}"
            return replace(verdict, confirmation=Confirmation(CONFIRMED, shown.runtime, evidence))
        return replace(verdict, confirmation=replace(shown, evidence=evidence))

    def _finding(self, finding: Finding) -> Finding:
        is_claim = finding.severity is Severity.ERROR or bool(sizes_of(finding))
        if finding.runtime is None or finding.is_unjudged or not is_claim:
            return self._remark(finding)
        try:
            return self._predicted(finding, finding.runtime)
        except TooManyRuns:
            reason = "the program was run in too many ways to run it with these sizes too"
            nothing = Confirmation(UNSUPPORTED, evidence={"reason": reason})
            return replace(finding, confirmation=nothing)

    def _predicted(self, finding: Finding, prediction: Prediction) -> Finding:
        target = self._context.target
        runtime = target.runtime
        full = target.verification is not Verification.MINIMAL
        decision, step, run = self._decide(finding, prediction, runtime, full)
        evidence = run_evidence(step, run) | self._runs.origin(runtime)
        if finding.runtime_minimal is not None and full:
            minimal = self._minimal(finding, finding.runtime_minimal, runtime)
            evidence["minimal_verification"] = minimal
            if minimal["status"] == REFUTED:
                decision = Decision(REFUTED, f"minimal verification: {minimal['reason']}")
        older = dict(self._older(finding, runtime)) if self._replay else {}
        if older:
            evidence["older_runtimes"] = older
        evidence["reason"] = decision.reason
        if decision.sign is not None:
            evidence["sign"] = decision.sign
        confirmation = Confirmation(decision.status, runtime_facts(step, run), evidence)
        return replace(finding, confirmation=confirmation)

    def _remark(self, finding: Finding) -> Finding:
        """What is no failure of the runtime: a run shows its sign, or nothing about it."""
        sign = self._claims.sign_of(finding)
        reason = "running shows nothing about it: it is no failure of the runtime"
        if finding.is_unjudged:
            reason = "it was not judged"
        elif finding.severity is Severity.ERROR:
            reason = why_unseen(sign) or "running shows nothing about it"
        nothing = replace(
            finding, confirmation=Confirmation(UNSUPPORTED, evidence={"reason": reason})
        )
        if finding.is_unjudged or not has_sign(sign):
            return nothing
        is_call = isinstance(finding.evidence.get("call"), str) and is_refutable(sign)
        if is_call and self._driven is not None:
            driven = self._by_driving(finding, sign, self._driven)
            nothing = replace(finding, confirmation=driven)
            if driven.status != NOT_REACHED:
                return nothing
        target = self._context.target
        full = target.verification is not Verification.MINIMAL
        probe = self._probe(target.runtime, full)
        names = [finding.method] if finding.method is not None else self._claims.names
        for name in names:
            method, run = self._claims.method(name), by_variant(probe, name).get("default")
            if method is None or run is None or run.damaged or contradicts_file(finding, method):
                continue
            about = method if finding.method is not None else None
            shown = which_seen(sign, self._lines(run, method), facts_of(finding, about))
            if shown is not None:
                evidence = run_evidence(run, run) | self._runs.origin(target.runtime)
                evidence |= {"reason": "the run has the sign of it", "sign": shown}
                confirmation = Confirmation(CONFIRMED, runtime_facts(run, run), evidence)
                return replace(finding, confirmation=confirmation)
        return nothing

    @cached_property
    def _driven(self) -> Driven | None:
        """What calls like a runner's show, of the newest runtime or of a release itself."""
        runtime = self._context.target.runtime
        if not self._runs.has_own(runtime):
            return None
        calls = [
            call for f in self._report.findings if isinstance(call := f.evidence.get("call"), str)
        ]
        return drive(
            self._context, self._runs.path, self._runs.data, self._runs.how(runtime), calls
        )

    def _by_driving(self, finding: Finding, sign: Signs | None, driven: Driven) -> Confirmation:
        """What is no failure of the runtime, and shows when the program is called as runners do."""
        facts = facts_of(finding, self._claims.method(finding.method))
        shown = which_seen(sign, driven.lines, facts)
        contrary = which_refutes(sign, driven.lines, facts) if shown is None else None
        evidence = self._runs.origin(self._context.target.runtime) | {"driven": driven.generation}
        if shown is not None:
            told: dict[str, Json] = {"reason": "the call has the sign of it", "sign": shown}
            return Confirmation(CONFIRMED, evidence=evidence | told)
        if contrary is not None:
            reason = f"called as a runner does: {contrary}"
            return Confirmation(REFUTED, evidence=evidence | {"reason": reason})
        reason = f"the call that shows it was not reached; {driven.generation}"
        return Confirmation(NOT_REACHED, evidence=evidence | {"reason": reason})

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
        for version in REPLAYED:
            prediction = finding.forecast.at(version, self._context.target.verification)
            if version == runtime or prediction is None or prediction == finding.runtime:
                continue
            is_loading = prediction.stage in (Stage.LOAD_PROGRAM, Stage.LOAD_METHOD)
            if is_loading and not self._runs.has_own(version):
                continue  # loading is not replayed
            decision, step, run = self._decide(finding, prediction, version, full)
            yield (
                version,
                {
                    "predicted": str(prediction),
                    "status": decision.status,
                    "reason": decision.reason,
                    **run_evidence(step, run),
                    **self._runs.origin(version),
                },
            )

    def _decide(
        self, finding: Finding, prediction: Prediction, runtime: str, full: bool
    ) -> tuple[Decision, Step, MethodRun | None]:
        claim = self._claims.of(finding, prediction)
        first = 0
        if prediction.stage is Stage.SET_INPUT:
            # Inputs are set one after the other: begin with the one in question.
            first = claim.expected.spot.within or 0
        probe = self._probe(runtime, full, first, sizes_of(finding))
        if prediction.stage is Stage.LOAD_PROGRAM or not probe.methods:
            seen = observe(probe.program)
            claims = self._claims.about(None, runtime, full)
            return decide(claim, seen, claims, self._lines(probe.program)), probe.program, None
        name = finding.method if finding.method is not None else _first_name(self._context)
        return self._decide_in_method(claim, name, probe, runtime, full)

    def _decide_in_method(
        self, claim: Claim, name: str | None, probe: ProbeRun, runtime: str, full: bool
    ) -> tuple[Decision, Step, MethodRun | None]:
        method = self._claims.method(name)
        runs = by_variant(probe, name)
        run = runs.get("default")
        if claim.expected.spot.run > 1 and run is not None and run.outcome in ("ok", "undefined"):
            run = runs.get(BASELINE)  # the first of two runs goes through: look at the second
        if method is None or run is None:
            reason = "the method cannot be asked for by its name"
            return Decision(UNSUPPORTED, reason), probe.program, None
        lines = self._lines(run, method)
        claims = self._claims.about(name, runtime, full)
        decision = decide(
            claim, observe(run, method), claims, lines, decided_by_memory(runs, method)
        )
        if decision.status == REFUTED:
            decision = self._excused(claim, decision, run, method)
        return decision, run, run

    def _excused(
        self, claim: Claim, decision: Decision, run: MethodRun, method: Method
    ) -> Decision:
        """No refutation where a stand-in ran, or the run lacked what a warning asks for."""
        replaced = stood_in(claim, run, method)
        if replaced is not None:
            return Decision(UNSUPPORTED, replaced)
        lacking = announced(self._report, claim.finding.method, observe(run, method))
        return Decision(NOT_REACHED, lacking) if lacking is not None else decision

    def _lines(self, step: Step, method: Method | None = None) -> tuple[str, ...]:
        """The record of a run, which all findings about it are looked for in."""
        known = self._records.get(id(step))
        if known is None:
            known = self._records[id(step)] = step, lines_of(step, method)
        return known[1]

    def _probe(self, runtime: str, full: bool, first_input: int = 0, sizes: Sizes = ()) -> ProbeRun:
        variants = ["default"]
        if self._claims.is_undefined:
            variants += [BASELINE, *POISONED]
        elif self._claims.need_two_runs:
            variants.append(BASELINE)
        return self._runs.get(How(runtime, full, first_input, sizes, variants=tuple(variants)))


def _first_name(context: Context) -> str | None:
    return printable(context.methods[0].name) if context.methods else None


def status_counts(report: ArtifactReport) -> dict[str, int]:
    """Error findings by status, in the order in which statuses are told."""
    counts = dict.fromkeys(STATUSES, 0)
    for finding in report.findings:
        if finding.severity is Severity.ERROR and finding.confirmation is not None:
            counts[finding.confirmation.status] += 1
    return counts
