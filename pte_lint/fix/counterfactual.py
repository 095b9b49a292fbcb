"""Confirms findings by what a run does once their cause is gone.

From the program a chain of copies is made: in each the finding that ends the run is undone, and the
run has to go on, to the next finding or to its end. What shows its sign in a copy was there all the
time, behind the others; what only ended as foretold, and is gone when undone, was the cause.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from pte_lint.claims.finding import Confirmation, Finding, Severity
from pte_lint.claims.forecast import Outcome, Stage, Verification
from pte_lint.claims.result import ArtifactReport
from pte_lint.claims.sign import Signs, Trial, has_sign, trial_of
from pte_lint.data.context import Context
from pte_lint.edits.plan_draft import EditError
from pte_lint.fix.copies import Copies, Copy, Key, copies, key_of
from pte_lint.fix.idle import idle
from pte_lint.fix.remedies import Remedies
from pte_lint.fix.trials import tried
from pte_lint.harness.confirm import ConfirmOptions, confirm_runs
from pte_lint.harness.decide import (
    CONFIRMED,
    CONFIRMED_BY_REPAIR,
    CONSISTENT,
    NOT_REACHED,
    UNSUPPORTED,
)
from pte_lint.harness.expectation import Observation, expect, observe
from pte_lint.harness.record import contradicts_file, lines_of
from pte_lint.harness.running import by_variant, cannot_run, runnable
from pte_lint.harness.runs import How, Runs
from pte_lint.judging.engine import Settings
from pte_lint.rulebook.registry import load_rules
from pte_lint.schema.loaded import LoadedFlatTensor

_MOST: Final = 48
"""Copies in a chain."""
_MOST_IDLE: Final = 16
"""Copies without something that is said to be of no use."""
_SILENT: Final = (Outcome.UNDEFINED, Outcome.WRONG)
_OPEN: Final = (CONSISTENT, NOT_REACHED, UNSUPPORTED)


def confirm_by_repair(
    report: ArtifactReport,
    context: Context,
    data: tuple[Sequence[Path], Sequence[LoadedFlatTensor]],
    *,
    settings: Settings,
    options: ConfirmOptions,
    remedies: Remedies,
) -> ArtifactReport:
    """Returns a confirmed report with more of its errors confirmed, in copies of the file.

    Args:
        report: what `confirm` returned; findings that are confirmed or refuted stay as they are.
        context: the artifact.
        data: .ptd files that the program is loaded with, and the same opened.
        settings: what the artifact was judged with.
        options: how it was run.
        remedies: what takes findings away.

    Raises:
        HarnessUnavailable: the runtime or the compiler is missing, or there is no fence.
    """
    if options.signs is None:
        options = replace(options, signs={rule.id: rule.sign for rule in load_rules()})
    signs = options.signs or {}
    if cannot_run(context) is not None or not any(
        _is_open(f, signs.get(f.rule)) for f in report.findings
    ):
        return report
    files, loaded = data
    with runnable(context) as path, copies(settings, files, loaded, options.probe) as made:
        first = Copy(context, report, Runs(path, context, files, options.probe))
        return _Chain(first, made, options, remedies).followed()


class _Chain:
    def __init__(
        self,
        first: Copy,
        made: Copies,
        options: ConfirmOptions,
        remedies: Remedies,
    ) -> None:
        self._first, self._made = first, made
        self._options = replace(options, replay=False)
        self._signs: Mapping[str, Signs | None] = options.signs or {}
        self._remedies = remedies
        self._open = {
            key_of(f): f for f in first.report.findings if _is_open(f, self._signs.get(f.rule))
        }
        self._idle_left = _MOST_IDLE
        self._shown: dict[Key, Confirmation] = {}
        self._stuck: set[Key] = set()
        self._gone: dict[Key, Finding] = {}
        """What is not found any more once a finding's cause is undone, whatever is kept of it."""

    def followed(self) -> ArtifactReport:
        copy = self._first
        for _ in range(_MOST):
            self._try(copy)
            if not self._open:
                break
            following = self._next(copy)
            if following is None:
                break
            copy = following
            self._take(copy)
        report = self._first.report
        return replace(report, findings=tuple(map(self._confirmed, report.findings)))

    def _confirmed(self, finding: Finding) -> Finding:
        key, old = key_of(finding), finding.confirmation
        if key in self._shown:
            return replace(finding, confirmation=self._shown[key])
        lead = self._gone.get(key)
        if lead is None or key not in self._open or old is None:
            return finding
        text = f"{old.evidence['reason']}; it follows from {lead.rule} ({lead.subject})"
        evidence = {
            **old.evidence,
            "reason": f"{text}: with that undone it is gone too",
            "follows_from": lead.rule,
        }
        return replace(finding, confirmation=replace(old, evidence=evidence))

    def _next(self, copy: Copy) -> Copy | None:
        """The copy without the finding that ends the run; None where none can be undone."""
        for lead in self._leads(copy):
            if self._made.is_enough:
                break
            following = self._without(copy, lead)
            if following is not None:
                return following
            self._stuck.add(key_of(lead))
        return None

    def _leads(self, copy: Copy) -> list[Finding]:
        """What a run ended with as foretold, what comes first first."""
        found = [
            f
            for f in copy.report.findings
            if f.confirmation is not None
            and f.confirmation.status in (CONFIRMED, CONSISTENT)
            and f.severity is Severity.ERROR
            and f.runtime is not None
            and f.confirmation.runtime.get("outcome") in ("error", "crash")
            and key_of(f) not in self._stuck
            and _ended_there(f)
        ]
        return sorted(found, key=lambda f: (f.runtime.rank if f.runtime else 0, f.order))

    def _without(self, copy: Copy, lead: Finding) -> Copy | None:
        """The copy that leaves most of what is still to be seen; None where the run stays."""
        before, said = self._seen(copy, lead)
        best: tuple[Copy, bool] | None = None
        for edits, is_cause in self._remedies.of(lead):
            try:
                changed = self._made.edited(copy, edits(lead, copy.context), lead)
            except (EditError, KeyError, IndexError, TypeError, ValueError):
                continue
            after, says = self._seen(changed, lead)
            moved = _went_on(before, said, after, says)
            if not moved and not (is_cause and _foretold(changed, before, said, after, says)):
                continue
            key = key_of(lead)
            is_shown = (
                trial_of(self._signs.get(lead.rule)) is Trial.UNDO
                and lead.location.value not in _touched(copy)
                and not _is_elsewhere(copy, lead)
            )
            if is_shown and is_cause and key in self._open and changed.finding(key) is None:
                text = f"undone in a copy of the file, it is gone: {after}"
                self._show(self._open[key], CONFIRMED_BY_REPAIR, text, copy.undone)
            if best is None or self._kept(changed) > self._kept(best[0]):
                best = changed, is_cause
            del changed  # a large program costs much: of all that were made, one is kept
        if best is None or not self._open:
            return None
        chosen, is_cause = best
        if is_cause:
            self._gone |= {
                key: lead
                for key, finding in self._open.items()
                if key != key_of(lead)
                and finding.severity is Severity.ERROR
                and copy.finding(key)
                and not chosen.finding(key)
            }
        confirmed = confirm_runs(chosen.report, chosen.runs, self._options)
        return replace(chosen, report=confirmed)

    def _kept(self, copy: Copy) -> int:
        return sum(copy.finding(key) is not None for key in self._open)

    def _seen(self, copy: Copy, lead: Finding) -> tuple[Observation, str]:
        """How a copy's run ends where the lead is about, and the errors of its log."""
        target = copy.context.target
        full = target.verification is not Verification.MINIMAL
        prediction = lead.runtime
        first, told = 0, lead.confirmation.runtime.get("input") if lead.confirmation else None
        if prediction is not None and prediction.stage is Stage.SET_INPUT and told is not None:
            first = int(told)
        variants = ("default",) if prediction is None or prediction.run == 1 else ("rising",)
        probe = copy.runs.get(How(target.runtime, full, first, variants=variants))
        method = next((m for m in copy.context.methods if m.index == lead.plan), None)
        run = by_variant(probe, lead.method).get(variants[0]) if lead.method else None
        if run is None and probe.methods and lead.method is None:
            run = next((r for m in probe.methods for r in m.runs), None)
        step = probe.program if run is None else run
        lines = lines_of(step, method)
        errors = "; ".join(line for line in lines if line[:2] in ("E ", "F "))
        return observe(step, method if run is not None else None), errors

    def _take(self, copy: Copy) -> None:
        """Findings that show their sign in a copy; not those about what was edited in it."""
        touched = _touched(copy)
        for finding in copy.report.findings:
            c, key = finding.confirmation, key_of(finding)
            if c is None or finding.location.value in touched:
                continue
            if c.status == CONFIRMED and key in self._open:
                reason = str(c.evidence.get("reason", ""))
                self._show(self._open[key], CONFIRMED, reason, copy.undone, c)

    def _try(self, copy: Copy) -> None:
        """Findings that no run shows by itself."""
        for key in list(self._open):
            if self._made.is_enough:
                return
            finding = copy.finding(key)
            if finding is None or finding.confirmation is None:
                continue
            trial = trial_of(self._signs.get(finding.rule))
            if finding.severity is not Severity.ERROR and trial is Trial.IDLE:
                self._try_idle(finding, copy)
            runtime = finding.runtime
            is_silent = runtime is not None and runtime.outcome in _SILENT
            is_run = finding.confirmation.status in (UNSUPPORTED, CONSISTENT)
            if trial is None or not is_run or self._is_made(finding, copy):
                continue
            if not is_silent and trial is not Trial.RESTORE:
                continue
            text = tried(trial, finding, copy, self._made, self._remedies)
            if text is not None:
                status = CONFIRMED if trial is Trial.FREED else CONFIRMED_BY_REPAIR
                self._show(self._open[key], status, text, copy.undone)

    def _is_made(self, finding: Finding, copy: Copy) -> bool:
        """Whether what a finding says nothing writes is written by an instruction undone here."""
        method = next((m for m in self._first.context.methods if m.index == finding.plan), None)
        undone = {f.location.instruction for f in copy.undone if f.plan == finding.plan} - {None}
        return method is not None and any(
            at is not None
            and 0 <= at < len(method.steps)
            and finding.location.value in method.steps[at].writes
            for at in undone
        )

    def _try_idle(self, finding: Finding, copy: Copy) -> None:
        """What is said to be of no use: no run changes without it."""
        if self._idle_left == 0 or finding.location.value in _touched(copy):
            return
        self._idle_left -= 1
        edits = self._remedies.idle.get(finding.rule)
        text = idle(finding, copy, self._made, edits, self._remedies.idle_bytes.get(finding.rule))
        if text is not None:
            self._show(self._open[key_of(finding)], CONFIRMED_BY_REPAIR, text, copy.undone)

    def _show(
        self,
        finding: Finding,
        status: str,
        text: str,
        undone: Sequence[Finding],
        seen: Confirmation | None = None,
    ) -> None:
        key = key_of(finding)
        del self._open[key]
        old = finding.confirmation
        assert old is not None
        names = list(dict.fromkeys(f"{f.rule} ({f.subject})" for f in undone))
        evidence = {**(old if seen is None else seen).evidence, "reason": text}
        if names:
            evidence["after_undoing"] = names
            evidence["reason"] = f"{text}; seen in a copy of the file without {', '.join(names)}"
        runtime = seen.runtime if seen is not None else old.runtime
        self._shown[key] = Confirmation(status, runtime, evidence)


