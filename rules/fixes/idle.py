"""What findings say is of no use, as edits and bytes: for `confirm`, which looks what they change.

Each names just what its finding names, so that a finding about something that is in use shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from pte_lint.rules.fixes.finding import method_of, step_of

from pte_lint.claims.finding import Finding
from pte_lint.data.context import Context
from pte_lint.edits.calls import DropInstruction
from pte_lint.edits.content import DropDelegates, DropOperators, DropSegments
from pte_lint.edits.draft import Edit
from pte_lint.edits.fixer import Edits, Fixer
from pte_lint.edits.memory import DropArenaEntries
from pte_lint.edits.plan_draft import EditError
from pte_lint.edits.undoing import EndAtEnd, PlainField


def _named(numbers: Iterable[int]) -> tuple[int, ...]:
    """What a finding names.

    Raises:
        EditError: Nothing: to take out nothing shows nothing.
    """
    found = tuple(numbers)
    if not found:
        raise EditError("it names nothing")
    return found


def _entries(finding: Finding, context: Context) -> Iterator[Edit]:
    entries = _named(finding.evidence["entries"])
    drop = DropOperators if finding.evidence["table"] == "operators" else DropDelegates
    yield drop(method_of(finding, context).index, entries)


def _instructions(finding: Finding, context: Context) -> Iterator[Edit]:
    first, last = finding.evidence["first"], finding.evidence["last"]
    for number in _named(range(first, last + 1)):
        yield DropInstruction(method_of(finding, context).index, number)


def _field(finding: Finding, context: Context) -> Iterator[Edit]:
    yield PlainField(method_of(finding, context).index, finding.location.path)


def _arena_entry(finding: Finding, context: Context) -> Iterator[Edit]:
    position = int(finding.location.path.rpartition("[")[2].rstrip("]"))
    yield DropArenaEntries(method_of(finding, context).index, (position,))


def _segments(finding: Finding, context: Context) -> Iterator[Edit]:
    """Left out and not written over: the bytes may be another segment's too."""
    yield DropSegments(_named(finding.evidence["segments"]))


def _jump(finding: Finding, context: Context) -> Iterator[Edit]:
    method = method_of(finding, context)
    yield EndAtEnd(method.index, step_of(finding, method).index)


def _trailing(finding: Finding, context: Context) -> Iterator[tuple[int, int]]:
    end = finding.evidence["end"]
    yield end, end + finding.evidence["extra"]


def _gaps(finding: Finding, context: Context) -> Iterator[tuple[int, int]]:
    for gap in finding.evidence["gaps"]:
        yield gap["start"], gap["end"]


def edits(fixers: Mapping[str, Fixer]) -> dict[str, Edits]:
    """What takes out what a rule's findings say is of no use; repairs do where they name it."""
    repairs = {rule: fixers[rule].edits for rule in ("PTE319",) if rule in fixers}
    return {**_EDITS, **repairs}


_EDITS: dict[str, Edits] = {
    "PTE111": _field,
    "PTE126": _jump,
    "PTE128": _instructions,
    "PTE207": _field,
    "PTE310": _arena_entry,
    "PTE507": _field,
    "PTE701": _segments,
    "PTE702": _entries,
}

IDLE_BYTES: dict[str, Callable[[Finding, Context], Iterator[tuple[int, int]]]] = {
    "PTE017": _trailing,
    "PTE021": _gaps,
}
"""The bytes that a rule's findings say nothing reads."""
