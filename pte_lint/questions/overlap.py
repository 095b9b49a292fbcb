"""Finds steps that write bytes which somebody still needs.

Each block is walked backwards with the set of tensors whose content is needed after the step at
hand, kept in an index of their byte ranges. Everything a step writes is looked up there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from pte_lint.claims.ledger import Budget
from pte_lint.interpret.dataflow import MEMORY_PLAN, Crossing
from pte_lint.interpret.flow import flow_of
from pte_lint.interpret.ranges import RangeIndex, TooManyOverlaps
from pte_lint.interpret.residency import residency_of
from pte_lint.questions.access import Access
from pte_lint.questions.storage import Storage
from pte_lint.schema.frozen import dataclass

if TYPE_CHECKING:
    from pte_lint.interpret.flow import Block
    from pte_lint.interpret.residency import Place
    from pte_lint.ir.method import Method
    from pte_lint.ir.steps import Step

_BUDGET_FLOOR = 2_000_000
_BUDGET_PER_STEP = 64
TOO_MANY_RANGES = "too many ranges overlap to look at all of them"
_MANY_PAIRS = 256
"""Outputs times inputs of one step above which an index pays."""
_MAX_RESULTS = 1000
"""Conflicts after which the search stops; a plan that bad needs no longer list."""


class Lives(Protocol):
    """What the search wants to know of live storage; see `pte_lint.questions.liveness`."""

    @property
    def storage(self) -> Storage:
        """Which values are names for the same bytes."""
        ...

    @property
    def accesses(self) -> tuple[Access, ...]:
        """What each step does to bytes."""
        ...

    @property
    def is_tensor(self) -> bytearray:
        """One flag a value."""
        ...

    def holds_at_start(self, v: int) -> bool:
        """True when the tensor, or its base, holds something before the first step."""
        ...


@dataclass(frozen=True, slots=True)
class Spot:
    """Bytes [start, end) of an arena that a tensor's pointer may be at."""

    memory_id: int
    start: int
    end: int
    storage: int
    """The value whose place at load this is."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A step writes bytes that another tensor still needs.

    `step` is None for the loader, which fills state value after value, and for the caller, who sets
    the inputs one after the other. `certain` is false
    when both tensors may be in several places and only some combinations meet.
    """

    step: int | None
    writer: int
    written: Spot
    victim: int
    needed: Spot
    certain: bool = True


@dataclass(frozen=True, slots=True)
class SharedStep:
    """A step writes bytes of one of its own inputs, which nobody needs afterwards."""

    step: int
    writer: int
    written: Spot
    source: int
    read: Spot


_Placed = tuple[int, tuple[Spot, ...]]
"""A value and where its pointer may be."""


