"""Compares what was said about a mutant with what was seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pte_lint.schema.str_enum import StrEnum

from pte_lint.claims.forecast import Outcome, Prediction, Stage
from pte_lint.claims.result import Verdict
from tests.fuzz.explain import (
    Case,
    agrees,
    explain_alarm,
    explain_difference,
    explain_missed,
    explain_other,
    explain_silence,
)
from tests.fuzz.oracle import Ending, MethodSeen, Observation, Seen
from tests.fuzz.verdicts import Judgement


class Kind(StrEnum):
    """How said and seen go together, worst first."""

    FAILURE = "rule failed"
    MISSED = "missed"
    FALSE_ALARM = "false alarm"
    OTHER = "other stage or error"
    INCONCLUSIVE = "inconclusive"
    AGREE_BAD = "agree: bad"
    AGREE_OK = "agree: runs"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return _KINDS.index(self)

    @property
    def is_difference(self) -> bool:
        """Whether pte-lint is to blame until explained."""
        return self.rank <= Kind.OTHER.rank


_KINDS = tuple(Kind)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison.

    Attributes:
        kind: How they go together.
        category: Why it is inconclusive; for differences a short key for sorting.
        level: `full` or `minimal`.
        method: Index of the method, None for the program.
        said: The verdict in words.
        seen: What was seen in words.
        logs: The runtime's last words.
    """

    kind: Kind
    category: str = ""
    level: str = "full"
    method: int | None = None
    said: str = ""
    seen: str = ""
    logs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Original:
    """The program before it was changed.

    Attributes:
        methods: What was seen of it.
        same_meaning: Whether the changes left the results as they were, if all goes well.
        changed_blob: Whether the blob of a real delegate was changed.
    """

    methods: tuple[MethodSeen, ...] = ()
    same_meaning: bool = False
    changed_blob: bool = False

    def unwritten(self, method: MethodSeen) -> bool:
        """Whether it already reads memory that nothing wrote: state that starts at zero."""
        return any(each.unwritten for each in self.methods if each.index == method.index)

    def differs(self, method: MethodSeen) -> bool:
        """Whether a method's results are not those of the original's method."""
        for each in self.methods:
            if each.index == method.index and not each.bad:
                pairs = zip(method.endings, each.endings, strict=False)
                return any(mine.outputs != other.outputs for mine, other in pairs)
        return False


def compare(
    observation: Observation, judgement: Judgement, original: Original | None = None
) -> Comparison:
    """The worst of all comparisons over methods and levels.

    Args:
        observation: What was seen.
        judgement: What was said.
        original: What was seen before the edits.
    """
    if judgement.failures:
        failure = judgement.failures[0]
        return Comparison(Kind.FAILURE, f"{failure.rule} {failure.message}")
    before = original or Original()
    full = _Level(
        observation.full, Case(judgement, judgement.full, "full", None, before.changed_blob), before
    )
    found = list(full.comparisons())
    if not observation.same or judgement.minimal is not judgement.full:
        case = Case(judgement, judgement.minimal, "minimal", None, before.changed_blob)
        found += _Level(observation.minimal, case, before).comparisons()
    return min(found, key=lambda each: each.kind.rank)


def predicted(verdict: Verdict) -> Prediction:
    """The verdict as a prediction."""
    return Prediction(verdict.stage, verdict.outcome, verdict.error, verdict.signal)


def describe(verdict: Verdict) -> str:
    """A verdict in words."""
    detail = verdict.error or verdict.signal or ""
    return f"{verdict.stage} {verdict.outcome} {detail} {verdict.rule or ''}".strip()


_LOADS = Verdict(None, Stage.LOAD_PROGRAM, Outcome.OK)


