"""Repairs one program: rule by rule, each repair judged before the next one is made.

A repair that brings a new error is taken back. Nothing is written here: the result is pieces of the
file, to be written by whoever wants it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress

from pte_lint.claims.finding import Finding
from pte_lint.claims.result import ArtifactReport
from pte_lint.data.context import Context
from pte_lint.data.reading import open_context
from pte_lint.edits.draft import Draft, Edit
from pte_lint.edits.fixer import Fixer
from pte_lint.edits.plan_draft import EditError
from pte_lint.files.artifact import Artifact
from pte_lint.fix.intervals import CannotPlan
from pte_lint.fix.leftovers import free_leftovers
from pte_lint.fix.pieced import PiecedBytes
from pte_lint.fix.planner import replan
from pte_lint.fix.repaired import (
    Applied,
    Left,
    Repair,
    arenas,
    changes,
    errors_of,
    key_of,
    wrong_methods,
)
from pte_lint.fix.rewriting import draft_of, rewritten
from pte_lint.fix.weight import weight
from pte_lint.judging.engine import Settings, judge
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.loaded import LoadedFlatTensor
from pte_lint.schema.program import Span

NO_FIXER = "no edit of the file undoes it"
LAST = "an error is left, and may be about this"
_DEEPEST = 3
"""How far what repairs uncover is repaired in turn."""
_ROUNDS = 100
"""Repairs of rules, at most."""
_MOST_UNDONE = 2_500
"""Findings from which on no further rule's are undone: each is kept, to be told."""
_TRIES = 12
_TRIED_BYTES = 16 << 20
_FINDING_BYTES = 1 << 10
"""Programs are written and judged on the way until their tables are together so many times those of
the source, and so many bytes. Each finding counts for some, since it takes its time as well."""
_MOST_IN_VAIN = 12
"""Programs in a row of which none was any better, from which on no half of a half is tried: enough
to come to one finding among thousands. A crafted program has thousands that cannot be undone."""
TOO_MANY = "too much was tried: choose rules with --select"
UNSURE = "results that may be right may change; --unsafe-fixes allows it"
NEEDS_LEAVE = "it changes the contract with the caller; --unsafe-fixes allows it"


def repair(
    artifact: Artifact,
    settings: Settings,
    fixers: Mapping[str, Fixer],
    data: Sequence[LoadedFlatTensor] = (),
    *,
    unsafe: bool = False,
    plan_memory: bool = False,
) -> Repair:
    """Undoes what can be undone of a program's findings.

    Args:
        artifact: The program.
        settings: What to judge with; only findings of its rules are undone.
        fixers: What undoes findings, by rule.
        data: .ptd files that it is loaded with.
        unsafe: Also what changes the contract with the caller.
        plan_memory: Plan the memory of every method again where that makes it smaller.

    Never raises for anything in the file: what cannot be undone is in `left`.
    """
    return _Repairs(artifact, settings, fixers, data, unsafe).run(plan_memory)


@dataclass(frozen=True, slots=True)
class _State:
    """A program on its way, judged."""

    content: PiecedBytes
    report: ArtifactReport
    number: int = 0
    """0 for the source; no two programs on the way have the same."""


