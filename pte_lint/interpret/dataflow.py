"""Liveness and definedness at the boundaries of basic blocks.

Both are followed value by value, backwards from where its content is needed and then forwards from
where it is written, so that the cost is the number of (block, value) pairs in which a value is
live: next to nothing in a method without jumps, and linear in one whose branches are local.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pte_lint.claims.ledger import Budget, Ledger

if TYPE_CHECKING:
    from pte_lint.interpret.flow import ControlFlow

_BUDGET_PER_STEP = 16
_BUDGET_FLOOR = 1_000_000
"""Pairs of block and live value after which the method is given up."""

MEMORY_PLAN: Final = "its memory plan"
"""What is not judged without liveness."""
TOO_MUCH_FLOW: Final = "it has too many branches and values that live across them to follow"
"""Why liveness is not known."""

NOTHING: Final[frozenset[int]] = frozenset()
"""What most blocks do: a method may have as many blocks as instructions."""


class TooMuchFlow(Exception):  # noqa: N818 - a limit, handled by the caller
    """The method has too many blocks and values that live across them to be followed."""


@dataclass(slots=True)
class BlockFacts:
    """What one block does, by value index."""

    exposed: Set[int] = NOTHING
    """Values whose content from before the block is needed in it."""
    bound: Set[int] = NOTHING
    """Values that the block gives a new content, whatever they held."""
    written: Set[int] = NOTHING
    """Values that hold something after the block, bound ones among them."""


_FEW: Final = 4
"""Values in a set up to which equal sets are one object: most blocks have such sets."""


class OneOfEach:
    """Sets of values by block; equal ones are there once where they are small."""

    def __init__(self) -> None:
        """Knows no set yet."""
        self._known: dict[frozenset[int], frozenset[int]] = {}

    def of(self, values: Set[int]) -> Set[int]:
        """A set with the same values, which nobody changes."""
        if not values:
            return NOTHING
        if len(values) > _FEW:
            return values
        small = frozenset(values)
        return self._known.setdefault(small, small)


class ByBlock:
    """Values by block, put in value by value and in ascending order: a few bytes for a pair."""

    def __init__(self, small: OneOfEach) -> None:
        """Holds nothing yet; small sets are those of `small`."""
        self._small = small
        self._held: dict[int, Set[int] | array[int]] = {}

    def add(self, block: int, v: int) -> bool:
        """Puts in a value, none larger than it being there; False when it was there."""
        known = self._held.get(block, NOTHING)
        if isinstance(known, array):
            if known[-1] == v:
                return False
            known.append(v)
        elif v in known:
            return False
        elif len(known) < _FEW:
            self._held[block] = self._small.of(known | {v})
        else:
            self._held[block] = array("i", [*sorted(known), v])
        return True

    def has(self, block: int, v: int) -> bool:
        """Whether a value is there."""
        known = self._held.get(block, NOTHING)
        if not isinstance(known, array):
            return v in known
        at = bisect_left(known, v)
        return at < len(known) and known[at] == v

    def of(self, block: int) -> Iterable[int]:
        """The values of a block."""
        return self._held.get(block, NOTHING)


class Crossing:
    """Which values are live and which may be defined at block boundaries.

    Live: some path from here reads the content before it is replaced. Defined: some path to here
    wrote the value, or it held something at the start; only told where the value is live.
    """

    def __init__(self, flow: ControlFlow, facts: dict[int, BlockFacts], ledger: Ledger) -> None:
        """Takes the facts of every reachable block, by block index."""
        self._flow = flow
        self._facts = facts
        self._exits = frozenset(flow.exits)
        self._live_in, self._live_out, self._defined_in = (
            ByBlock(small) for small in [OneOfEach()] * 3
        )
        work = max(_BUDGET_FLOOR, _BUDGET_PER_STEP * flow.exit)
        self._budget = Budget(ledger, MEMORY_PLAN, TOO_MUCH_FLOW, work)

    def solve(
        self,
        needed_at_end: Iterable[int],
        keeps: Callable[[int], bool],
        held_at_start: Callable[[int], bool],
    ) -> None:
        """Computes everything.

        Args:
            needed_at_end: values whose content is needed after the method.
            keeps: whether a value that is live at the start keeps its content from the run
                before, so that it is needed at the end of the run too.
            held_at_start: whether a value holds something before the first step.

        Raises:
            TooMuchFlow: there are too many pairs of block and live value.
        """
        end = set(needed_at_end)
        if not self._facts:
            for v in sorted(end):
                self._live_in.add(0, v)
            return
        exposing: dict[int, list[int]] = {}
        writing: dict[int, list[int]] = {}
        for b, facts in self._facts.items():
            for v in facts.exposed:
                exposing.setdefault(v, []).append(b)
        crossing = end | exposing.keys()
        for b, facts in self._facts.items():
            for v in facts.written & crossing:
                writing.setdefault(v, []).append(b)
        for v in sorted(crossing):
            self._spread_live(v, exposing.get(v, ()), v in end)
            if v not in end and self._live_in.has(0, v) and keeps(v):
                self._spread_live(v, (), True)
            self._spread_defined(v, writing.get(v, ()), held_at_start(v))

    def live_at_start(self) -> list[int]:
        """Values whose content from before the first step is needed, ascending."""
        return sorted(self._live_in.of(0))

    def live_before(self, block: int) -> Iterable[int]:
        """Values whose content from before a block is needed."""
        return self._live_in.of(block)

    def live_after(self, block: int) -> Iterable[int]:
        """Values whose content is needed after a block."""
        return self._live_out.of(block)

    def is_defined_before(self, block: int, v: int) -> bool:
        """True when a value that is live before a block may hold something there."""
        return self._defined_in.has(block, v)

    # -- spreading --------------------------------------------------------------------------------

    def _spread_live(self, v: int, exposing: Iterable[int], at_end: bool) -> None:
        blocks, facts = self._flow.blocks, self._facts
        live_in, live_out = self._live_in, self._live_out
        work: list[int] = []
        for b in exposing:
            if live_in.add(b, v):
                work.append(b)
        if at_end:
            for b in self._exits:
                if live_out.add(b, v) and v not in facts[b].bound and live_in.add(b, v):
                    work.append(b)
        while work:
            b = work.pop()
            self._spend()
            for p in blocks[b].predecessors:
                if live_out.add(p, v) and v not in facts[p].bound and live_in.add(p, v):
                    work.append(p)

    def _spread_defined(self, v: int, writing: Iterable[int], at_start: bool) -> None:
        blocks, live_in, defined_in = self._flow.blocks, self._live_in, self._defined_in
        work = list(writing)
        if at_start and live_in.has(0, v):
            defined_in.add(0, v)
            work.append(0)
        while work:
            b = work.pop()
            self._spend()
            for s in blocks[b].successors:
                if live_in.has(s, v) and defined_in.add(s, v):
                    work.append(s)

    def _spend(self) -> None:
        if not self._budget.spend():
            raise TooMuchFlow