@dataclass(frozen=True)
class _Level:
    """The comparison at one level of verification."""

    seen: Seen
    case: Case
    original: Original

    def comparisons(self) -> Iterator[Comparison]:
        said = self.case.said
        if not self.seen.known:
            yield Comparison(Kind.INCONCLUSIVE, "the probe gave no report", self.case.level)
            return
        if self.seen.program.is_bad:
            yield self._bad(self.case, said.program or _LOADS, (self.seen.program,))
        elif said.program is not None:
            bad = [each for method in self.seen.methods for each in method.bad]
            if bad:
                yield self._bad(self.case, said.program, bad)
            else:
                yield self._ran(self.case, said.program)
        else:
            yield Comparison(Kind.AGREE_OK, level=self.case.level)
            names = set()
            for method in self.seen.methods:
                # The runtime finds a method by its name: of equal ones the first.
                if method.name not in names and method.index < len(said.verdicts):
                    yield self._method(method, said.verdicts[method.index])
                names.add(method.name)

    def _method(self, method: MethodSeen, verdict: Verdict) -> Comparison:
        case = replace(self.case, method=method)
        if method.bad:
            return self._bad(case, verdict, method.bad)
        wrong = self._silently_wrong(method)
        if verdict.outcome is Outcome.UNDEFINED and not wrong and self._hands_on_garbage(method):
            wrong = f"{method.passed_on[0][1]} depends on unwritten memory"
        if verdict.outcome is Outcome.UNDEFINED and not wrong and self.original.differs(method):
            wrong = "results are not those of the program before it was changed"
        if verdict.outcome is Outcome.OK:
            if wrong:
                return self._silence(case, verdict, method, wrong)
            return _result(case, Kind.AGREE_OK, "", verdict, "runs")
        if verdict.outcome is Outcome.WRONG and not wrong:
            # That results are not PyTorch's is measured beside PyTorch (scripts/measure).
            return _result(case, Kind.AGREE_OK, "", verdict, "runs")
        if wrong and verdict.outcome in (Outcome.UNDEFINED, Outcome.WRONG):
            return _result(case, Kind.AGREE_BAD, "", verdict, wrong)
        return self._ran(case, verdict)

    def _silently_wrong(self, method: MethodSeen) -> str:
        """How results are wrong although every call went well; empty where they are not."""
        if method.unwritten and not self.original.unwritten(method):
            memory, where = method.unwritten[0]
            return f"depends on unwritten {memory} memory: {where}"
        if self.original.same_meaning and self.original.differs(method):
            return "results differ from those before the memory plan was changed"
        return ""

    def _hands_on_garbage(self, method: MethodSeen) -> bool:
        """Whether a delegate or a copy is handed what nothing wrote, though no result shows it.

        That proves a claim right; it is no fault that pte-lint would have to find.
        """
        before = [each.passed_on for each in self.original.methods if each.index == method.index]
        return bool(method.passed_on) and method.passed_on not in before

    @staticmethod
    def _silence(case: Case, verdict: Verdict, method: MethodSeen, wrong: str) -> Comparison:
        if method.unwritten and wrong.startswith("depends"):
            why = explain_silence(case, *method.unwritten[0])
        else:
            why = explain_difference(case)
        kind = Kind.INCONCLUSIVE if why else Kind.MISSED
        return _result(case, kind, why or f"silent: {wrong}", verdict, wrong)

    @staticmethod
    def _bad(case: Case, verdict: Verdict, endings: Sequence[Ending]) -> Comparison:
        first = endings[0]
        if verdict.outcome is Outcome.OK:
            why = explain_missed(case, first)
            key = f"{first.stage} {first.outcome} {first.detail or ''}"
            kind = Kind.INCONCLUSIVE if why else Kind.MISSED
            return _result(case, kind, why or key, verdict, str(first), ending=first)
        for ending in endings:
            if agrees(predicted(verdict), ending):
                return _result(case, Kind.AGREE_BAD, "", verdict, str(ending))
        # A verdict names what is sure to be seen; undefined behaviour before it may show as well.
        for finding in case.said.errors:
            said = finding.runtime
            if said is None or said.outcome is not Outcome.UNDEFINED:
                continue
            mine = finding.method in (None, verdict.method)
            if mine and any(agrees(said, each) for each in endings):
                return _result(case, Kind.AGREE_BAD, "", verdict, str(first))
        why = explain_other(case, first, verdict)
        key = f"{describe(verdict)} / {first.stage} {first.outcome} {first.detail or ''}"
        kind = Kind.INCONCLUSIVE if why else Kind.OTHER
        return _result(case, kind, why or key, verdict, str(first), ending=first)

    @staticmethod
    def _ran(case: Case, verdict: Verdict) -> Comparison:
        why = explain_alarm(case, verdict)
        kind = Kind.INCONCLUSIVE if why else Kind.FALSE_ALARM
        return _result(case, kind, why or describe(verdict), verdict, "runs")


def _result(
    case: Case,
    kind: Kind,
    category: str,
    verdict: Verdict,
    seen: str,
    *,
    ending: Ending | None = None,
) -> Comparison:
    return Comparison(
        kind,
        category.strip(),
        case.level,
        case.method.index if case.method is not None else None,
        describe(verdict),
        seen,
        ending.logs if ending is not None else (),
    )
