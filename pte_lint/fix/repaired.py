"""What becomes of a program that is repaired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.claims.result import ArtifactReport
from pte_lint.data.context import Context
from pte_lint.fix.intervals import CannotPlan
from pte_lint.fix.planner import plan_again
from pte_lint.rulebook.fixable import NEED_ERROR
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.writer.pieces import Piece
from pte_lint.text.printable import printable


@dataclass(frozen=True, slots=True)
class Applied:
    """A finding that was undone, and what was done."""

    finding: Finding
    what: str
    is_safe: bool


@dataclass(frozen=True, slots=True)
class Left:
    """A finding that stays, and why."""

    finding: Finding
    why: str


@dataclass(frozen=True, slots=True)
class Memory:
    """Planned bytes of an arena: before, after, and the least that any plan needs."""

    method: str
    memory_id: int
    device: str
    before: int
    after: int
    bound: int | None


@dataclass(frozen=True, slots=True)
class Repair:
    """What became of one program.

    Attributes:
        before: The report on the file.
        after: The report on the repaired program.
        applied: What was undone, in order.
        left: What stays, in the order of the report.
        memory: Arenas whose size changed.
        pieces: The repaired file; None where nothing was changed.
    """

    before: ArtifactReport
    after: ArtifactReport
    applied: tuple[Applied, ...]
    left: tuple[Left, ...]
    memory: tuple[Memory, ...]
    pieces: tuple[Piece, ...] | None

    @property
    def undefined(self) -> frozenset[str]:
        """Methods whose results may change, as those of before were, or may have been, garbage."""
        unsure = {a.finding.method for a in self.applied if a.finding.rule in NEED_ERROR}
        return garbage(self.before) | {method for method in unsure if method is not None}


def garbage(report: ArtifactReport) -> frozenset[str]:
    """The methods that run by their verdict, but not to anything that is defined."""
    return frozenset(
        v.method for v in report.verdict if v.method is not None and v.outcome is Outcome.UNDEFINED
    )


def arenas(context: Context) -> dict[tuple[int, int], int]:
    """Bytes of each arena, by method and memory id."""
    return {
        (method.index, memory_id): max(arena.size, 0)
        for method in context.methods
        for memory_id, arena in method.arenas.items()
    }


def changes(before: Mapping[tuple[int, int], int], context: Context) -> Iterator[Memory]:
    """The arenas whose bytes changed, with the least that any plan needs."""
    for method in context.methods:
        changed = {
            memory_id: (was, max(arena.size, 0))
            for memory_id, arena in method.arenas.items()
            if (was := before.get((method.index, memory_id), 0)) != max(arena.size, 0)
        }
        bounds: dict[int, int] = {}
        if changed:
            with suppress(CannotPlan):
                bounds = {plan.memory_id: plan.bound for plan in plan_again(method)}
        for memory_id, (was, now) in changed.items():
            name, where = printable(method.name), str(method.arenas[memory_id].device)
            yield Memory(name, memory_id, where, was, now, bounds.get(memory_id))


def key_of(finding: Finding) -> tuple[str, str]:
    """What tells a finding from others, whatever program it is found in."""
    return finding.rule, finding.fingerprint


def wrong_methods(report: ArtifactReport) -> set[int | None]:
    """Methods with an error."""
    return {f.plan for f in report.findings if f.severity is Severity.ERROR}


def errors_of(report: ArtifactReport) -> Counter[tuple[str, str]]:
    """Errors by what they are about."""
    return Counter(key_of(f) for f in report.findings if f.severity is Severity.ERROR)
