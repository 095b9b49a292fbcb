"""Reduces a mutant that shows a difference to the fewest and smallest edits that still do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.fuzz.campaign import Bench
from tests.fuzz.comparison import Comparison
from tests.fuzz.edits import ByteEdit, DoesNotApply, Edit, FieldEdit, Mutant

Keeps = Callable[[Mutant], bool]

_MOST_TRIES = 200


def shrunk(mutant: Mutant, keeps: Keeps) -> Mutant:
    """The smallest mutant found.

    Args:
        mutant: One that shows the difference.
        keeps: Whether a smaller one still shows it.
    """
    tries = 0
    again = True
    while again:
        again = False
        for smaller in _smaller(mutant):
            tries += 1
            if tries > _MOST_TRIES:
                return mutant
            if keeps(smaller):
                mutant = smaller
                again = True
                break
    return mutant


def same_difference(bench: Bench, wanted: Comparison) -> Keeps:
    """Whether a mutant still differs in the same way, as a test for `shrunk`."""

    def keeps(mutant: Mutant) -> bool:
        try:
            mutant.files()
        except DoesNotApply:
            return False
        for result in bench.results([mutant]):
            found = result.comparison
            return (found.kind, found.category) == (wanted.kind, wanted.category)
        return False

    return keeps


def _smaller(mutant: Mutant) -> Iterator[Mutant]:
    """Mutants with one edit less, then with one edit made smaller."""
    edits = mutant.edits
    if len(edits) > 1:
        for position in range(len(edits)):
            yield mutant.with_edits((*edits[:position], *edits[position + 1 :]))
    for position, edit in enumerate(edits):
        for part in _parts(edit):
            yield mutant.with_edits((*edits[:position], part, *edits[position + 1 :]))


def _parts(edit: Edit) -> Iterator[Edit]:
    if isinstance(edit, FieldEdit) and len(edit.changes) > 1:
        for position in range(len(edit.changes)):
            rest = edit.changes[:position] + edit.changes[position + 1 :]
            yield replace(edit, changes=rest)
    if isinstance(edit, ByteEdit) and edit.length == len(edit.content) > 1:
        half = edit.length // 2
        yield replace(edit, length=half, content=edit.content[:half])
        yield replace(
            edit, at=edit.at + half, length=edit.length - half, content=edit.content[half:]
        )
