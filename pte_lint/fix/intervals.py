"""When the bytes of planned tensors are needed, as a planner has to know it.

Intervals count steps: -1 is the time in which inputs are set and state is loaded, the number of
steps is the time after the run. There is one for each basic block, from the first to the last step
that names the tensors, and up to the block's border where their content comes in or goes out. So
they hold for loops, and what one branch needs is free in the other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from pte_lint.interpret.residency import Place
from pte_lint.ir.calling import ET_COPY_INDEX
from pte_lint.questions.method import Method, Step
from pte_lint.schema.frozen import dataclass


class CannotPlan(Exception):  # noqa: N818 - a property of the method
    """Nothing sound can be said about when bytes are needed; the text says why."""


@dataclass(frozen=True, slots=True)
class Need:
    """Tensors that share storage, and when they need it.

    Attributes:
        members: Value indices.
        memory_id: Their arena.
        size: Bytes.
        spans: First and last step of every interval, in order and apart. Empty for what is
            needed at no time: any place will do.
    """

    members: tuple[int, ...]
    memory_id: int
    size: int
    spans: tuple[tuple[int, int], ...]

    @property
    def first(self) -> int:
        """The first step of all."""
        return self.spans[0][0] if self.spans else 0

    @property
    def last(self) -> int:
        """The last step of all; before the first if there is none."""
        return self.spans[-1][1] if self.spans else -1

    def meets(self, other: Need) -> bool:
        """Whether both are needed at some time."""
        if not (self.first <= other.last and other.first <= self.last):
            return False
        return any(a <= d and c <= b for a, b in self.spans for c, d in other.spans)


def needs(method: Method, *, stale: bool = False) -> list[Need]:
    """The needs of all planned tensors of a method, in order of their first value.

    Args:
        method: The method.
        stale: Take what is read before anything writes it for needed throughout, which is right
            whatever it should hold, as long as it does not get its content by lying where another
            tensor does.

    Raises:
        CannotPlan: The method's liveness is not known, or something is read that nothing wrote.
    """
    live = method.liveness
    if live.gave_up is not None:
        raise CannotPlan(live.gave_up)
    if live.stale_reads and not stale:
        raise CannotPlan(f"value {live.stale_reads[0].value} is read before anything writes it")
    return _Search(method).needs()


class _Search:
    """Collects, storage by storage, the times at which its bytes are touched or carried."""

    def __init__(self, method: Method) -> None:
        self._method = method
        self._storage = method.liveness.storage
        self._residency = method.residency
        self._stale = frozenset(read.value for read in method.liveness.stale_reads)
        self._times: dict[int, dict[int, tuple[int, int]]] = {}
        """By alias set of storage and basic block, the first and the last time."""
        blocks = () if method.flow.is_straight else method.flow.blocks
        self._starts = [block.first for block in blocks]
        self._sizes: dict[int, int] = {}
        """By alias set of storage, the bytes that what points there from elsewhere may touch."""
        self._reached: dict[int, set[int]] = {}
        """By value that steps point elsewhere, the alias sets it may point at."""

    def needs(self) -> list[Need]:
        """See `needs`."""
        method = self._method
        for v in method.tensors:
            if not self._residency.is_moved(v):
                self._uses(v)
        for step in method.steps:
            for v in {*step.reads, *step.writes, *step.args}:
                if self._residency.is_moved(v):
                    self._touch(v, self._residency.places(step, v), step.index)
        self._outside()
        self._carried()
        copies = (step for step in method.calls.of(ET_COPY_INDEX) if step.args)
        kept = {step.args[0] for step in copies if not self._is_anew(step)}
        for v in method.tensors:
            if self._storage.is_state(v) or v in self._stale or v in kept:
                self._throughout(self._storage.alias_set(v))
        alias_sets: dict[int, list[int]] = {}
        for v in method.tensors:
            if method.is_planned(v):
                alias_sets.setdefault(self._storage.alias_set(v), []).append(v)
        return [self._need(alias_set, tuple(members)) for alias_set, members in alias_sets.items()]

    def _is_anew(self, step: Step) -> bool:
        """True when every run copies rows from the first one on: none is of an earlier run."""
        return self._method.interpretation.starts_with(step.args[-1], 0)

    def _need(self, alias_set: int, members: tuple[int, ...]) -> Need:
        method = self._method
        arenas = {place[0] for v in members if (place := method.place(v)) is not None}
        if len(arenas) != 1:
            raise CannotPlan(f"views of value {members[0]} are in several arenas")
        size = max(self._sizes.get(alias_set, 0), *map(method.nbytes, members))
        return Need(members, arenas.pop(), size, _merged(self._times.get(alias_set, {}).values()))

    def _at(self, alias_set: int, time: int) -> None:
        block = max(bisect_right(self._starts, time) - 1, 0)
        times = self._times.setdefault(alias_set, {})
        low, high = times.get(block, (time, time))
        times[block] = min(low, time), max(high, time)

    def _throughout(self, alias_set: int) -> None:
        self._times[alias_set] = {0: (-1, len(self._method.steps))}

    def _touch(self, v: int, places: Iterable[Place], time: int) -> None:
        reached = self._reached.setdefault(v, set())
        for place in places:
            if place.storage is not None:
                alias_set = self._storage.alias_set(place.storage)
                reached.add(alias_set)
                self._sizes[alias_set] = max(self._sizes.get(alias_set, 0), self._method.nbytes(v))
                self._at(alias_set, time)

    def _uses(self, v: int) -> None:
        alias_set = self._storage.alias_set(v)
        for uses in (self._method.readers(v), self._method.writers(v)):
            # A block's first and last would do, and there are few uses.
            for time in uses if self._starts else (*uses[:1], *uses[-1:]):
                self._at(alias_set, time)

    def _outside(self) -> None:
        """Inputs are set before the run, also the next one; outputs are read after it."""
        method, end = self._method, len(self._method.steps)
        for v in method.tensors:
            if method.is_input[v]:
                self._touch(v, self._residency.initial(v), -1)
                self._touch(v, self._residency.at_end(v), -1)
            if method.is_output[v] or method.liveness.is_returned(v):
                self._touch(v, self._residency.at_end(v), end)

    def _carried(self) -> None:
        """Content that is needed behind a block is needed at its borders, in loops too."""
        flow, live = self._method.flow, self._method.liveness
        if flow.is_straight:
            return
        for block in flow.blocks:
            if flow.reachable[block.first]:
                for v in live.live_before(block.index):
                    self._border(v, block.first)
                for v in live.live_after(block.index):
                    self._border(v, block.last)

    def _border(self, v: int, time: int) -> None:
        for alias_set in self._reached.get(v) or {self._storage.alias_set(v)}:
            self._at(alias_set, time)


def _merged(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Intervals in order; those that touch become one."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(spans):
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(high, found[-1][1])
        else:
            found.append((low, high))
    return tuple(found)