class _Repairs:
    def __init__(
        self,
        artifact: Artifact,
        settings: Settings,
        fixers: Mapping[str, Fixer],
        data: Sequence[LoadedFlatTensor],
        unsafe: bool,
    ) -> None:
        self._artifact, self._settings, self._data = artifact, settings, data
        self._fixers, self._unsafe = fixers, unsafe
        content = PiecedBytes([Span(0, artifact.size)], artifact.buffer)
        context = self._open_again(content)
        self._state = _State(content, judge(context, settings))
        self._opened: tuple[int, Context] | None = (0, context)
        """The program on its way that is taken apart now, by its number."""
        self.before = self._state.report
        self._applied: list[Applied] = []
        self._refused: dict[tuple[str, str], tuple[int, str]] = {}
        """By rule and fingerprint, in which program a finding was not undone, and why."""
        self._states = 0
        self._postponed: set[int] = set()
        """Methods to be planned again once they have no error."""
        self._weight = weight(context)
        self._room = _TRIED_BYTES + _TRIES * self._work()
        self._in_vain = 0
        """Programs since the last one that was kept."""
        self._failed: dict[tuple[object, ...], str] = {}
        """What was taken back, and why: findings that are undone alike make the same program."""

    @property
    def _bytes(self) -> PiecedBytes:
        return self._state.content

    @property
    def _context(self) -> Context:
        if self._opened is None or self._opened[0] != self._state.number:
            self._opened = None
            self._opened = self._state.number, self._open_again(self._state.content)
        return self._opened[1]

    @property
    def _report(self) -> ArtifactReport:
        return self._state.report

    def _work(self) -> int:
        """What it takes to write and judge the program as it is now, in bytes."""
        return self._weight + _FINDING_BYTES * len(self._report.findings)

    def run(self, plan_memory: bool) -> Repair:
        before = arenas(self._context)
        for _ in range(_ROUNDS):
            if len(self._applied) >= _MOST_UNDONE or self._room <= 0:
                break
            rule = self._next_rule()
            if rule is not None:
                self._in_vain = 0
                self._undo(rule, self._open(rule))
            elif not self._plan_memory(plan_memory):
                break
        return Repair(
            self.before,
            self._report,
            tuple(self._applied),
            tuple(Left(f, self._why(f)) for f in self._report.findings),
            tuple(changes(before, self._context)),
            tuple(self._bytes.pieces) if self._state.number else None,
        )

    def _open_again(self, content: PiecedBytes) -> Context:
        artifact = Artifact(self._artifact.path, content)
        return open_context(artifact, self._settings.target, self._data, self._settings.options)

    def _next_rule(self) -> str | None:
        """The next rule with something to undo; what was refused is tried again once all is.

        What looks idle comes last, copies before entries: without a copy more entries are unused.
        """
        found = dict.fromkeys(f.rule for f in self._report.findings if self._may(f.rule))
        rules = sorted(found, key=lambda rule: rule if self._fixers[rule].last else "")
        new = (
            rule for rule in rules if any(key_of(f) not in self._refused for f in self._open(rule))
        )
        return next(new, None) or next((rule for rule in rules if self._open(rule)), None)

    def _open(self, rule: str) -> list[Finding]:
        """Findings of a rule that were not refused in the program as it is now."""
        now = self._state.number
        return [
            f
            for f in self._report.findings
            if f.rule == rule
            and self._refused.get(key_of(f), (None, ""))[0] != now
            and (self._unsafe or self._fixers[rule].is_safe_for(f))
        ]

    def _may(self, rule: str) -> bool:
        fixer = self._fixers.get(rule)
        return (
            fixer is not None
            and (fixer.is_safe or self._unsafe)
            and not (fixer.last and errors_of(self._report))
        )

    def _undo(self, rule: str, mine: Sequence[Finding], depth: int = 0) -> None:
        """Undoes findings of one rule, in one draft; where that fails, in two, then in four."""
        parts = deque([mine])
        while parts:
            keys = set(map(key_of, parts.popleft()))
            now = [f for f in self._report.findings if f.rule == rule and key_of(f) in keys]
            failed = self._attempt(self._fixers[rule], now, depth) if now else None
            if failed is None:
                continue
            done, why = failed
            self._refuse(done, why)
            self._in_vain += 1
            half = len(done) // 2
            if half and depth < _DEEPEST:
                parts += (done[:half], done[half:])
            if self._in_vain >= _MOST_IN_VAIN or self._room <= 0:
                for part in parts:
                    others = f"{why} (tried with others, and not alone)"
                    self._refuse(part, others if self._room > 0 else TOO_MANY)
                return

    def _attempt(
        self, fixer: Fixer, mine: Sequence[Finding], depth: int
    ) -> tuple[list[Finding], str] | None:
        """Undoes findings in one draft; gives those for which that was taken back, and why.

        What this uncovers may be undone in turn: a tensor that moves to its device needs a copy.
        """
        start, kept = self._state, len(self._applied)
        try:
            done, made, draft = self._edited(fixer, mine)
        except EditError as exc:
            self._refuse(mine, str(exc))
            return None
        if not done:
            return None
        plans = {f.plan for f in done if f.plan is not None} if fixer.replans != "no" else set()
        program = (start.number, depth, fixer.replans, frozenset(plans), tuple(made))
        if program in self._failed:
            return done, self._failed[program]
        why = self._tried(fixer, done, plans, draft, depth)
        if why is None:
            return None
        self._state, self._applied = start, self._applied[:kept]
        self._failed[program] = why
        return done, why

    def _tried(
        self, fixer: Fixer, done: Sequence[Finding], plans: set[int], draft: Draft, depth: int
    ) -> str | None:
        """Makes a draft the program; gives why that is to be taken back, if it is."""
        start, kept = self._state, len(self._applied)
        try:
            content = self._written(draft)
            del draft
            self._take(content, plans, fixer.replans == "always")
        except (EditError, CannotPlan) as exc:
            return str(exc)
        still = Counter(map(key_of, self._report.findings))
        undone = [f for f in done if not still[key_of(f)]]
        self._applied += [Applied(f, fixer.what, fixer.is_safe_for(f)) for f in undone]
        for uncovered in sorted(errors_of(self._report) - errors_of(start.report)):
            if depth < _DEEPEST and self._may(uncovered[0]):
                self._undo(uncovered[0], self._open(uncovered[0]), depth + 1)
        new = errors_of(self._report) - errors_of(start.report)
        before = {key_of(a.finding) for a in self._applied[:kept]}
        back = sorted(before.intersection(map(key_of, self._report.findings)))
        if back:
            return f"undoing it would bring {back[0][0]} back"
        if new:
            return f"undoing it would bring {min(new)[0]}"
        if not undone:
            return "the edit did not undo it"
        self._in_vain = 0
        self._refuse([f for f in done if f not in undone], "the edit did not undo it")
        return None

    def _edited(
        self, fixer: Fixer, mine: Sequence[Finding]
    ) -> tuple[list[Finding], list[Edit], Draft]:
        """A draft in which the findings that can be are undone, and by which edits.

        Raises:
            EditError: The program cannot be taken apart.
        """
        draft = self._draft()
        done: list[Finding] = []
        made: list[Edit] = []
        for finding in mine:
            try:
                edits = list(fixer.edits(finding, self._context))
                draft.apply(edits)
            except EditError as exc:
                self._refuse([finding], str(exc))
                # Some of its edits may have been made.
                draft = self._draft()
                draft.apply(made)
            else:
                done.append(finding)
                made += edits
        return done, made, draft

    def _draft(self) -> Draft:
        return draft_of(self._context, self._bytes)

    def _written(self, draft: Draft) -> PiecedBytes:
        """The file of a draft.

        Raises:
            EditError: It cannot be written, or there is no room for another program.
        """
        if self._room <= 0:
            raise EditError(TOO_MANY)
        return rewritten(draft, self._context, self._bytes, self._artifact.buffer)

    def _take(self, content: PiecedBytes, plans: set[int], force: bool) -> None:
        """Makes a file the program, with the memory of some methods planned again.

        Raises:
            EditError: It cannot be written.
            CannotPlan: The memory cannot be planned, though it has to be.
        """
        self._room -= self._work()
        # Two programs taken apart are more than are needed at once.
        self._opened = None
        free_leftovers(self._work())
        context = self._open_again(content)
        report = None
        if plans and not force:
            report = judge(context, self._settings)
            wrong = plans.intersection(wrong_methods(report))
            self._postponed |= wrong
            plans -= wrong
        edits = self._replanned(context, plans, force)
        if edits and context.loaded is not None:
            draft = draft_of(context, content)
            draft.apply(edits)
            content = rewritten(draft, context, content, self._artifact.buffer)
            del draft
            context, report = self._open_again(content), None
        self._states += 1
        self._state = _State(content, report or judge(context, self._settings), self._states)
        self._opened = self._states, context

    def _replanned(self, context: Context, plans: set[int], force: bool) -> list[Edit]:
        """The edits that plan the memory of methods again.

        Raises:
            CannotPlan: The memory of one cannot be planned, though it has to be.
        """
        edits: list[Edit] = []
        for method in context.methods if plans else ():
            if method.index in plans:
                with nullcontext() if force else suppress(CannotPlan):
                    edits += replan(method, force=force)
        return edits

    def _plan_memory(self, all_of_them: bool) -> bool:
        """Plans methods again; whether that changed something, and brought no error.

        What one with an error does may hang on what lies where: it is left alone.
        """
        edits: list[Edit] = []
        wrong = wrong_methods(self._report)
        for method in self._context.methods:
            if method.index in wrong or not (all_of_them or method.index in self._postponed):
                continue
            with suppress(CannotPlan):
                edits += replan(method)
        if not edits or self._context.loaded is None:
            return False
        start = self._state
        try:
            draft = self._draft()
            draft.apply(edits)
            content = self._written(draft)
            del draft, edits
            self._take(content, set(), False)
        except EditError:
            return False
        if errors_of(self._report) - errors_of(start.report):
            self._state = start
            return False
        return True

    def _refuse(self, findings: Sequence[Finding], why: str) -> None:
        for finding in findings:
            self._refused[key_of(finding)] = self._state.number, why

    def _why(self, finding: Finding) -> str:
        fixer = self._fixers.get(finding.rule)
        if fixer is None:
            return NO_FIXER
        if not fixer.is_safe_for(finding) and not self._unsafe:
            return UNSURE if fixer.is_safe else NEEDS_LEAVE
        if fixer.last and errors_of(self._report):
            return LAST
        unseen = TOO_MANY if self._room <= 0 else "too much was to be undone: repair again"
        return self._refused.get(key_of(finding), (0, unseen))[1]
