"""Live ranges of storage: whose bytes are still needed, and which are read too early.

Works on the control-flow graph, through moves and `et_view`s, over views that share a place, and
across executes for state. What follows from it is asked for by rules: `conflicts` (a step writes
bytes that another tensor still needs), `shared_steps` (a step writes over what it reads itself)
and `stale_reads` (bytes are needed that no step of the run has written yet).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from pte_lint.claims.ledger import Budget
from pte_lint.interpret.dataflow import (
    MEMORY_PLAN,
    TOO_MUCH_FLOW,
    BlockFacts,
    Crossing,
    OneOfEach,
    TooMuchFlow,
)
from pte_lint.interpret.flow import flow_of
from pte_lint.interpret.ranges import TooManyOverlaps
from pte_lint.interpret.residency import residency_of
from pte_lint.ir.method import Method
from pte_lint.ir.question import question
from pte_lint.ir.steps import StepKind
from pte_lint.ops.operators import is_pure
from pte_lint.questions.access import Access, accesses
from pte_lint.questions.overlap import Conflict, Overlaps, SharedStep
from pte_lint.questions.paths import leads_to
from pte_lint.questions.plain_plan import is_plainly_sound
from pte_lint.questions.storage import Storage, returned
from pte_lint.schema.frozen import dataclass

_BUDGET_FLOOR = 1_000_000
_BUDGET_PER_ACCESS = 64
_BUDGET_PER_STEP = 16
_ROUNDS = 5
"""How often liveness is solved again without what dead steps read."""


@dataclass(frozen=True, slots=True)
class StaleRead:
    """A step needs a tensor's bytes although no step of the run has written them before.

    `step` is None when the bytes are the caller's to read, as an output. `written_later` says
    that some step does write them, only not before on every path.
    """

    value: int
    step: int | None
    written_later: bool


class Liveness:
    """Answers questions about live storage; near-linear, and honest about what it gave up."""

    def __init__(self, method: Method) -> None:
        """Prepares for `method`; its data flow is solved only where a quick look leaves doubts."""
        self._method = method
        self._returned = frozenset(returned(method))
        self.is_plain = is_plainly_sound(method)
        """True when it is clear at once that nothing is wrong."""

    # -- results ----------------------------------------------------------------------------------

    @property
    def gave_up(self) -> str | None:
        """Why the method could not be judged as a whole, as the ledger tells, or None."""
        if self.is_plain or self._crossing is not None:
            return None
        return next(entry.why for entry in self._method.ledger)

    @cached_property
    def _crossing(self) -> Crossing | None:
        """What is live where; None when that is not known."""
        if residency_of(self._method).is_exhausted:
            return None
        try:
            return self._solve()
        except TooMuchFlow:
            return None

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Steps that write bytes which another tensor still needs, in order of steps."""
        return () if self.is_plain else self._overlaps[0]

    @property
    def shared_steps(self) -> tuple[SharedStep, ...]:
        """Steps that write bytes which they also read, for the last time, as another tensor."""
        return () if self.is_plain else self._overlaps[1]

    @cached_property
    def _overlaps(self) -> tuple[tuple[Conflict, ...], tuple[SharedStep, ...]]:
        if self._crossing is None:
            return (), ()
        search = Overlaps(self._method, self, self._crossing)
        # What was found so far is right, and the ledger tells that there may be more.
        with suppress(TooManyOverlaps):
            search.run()
        return tuple(search.conflicts), tuple(search.shared)

    @cached_property
    def stale_reads(self) -> tuple[StaleRead, ...]:
        """Tensors that are needed before anything was written into them, by value index.

        A tensor without any memory of its own is left out: reading it is another fault.
        """
        if self.is_plain or self._crossing is None:
            return ()
        return tuple(self._stale(self._crossing.live_at_start()))

    def is_met(self, stale: StaleRead) -> bool:
        """True when a path that can really be taken leads to the read, past every write."""
        if not flow_of(self._method).excludes_paths:
            return True
        goal = stale.step if stale.step is not None else len(self._method.steps)
        return leads_to(self._method, goal, self._writers(stale.value))

    # -- questions --------------------------------------------------------------------------------

    def holds_at_start(self, v: int) -> bool:
        """True when the tensor, or its base, holds something before the first step."""
        method, storage = self._method, self._storage
        return any(
            method.is_input[m]
            or method.is_constant(m)
            or method.is_external(m)
            or storage.is_state(m)
            for m in storage.together(v)
        )

    def last_write(self, v: int, before: int) -> int | None:
        """The last step before step `before` that writes the tensor's storage, in program order."""
        best: int | None = None
        for m in self._storage.together(v):
            writers = self._method.writers(m)
            at = bisect_left(writers, before)
            if at and (best is None or writers[at - 1] > best):
                best = writers[at - 1]
        return best

    def next_read(self, v: int, after: int) -> int | None:
        """The next step after step `after` that reads `v`, else the first; None for outputs."""
        readers = self.content_readers(v)
        at = bisect_left(readers, after + 1)
        if at < len(readers):
            return readers[at]
        if v in self._returned or not readers:
            return None
        return readers[0]

    def content_readers(self, v: int) -> list[int]:
        """Steps that need the content of `v`, in order."""
        return [r for r in self._method.readers(v) if v in self._accesses[r].reads]

    def live_before(self, block: int) -> Iterable[int]:
        """Values whose content from before a block is needed; none where it gave up."""
        return () if self._crossing is None else self._crossing.live_before(block)

    def live_after(self, block: int) -> Iterable[int]:
        """Values whose content is needed after a block of the flow; none where it gave up."""
        return () if self._crossing is None else self._crossing.live_after(block)

    def is_returned(self, v: int) -> bool:
        """True when the value is a method output, directly or inside a list."""
        return v in self._returned

    # -- building ---------------------------------------------------------------------------------

    @property
    def accesses(self) -> tuple[Access, ...]:
        """What each step does to bytes; a step whose results nobody needs reads nothing."""
        _ = self._crossing  # solving narrows them
        return self._accesses

    @property
    def storage(self) -> Storage:
        """Which values are names for the same bytes, and which are state."""
        _ = self._crossing
        return self._storage

    @cached_property
    def _accesses(self) -> tuple[Access, ...]:
        return accesses(self._method)

    @cached_property
    def _storage(self) -> Storage:
        return Storage(self._method, self._accesses)

    def _solve(self) -> Crossing:
        """Solves liveness, without what only steps read whose own results nobody needs."""
        accesses, dead = self._accesses, list[int]()
        for _ in range(_ROUNDS):
            crossing = Crossing(flow_of(self._method), self._facts(), self._method.ledger)
            crossing.solve(self._returned, self._storage.is_state, self.holds_at_start)
            # Which tensors are views hangs on who reads them: what is dead is asked anew each time.
            found = self._dead_steps(crossing, accesses)
            if found == dead:
                break
            dead = found
            known = list(accesses)
            for i in dead:
                known[i] = replace(known[i], reads=())
            self._accesses = tuple(known)
            self._storage = Storage(self._method, self._accesses)
        return crossing

    def _dead_steps(self, crossing: Crossing, accesses: Sequence[Access]) -> list[int]:
        """Steps that read something, but whose results are replaced before anybody reads them."""
        flow, is_tensor = flow_of(self._method), self.is_tensor
        dead: list[int] = []
        for block in flow.blocks:
            if not flow.reachable[block.first]:
                continue
            live = set(crossing.live_after(block.index))
            for i in reversed(block.steps):
                what = accesses[i]
                if what.reads and self._is_dead(i, what, live):
                    dead.append(i)
                    continue
                for v in what.binds:
                    live.difference_update(self._storage.together(v))
                live.update(v for v in what.reads if is_tensor[v])
        return dead

    def _is_dead(self, index: int, what: Access, live: set[int]) -> bool:
        step = self._method.steps[index]
        if what.updates or not what.binds or step.kind is StepKind.DELEGATE:
            return False
        if step.kind is StepKind.KERNEL and not is_pure(step.operator):
            return False
        for v in what.binds:
            if not self.is_tensor[v] or self._storage.is_state(v):
                return False
            if any(m in live for m in self._storage.together(v)):
                return False
        return True

    @cached_property
    def is_tensor(self) -> bytearray:
        """One flag a value."""
        flags = bytearray(len(self._method.values))
        for v in self._method.tensors:
            flags[v] = 1
        return flags

    def _facts(self) -> dict[int, BlockFacts]:
        flow, storage, is_tensor = flow_of(self._method), self._storage, self.is_tensor
        facts: dict[int, BlockFacts] = {}
        work = max(_BUDGET_FLOOR, _BUDGET_PER_ACCESS * len(self._accesses))
        budget = Budget(self._method.ledger, MEMORY_PLAN, TOO_MUCH_FLOW, work)
        kept = OneOfEach().of
        for block in flow.blocks:
            if not flow.reachable[block.first]:
                continue
            exposed, bound, written = set[int](), set[int](), set[int]()
            for i in block.steps:
                what = self._accesses[i]
                for v in what.reads:
                    if is_tensor[v] and v not in bound:
                        exposed.add(v)
                for v in what.updates:
                    written.update(storage.together(v))
                for v in what.binds:
                    if is_tensor[v]:
                        alias_set = storage.together(v)
                        if not budget.spend(len(alias_set)):
                            raise TooMuchFlow
                        bound.update(alias_set)
                        written.update(alias_set)
            if written == bound:
                written = bound  # nearly always, and sets are large
            facts[block.index] = BlockFacts(kept(exposed), kept(bound), kept(written))
        return facts

    # -- stale reads ------------------------------------------------------------------------------

    def _stale(self, needed: list[int]) -> Iterator[StaleRead]:
        method = self._method
        work = max(_BUDGET_FLOOR, _BUDGET_PER_STEP * len(method.steps))
        budget = Budget(method.ledger, "what is read before it is written", TOO_MUCH_FLOW, work)
        for v in needed:
            if not (method.is_planned(v) or method.is_output[v]):
                continue
            if v in self._storage.undecided or self.holds_at_start(v) or not method.nbytes(v):
                continue
            writers = self._writers(v)
            found, visited = self._first_unwritten_use(v, writers)
            if found is not None:
                yield StaleRead(v, found if found < len(method.steps) else None, bool(writers))
            if not budget.spend(visited):
                return

    def _writers(self, v: int) -> list[int]:
        """Steps that write the tensor's storage or bind it, in order."""
        found = {w for m in self._storage.together(v) for w in self._method.writers(m)}
        found.update(self._storage.bound_unclearly.get(v, ()))
        return sorted(found)

    def _first_unwritten_use(self, v: int, writers: list[int]) -> tuple[int | None, int]:
        """The first step on some path from the start that needs `v` before a step writes it.

        Returns:
            The step (the number of steps for the end, None when there is none), and how many
            blocks were looked at.
        """
        method, flow = self._method, flow_of(self._method)
        readers = self.content_readers(v)
        end = len(method.steps)
        if not flow.blocks:
            return (end if v in self._returned else None), 0
        exits = frozenset(flow.exits)
        best: int | None = None
        seen = {0}
        work = [0]
        while work:
            block = flow.blocks[work.pop()]
            read = _first_within(readers, block.first, block.last)
            write = _first_within(writers, block.first, block.last)
            if read is not None and (write is None or read <= write):
                # A step that reads and writes the value (an in-place one) reads it first.
                best = read if best is None else min(best, read)
                continue
            if write is not None:
                continue
            if block.index in exits and v in self._returned and best is None:
                best = end
            for b in block.successors:
                if b not in seen:
                    seen.add(b)
                    work.append(b)
        return best, len(seen)


def _first_within(steps: list[int], first: int, last: int) -> int | None:
    at = bisect_left(steps, first)
    return steps[at] if at < len(steps) and steps[at] <= last else None


@question
def liveness_of(method: Method) -> Liveness:
    """Live ranges of storage."""
    return Liveness(method)