class Overlaps:
    """The search over one method."""

    def __init__(self, method: Method, liveness: Lives, crossing: Crossing) -> None:
        """Takes the solved data flow; `run` does the work."""
        self._method = method
        self._liveness = liveness
        self._storage = liveness.storage
        self._crossing = crossing
        work = max(_BUDGET_FLOOR, _BUDGET_PER_STEP * len(method.steps))
        self._budget = Budget(method.ledger, MEMORY_PLAN, TOO_MANY_RANGES, work)
        self.conflicts: list[Conflict] = []
        self.shared: list[SharedStep] = []
        self._static: dict[int, tuple[Spot, ...]] = {}

    def run(self) -> None:
        """Searches everything; results are in `conflicts` and `shared`.

        Raises:
            TooManyOverlaps: the search costs too much; results so far are right.
        """
        try:
            self._loads()
            self._inputs()
            self._blocks()
        finally:
            self.conflicts.sort(key=lambda c: (-1 if c.step is None else c.step, c.victim))
            self.shared.sort(key=lambda s: (s.step, s.source))

    def _blocks(self) -> None:
        flow = flow_of(self._method)
        places_after = self._places_after()
        for block in flow.blocks:
            if flow.reachable[block.first]:
                self._block(block, places_after)

    # -- the loader's and the caller's writes -----------------------------------------------------

    def _loads(self) -> None:
        """Loading initial state must leave state alone that is loaded before, or starts at zero."""
        method, initial = self._method, residency_of(self._method).initial
        loaded = method.initial_states
        if not loaded:
            return
        live = _Live(self._budget)
        needed = set(self._crossing.live_at_start())
        for v in needed.difference(loaded):
            if not method.is_input[v] and self._liveness.holds_at_start(v):
                live.add(v, self._spots(v, initial(v)))
        for v in loaded:
            spots = self._spots(v, initial(v))
            self._check(None, v, spots, live, None)
            if v in needed:
                live.add(v, spots)

    def _inputs(self) -> None:
        """Setting an input must leave the inputs before it and all state alone."""
        method = self._method
        planned = [v for v in dict.fromkeys(method.inputs) if method.is_planned(v)]
        if not planned:
            return
        live = _Live(self._budget)
        needed = set(self._crossing.live_at_start())
        for v in needed:
            if not method.is_input[v] and self._liveness.holds_at_start(v):
                live.add(v, self._spots(v, residency_of(method).initial(v)))
        for v in planned:
            spots = self._spots(v, residency_of(method).initial(v))
            self._check(None, v, spots, live, None)
            if v in needed:
                live.add(v, spots)

    # -- blocks -----------------------------------------------------------------------------------

    def _places_after(self) -> Mapping[tuple[int, int], tuple[Place, ...]]:
        """Where the pointers of what is live after each block may be, by step and value."""
        flow, residency = flow_of(self._method), residency_of(self._method)
        if residency.is_static:
            return {}
        asked: dict[int, list[int]] = {}
        for block in flow.blocks:
            if flow.reachable[block.first]:
                for v in self._crossing.live_after(block.index):
                    asked.setdefault(v, []).append(block.last)
        return residency.places_after(asked)

    def _block(
        self, block: Block, places_after: Mapping[tuple[int, int], tuple[Place, ...]]
    ) -> None:
        method, static = self._method, residency_of(self._method).is_static
        live = _Live(self._budget)
        for v in self._crossing.live_after(block.index):
            at = self._of(v) if static else self._spots(v, places_after[block.last, v])
            live.add(v, at)
        accesses, steps = self._liveness.accesses, method.steps
        is_tensor, spots_of = self._liveness.is_tensor, self._of
        for i in reversed(block.steps):
            what, step = accesses[i], steps[i]
            spots = spots_of if static else partial(self._spots_before, step)
            reads = [(v, spots(v)) for v in what.reads if is_tensor[v]]
            if what.stores:
                written = [(v, spots(v)) for v in what.stores if is_tensor[v]]
                for v, at in written:
                    self._check(step, v, at, live, block)
                self._own_inputs(step, written, reads, live)
            for v in what.binds:
                for each in self._storage.together(v):
                    live.drop(each)
            for v, at in reads:
                if v not in live.at:
                    live.add(v, at)

    def _check(
        self,
        step: Step | None,
        writer: int,
        spots: Sequence[Spot],
        live: _Live,
        block: Block | None,
    ) -> None:
        alias_set = self._storage.alias_set
        for spot in spots:
            index = live.arenas.get(spot.memory_id)
            if index is None:
                continue
            for victim, start, end in index.overlapping(spot.start, spot.end):
                if not self._budget.spend():
                    raise TooManyOverlaps
                if victim == writer or alias_set(writer) == alias_set(victim):
                    continue
                places = live.at[victim]
                others = [s for s in places if not self._is_same(s, spot)]
                needed = next((s for s in others if (s.start, s.end) == (start, end)), None)
                if needed is None:
                    continue
                if block is not None and step is not None:
                    bound = self._liveness.accesses[step.index].binds
                    made = not set(bound).isdisjoint(self._storage.together(victim))
                    if not made and not self._is_defined(victim, step.index, block):
                        continue
                self.conflicts.append(
                    Conflict(
                        step.index if step is not None else None,
                        writer,
                        spot,
                        victim,
                        needed,
                        certain=len(places) == 1
                        or (len(spots) == 1 and len(others) == len(places)),
                    )
                )
                if len(self.conflicts) > _MAX_RESULTS:
                    self._method.ledger.give_up(MEMORY_PLAN, TOO_MANY_RANGES)
                    raise TooManyOverlaps

    def _is_same(self, one: Spot, other: Spot) -> bool:
        """True when both are places of the same storage."""
        alias_set = self._storage.alias_set
        return alias_set(one.storage) == alias_set(other.storage)

    def _is_defined(self, v: int, before: int, block: Block) -> bool:
        """True when `v` may hold something before a step of the block."""
        if self._liveness.holds_at_start(v) or self._crossing.is_defined_before(block.index, v):
            return True
        for m in self._storage.together(v):
            writers = self._method.writers(m)
            at = bisect_left(writers, block.first)
            if at < len(writers) and writers[at] < before:
                return True
        return False

    def _own_inputs(
        self,
        step: Step,
        written: Sequence[_Placed],
        reads: Sequence[_Placed],
        live: _Live,
    ) -> None:
        """Notes inputs of the step that it writes over and that are dead afterwards."""
        if len(written) * len(reads) > _MANY_PAIRS:
            index = _Live(self._budget)
            for v, at in reads:
                index.add(v, at)
            for v, spots in written:
                for spot in spots:
                    arena = index.arenas.get(spot.memory_id)
                    near = arena.overlapping(spot.start, spot.end) if arena is not None else ()
                    for source in {name for name, _, _ in near}:
                        self._share(step, (v, spot), source, index.at[source], live)
            return
        for v, spots in written:
            for spot in spots:
                for source, at in reads:
                    self._share(step, (v, spot), source, at, live)

    def _share(
        self,
        step: Step,
        written: tuple[int, Spot],
        source: int,
        at: Sequence[Spot],
        live: _Live,
    ) -> None:
        writer, spot = written
        for other in at:
            if (
                other.start < spot.end
                and spot.start < other.end
                and other.memory_id == spot.memory_id
                and source != writer
                and source not in live.at
                and self._storage.alias_set(other.storage) != self._storage.alias_set(spot.storage)
            ):
                self.shared.append(SharedStep(step.index, writer, spot, source, other))

    # -- places -----------------------------------------------------------------------------------

    def _of(self, v: int) -> tuple[Spot, ...]:
        """The spot of a value that no step rebinds."""
        known = self._static.get(v)
        if known is None:
            place = self._method.place(v)
            known = ()
            if place is not None and place[2] > 0:
                known = (Spot(place[0], place[1], place[1] + place[2], v),)
            self._static[v] = known
        return known

    def _spots_before(self, step: Step, v: int) -> tuple[Spot, ...]:
        return self._spots(v, residency_of(self._method).places(step, v))

    def _spots(self, v: int, places: Sequence[Place]) -> tuple[Spot, ...]:
        method = self._method
        spots: list[Spot] = []
        for place in places:
            if place.storage is None:
                continue
            at = method.place(place.storage)
            if at is None:
                continue
            nbytes = method.nbytes(place.value)
            if nbytes > 0:
                spots.append(Spot(at[0], at[1], at[1] + nbytes, place.storage))
        return tuple(spots)


class _Live:
    """The tensors whose content is needed at one moment, with an index by arena."""

    __slots__ = ("_budget", "arenas", "at")

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self.arenas: dict[int, RangeIndex] = {}
        self.at: dict[int, tuple[Spot, ...]] = {}

    def add(self, v: int, spots: tuple[Spot, ...]) -> None:
        self.at[v] = spots
        for spot in spots:
            index = self.arenas.get(spot.memory_id)
            if index is None:
                index = self.arenas[spot.memory_id] = RangeIndex(self._budget)
            index.add(spot.start, spot.end, v)

    def drop(self, v: int) -> None:
        spots = self.at.pop(v, None)
        if spots:
            for spot in spots:
                self.arenas[spot.memory_id].remove(spot.start, spot.end, v)
