"""Compares what was said about a mutant with what was seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pte_lint.forecast import Outcome, Stage
from pte_lint.result import Verdict

from tests.fuzz.explain import explain_alarm, explain_missed, explain_other
from tests.fuzz.oracle import Ending, MethodSeen, Observation, Seen
from tests.fuzz.verdicts import Judgement, Said


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


def compare(
    observation: Observation,
    judgement: Judgement,
    original: Sequence[MethodSeen] = (),
    *,
    same_meaning: bool = False,
) -> Comparison:
    """The worst of all comparisons over methods and levels.

    Args:
        observation: What was seen.
        judgement: What was said.
        original: What was seen of the methods before the edits.
        same_meaning: Whether the edits left the results as they were, if all goes well.
    """
    if judgement.failures:
        failure = judgement.failures[0]
        return Comparison(Kind.FAILURE, f"{failure.rule} {failure.message}")
    found: list[Comparison] = []
    levels = [("full", observation.full, judgement.full)]
    if not observation.same or judgement.minimal is not judgement.full:
        levels.append(("minimal", observation.minimal, judgement.minimal))
    for level, seen, said in levels:
        one = _Level(level, seen, said, judgement, original, same_meaning)
        found += one.comparisons()
    return min(found, key=lambda each: each.kind.rank)


def describe(verdict: Verdict) -> str:
    """A verdict in words."""
    detail = verdict.error or verdict.signal or ""
    return f"{verdict.stage} {verdict.outcome} {detail} {verdict.rule or ''}".strip()


class _Level:
    """The comparison at one level of verification."""

    def __init__(
        self,
        level: str,
        seen: Seen,
        said: Said,
        judgement: Judgement,
        original: Sequence[MethodSeen],
        same_meaning: bool,
    ) -> None:
        self.level = level
        self.seen = seen
        self.said = said
        self.judgement = judgement
        self.original = {each.index: each for each in original}
        self.same_meaning = same_meaning

    def comparisons(self) -> Iterator[Comparison]:
        if not self.seen.known:
            yield Comparison(Kind.INCONCLUSIVE, "the probe gave no report", self.level)
            return
        verdict = self.said.program
        program = self.seen.program
        if program.is_bad:
            yield self._bad(
                verdict or Verdict(None, Stage.LOAD_PROGRAM, Outcome.OK), (program,), None
            )
        elif verdict is not None:
            bad = [each for method in self.seen.methods for each in method.bad]
            if bad:
                yield self._bad(verdict, bad, None)
            else:
                yield self._ran(verdict, None)
        else:
            yield from self._methods()

    def _methods(self) -> Iterator[Comparison]:
        names = set()
        yield Comparison(Kind.AGREE_OK, level=self.level)
        for method in self.seen.methods:
            # The runtime finds a method by its name: of equal ones the first.
            if method.name in names or method.index >= len(self.said.verdicts):
                continue
            names.add(method.name)
            verdict = self.said.verdicts[method.index]
            if method.bad:
                yield self._bad(verdict, method.bad, method.index)
                continue
            wrong = self._silently_wrong(method)
            if verdict.outcome is Outcome.OK:
                if wrong:
                    yield self._result(
                        Kind.MISSED, f"silent: {wrong}", verdict, wrong, method.index
                    )
                else:
                    yield Comparison(Kind.AGREE_OK, level=self.level, method=method.index)
            elif wrong and verdict.outcome is Outcome.UNDEFINED:
                yield self._result(Kind.AGREE_BAD, "", verdict, wrong, method.index)
            else:
                yield self._ran(verdict, method)

    def _silently_wrong(self, method: MethodSeen) -> str:
        """How results are wrong although every call went well; empty where they are not."""
        twin = self.original.get(method.index)
        known = {memory for memory, _ in twin.unwritten} if twin else set()
        for memory, where in method.unwritten:
            if memory not in known:
                return f"depends on unwritten {memory} memory: {where.split(' ')[0]}"
        if self.same_meaning and twin is not None and not twin.bad:
            for mine, other in zip(method.endings, twin.endings, strict=False):
                if mine.outputs != other.outputs:
                    return "results differ from those before the memory plan was changed"
        return ""

    def _bad(self, verdict: Verdict, endings: Sequence[Ending], method: int | None) -> Comparison:
        first = endings[0]
        if verdict.outcome is Outcome.OK:
            why = explain_missed(first, self.judgement, method, self.level)
            if why:
                return self._result(Kind.INCONCLUSIVE, why, verdict, str(first), method, first)
            key = f"{first.stage} {first.outcome} {first.detail or ''}"
            return self._result(Kind.MISSED, key, verdict, str(first), method, first)
        for ending in endings:
            if agrees(verdict, ending):
                return self._result(Kind.AGREE_BAD, "", verdict, str(ending), method)
        why = explain_other(first, verdict, self.said, self.judgement, method, self.level)
        if why:
            return self._result(Kind.INCONCLUSIVE, why, verdict, str(first), method, first)
        key = f"{describe(verdict)} / {first.stage} {first.outcome} {first.detail or ''}"
        return self._result(Kind.OTHER, key, verdict, str(first), method, first)

    def _ran(self, verdict: Verdict, method: MethodSeen | None) -> Comparison:
        why = explain_alarm(verdict, self.said, self.judgement, method, self.level)
        kind = Kind.INCONCLUSIVE if why else Kind.FALSE_ALARM
        index = method.index if method is not None else None
        return self._result(kind, why or describe(verdict), verdict, "runs", index)

    def _result(
        self,
        kind: Kind,
        category: str,
        verdict: Verdict,
        seen: str,
        method: int | None,
        ending: Ending | None = None,
    ) -> Comparison:
        logs = ending.logs if ending is not None else ()
        return Comparison(kind, category.strip(), self.level, method, describe(verdict), seen, logs)


_RANKS = {str(stage): stage.rank for stage in Stage}


def agrees(verdict: Verdict, ending: Ending) -> bool:
    """Whether a verdict that is not ok says what was seen.

    Undefined behaviour may show in any way, at its stage or later.
    """
    if verdict.outcome is Outcome.UNDEFINED:
        return _RANKS[ending.stage] >= verdict.stage.rank
    if str(verdict.stage) != ending.stage:
        return False
    if verdict.outcome is Outcome.ERROR:
        return ending.outcome == "error" and verdict.error == ending.detail
    return ending.outcome == "crash" and verdict.signal in (None, ending.detail)