def _is_open(finding: Finding, sign: Signs | None) -> bool:
    """Whether more can be shown: of an error, or of a remark that has a sign or can be tried."""
    if finding.confirmation is None or finding.is_unjudged:
        return False
    status = finding.confirmation.status
    if finding.severity is Severity.ERROR:
        can_end = finding.runtime is not None or trial_of(sign) is Trial.RESTORE
        return can_end and status in _OPEN
    return status == UNSUPPORTED and (has_sign(sign) or trial_of(sign) is Trial.IDLE)


def _ended_there(finding: Finding) -> bool:
    """Whether the run ended at a finding's own place; garbage may show anywhere later."""
    assert finding.runtime is not None
    assert finding.confirmation is not None
    seen = finding.confirmation.runtime.get("instruction")
    return finding.runtime.outcome is not Outcome.UNDEFINED or (
        seen is not None and seen == finding.location.instruction
    )


def _touched(copy: Copy) -> set[int | None]:
    """Values that edits of a copy are about: what is found of them there may be their doing."""
    return {f.location.value for f in copy.undone} - {None}


def _is_elsewhere(copy: Copy, finding: Finding) -> bool:
    """Whether a finding names something that the program does not have there."""
    method = next((m for m in copy.context.methods if m.index == finding.plan), None)
    return method is not None and contradicts_file(finding, method)


def _foretold(changed: Copy, before: Observation, said: str, after: Observation, says: str) -> bool:
    """Whether the same place fails otherwise, in a way that is found in the changed program."""
    if (before.spot, after.failed) != (after.spot, True):
        return False
    if (before.outcome, before.error, said) == (after.outcome, after.error, says):
        return False
    method = {m.index: m for m in changed.context.methods}
    return any(
        f.runtime is not None
        and f.severity is Severity.ERROR
        and after.matches(f.runtime)
        and after.spot.may_be(expect(f, f.runtime, method.get(f.plan or 0)).spot)
        for f in changed.report.findings
    )


def _went_on(before: Observation, said: str, after: Observation, says: str) -> bool:
    """Whether a run got past the place where the one before ended."""
    if after.damaged or after.outcome in ("skipped", "timeout"):
        return False
    if not before.failed:
        return False
    if not after.failed or before.spot.is_before(after.spot):
        return True
    if after.spot.is_before(before.spot):
        return False
    # In one stage without places inside the log tells: another check speaks.
    return before.spot.within is None and said != says
