"""Who needs which bytes of an arena, and when: what is live at once, and the most of it.

Time counts as in `planning.lifetime`: -1 is before the first instruction, when inputs are set, and
the number of instructions is after the last one, when outputs are read. In a method with jumps a
storage is also needed wherever control flow keeps its content.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from pte_lint.questions.method import Method
from pte_lint.questions.planning import lifetime
from pte_lint.schema.frozen import dataclass


class Lives(Protocol):
    """Bytes that are needed from one step to another."""

    @property
    def nbytes(self) -> int:
        """How many."""

    @property
    def first(self) -> int:
        """The first step that needs them."""

    @property
    def last(self) -> int:
        """The last one; before the first where nothing does."""


@dataclass(frozen=True, slots=True)
class Tenancy:
    """The tensors of one storage: bytes [start, start + nbytes) of an arena, needed from step
    `first` to step `last`."""

    values: tuple[int, ...]
    start: int
    nbytes: int
    first: int
    last: int


def tenancies(method: Method) -> dict[int, tuple[Tenancy, ...]]:
    """All storage of a method that has a place, by memory_id."""
    members: dict[int, dict[int, list[int]]] = {}
    storage = method.liveness.storage
    for v in method.tensors:
        place = method.place(v)
        if place is not None and place[0] in method.arenas:
            members.setdefault(place[0], {}).setdefault(storage.alias_set(v), []).append(v)
    crossing = _crossing(method)
    return {
        memory_id: tuple(_tenancy(method, tuple(u), crossing) for u in alias_sets.values())
        for memory_id, alias_sets in members.items()
    }


def peak(lives: Iterable[Lives]) -> tuple[int, int]:
    """The most bytes that are needed at once, and the step at which they first are."""
    most, most_at = 0, -1
    for at, live in live_bytes(lives):
        if live > most:
            most, most_at = live, at
    return most, most_at


def live_bytes(lives: Iterable[Lives]) -> Iterator[tuple[int, int]]:
    """Bytes that are needed at once, as (step from which on, bytes), in order of steps."""
    change: dict[int, int] = {}
    for each in lives:
        if each.last >= each.first:
            change[each.first] = change.get(each.first, 0) + each.nbytes
            change[each.last + 1] = change.get(each.last + 1, 0) - each.nbytes
    live = 0
    for at in sorted(change):
        live += change[at]
        yield at, live


def largest(method: Method, values: Sequence[int]) -> int:
    """The value that needs most bytes; of several the first."""
    if len(values) == 1:
        return values[0]
    return max(values, key=lambda v: (method.nbytes(v), -v))


def _tenancy(
    method: Method, values: tuple[int, ...], crossing: dict[int, tuple[int, int]]
) -> Tenancy:
    place = method.place(largest(method, values))
    assert place is not None
    first, last = lifetime(method, values)
    for v in values:
        if v in crossing:
            first, last = min(first, crossing[v][0]), max(last, crossing[v][1])
    return Tenancy(values, place[1], place[2], first, last)


def _crossing(method: Method) -> dict[int, tuple[int, int]]:
    """By value, the first and the last step at a border of blocks where its content is needed."""
    found: dict[int, tuple[int, int]] = {}
    flow, live = method.flow, method.liveness
    if flow.is_straight:
        return found
    for block in flow.blocks:
        for step, values in (
            (block.first, live.live_before(block.index)),
            (block.last, live.live_after(block.index)),
        ):
            for v in values:
                first, last = found.get(v, (step, step))
                found[v] = min(first, step), max(last, step)
    return found
