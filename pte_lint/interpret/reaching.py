"""Which changes of a variable may be the last one before a use: sparse reaching definitions.

Most values of a program never change what they are, so the analyses ask only about the few that
do. One variable costs the blocks between its changes and its uses, nothing more; a straight-line
method costs its events.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pte_lint.claims.ledger import Budget, Ledger

if TYPE_CHECKING:
    from pte_lint.interpret.flow import ControlFlow

START: Final = -1
"""Stands for the state before the method's first step."""
_PER_BLOCK: Final = 4
"""Changes in a set that cost as much as a look at a block."""
_BUDGET_FLOOR: Final = 1 << 16
_BUDGET_PER_STEP: Final = 64
"""Looks at blocks, and so many more for a step."""
_NOTHING: Final[frozenset[int]] = frozenset()


@dataclass(slots=True)
class Variable:
    """Where one variable changes and where it is asked for.

    `defs` and `uses` are step indices; a use at step `i` sees what holds before `i`, and a use
    at `flow.exit` what holds when the method ends. A def in `weak` may or may not happen, so what
    held before survives it.
    """

    defs: list[int] = field(default_factory=list)
    uses: list[int] = field(default_factory=list)
    weak: set[int] = field(default_factory=set)
    carried: bool = True
    """The next execute starts with what this one ends with."""


class ReachingDefs:
    """Answers for any number of variables over one method's control flow.

    `exhausted` becomes true when the work exceeds a budget that is linear in the method; from
    then on every answer names all changes, which is safe to warn with but not to prove with.
    Work is blocks that are looked at and, a quarter as much each, changes that sets hold.
    """

    def __init__(self, flow: ControlFlow, ledger: Ledger) -> None:
        """Prepares for `flow`; builds nothing for a method without jumps."""
        self._flow = flow
        why = "it has too many moves, views and jumps to follow what its values point to"
        work = _BUDGET_FLOOR + _BUDGET_PER_STEP * flow.exit
        self._budget = Budget(ledger, "what its values point to", why, work)

    @property
    def exhausted(self) -> bool:
        """Whether the budget is used up."""
        return self._budget.is_spent

    def solve(self, variable: Variable) -> dict[int, frozenset[int]]:
        """Returns, for each reachable use, the defs that may reach it (`START` among them)."""
        defs = sorted(set(variable.defs))
        uses = sorted(set(variable.uses))
        if not defs:
            return dict.fromkeys(uses, frozenset((START,)))
        answers = None
        if not self.exhausted and self._flow.is_straight:
            answers = self._straight(defs, uses, variable)
        elif not self.exhausted:
            answers = self._branching(defs, uses, variable)
        return dict.fromkeys(uses, frozenset((START, *defs))) if answers is None else answers

    def spend(self, work: int) -> bool:
        """Takes work off the budget; False when there is none left."""
        return self._budget.spend(work)

    def _branching(
        self, defs: list[int], uses: list[int], variable: Variable
    ) -> dict[int, frozenset[int]] | None:
        flow = self._flow
        answers: dict[int, frozenset[int]] = {}
        exposed: dict[int, list[tuple[int, frozenset[int]]]] = {}
        kills, gens = self._summaries(defs, variable)
        for use in uses:
            if not flow.reachable[use]:
                continue
            block = flow.block_of(use)
            first = flow.blocks[block].first if block < len(flow.blocks) else flow.exit
            local, killed = _before(defs, first, use, variable.weak)
            if not self.spend(len(local) // _PER_BLOCK):
                return None
            if killed:
                answers[use] = local
            else:
                exposed.setdefault(block, []).append((use, local))
        entry = self._entry_states(exposed, kills, gens, variable.carried)
        if entry is None:
            return None
        for block, waiting in exposed.items():
            for use, local in waiting:
                answers[use] = entry[block] | local if local else entry[block]
                if not self.spend(len(answers[use]) // _PER_BLOCK):
                    return None
        return answers

    def _straight(
        self, defs: list[int], uses: list[int], variable: Variable
    ) -> dict[int, frozenset[int]] | None:
        answers: dict[int, frozenset[int]] = {}
        start = frozenset((START,))
        if variable.carried:
            start |= _before(defs, 0, self._flow.exit, variable.weak)[0]
        for use in uses:
            local, killed = _before(defs, 0, use, variable.weak)
            answers[use] = local if killed else local | start
            if not self.spend(len(answers[use]) // _PER_BLOCK):
                return None
        return answers

    def _summaries(
        self, defs: list[int], variable: Variable
    ) -> tuple[set[int], dict[int, frozenset[int]]]:
        """Blocks that end the variable's earlier life, and the defs that leave each block."""
        flow = self._flow
        kills: set[int] = set()
        leaving: dict[int, list[int]] = {}
        for d in defs:
            if not flow.reachable[d]:
                continue
            block = flow.block_of(d)
            if d in variable.weak:
                leaving.setdefault(block, []).append(d)
            else:
                kills.add(block)
                leaving[block] = [d]
        return kills, {block: frozenset(found) for block, found in leaving.items()}

    def _entry_states(
        self,
        exposed: Iterable[int],
        kills: set[int],
        gens: dict[int, frozenset[int]],
        carried: bool,
    ) -> dict[int, frozenset[int]] | None:
        """What reaches the top of each block that must be known; None when over budget."""
        flow = self._flow
        states: dict[int, frozenset[int]] = {}
        work = list(exposed)
        while work:
            block = work.pop()
            if block in states:
                continue
            states[block] = frozenset((START,)) if block == flow.entry else frozenset()
            if not self.spend(1):
                return None
            work.extend(p for p in self._predecessors(block, carried) if p not in kills)
        pending = dict.fromkeys(sorted(states))
        while pending:
            block = next(iter(pending))
            del pending[block]
            parts = [states[block]]
            for p in self._predecessors(block, carried):
                parts.append(gens.get(p, _NOTHING))
                if p not in kills:
                    parts.append(states[p])
            if not self.spend(1 + sum(map(len, parts)) // _PER_BLOCK):
                return None
            merged = _merged(parts)
            if merged != states[block]:
                states[block] = merged
                if block not in kills:
                    for s in self._successors(block, carried):
                        if s in states:
                            pending[s] = None
        return states

    def _predecessors(self, block: int, carried: bool) -> Iterator[int]:
        """Blocks before `block`; `len(blocks)` is the end, and leads back to the entry."""
        flow = self._flow
        if block == len(flow.blocks):
            yield from flow.exits
            return
        yield from flow.blocks[block].predecessors
        if carried and block == flow.entry:
            yield from flow.exits

    def _successors(self, block: int, carried: bool) -> Iterator[int]:
        flow = self._flow
        if block == len(flow.blocks):
            return
        yield from flow.blocks[block].successors
        if flow.exit in flow.successors(flow.blocks[block].last):
            yield len(flow.blocks)
            if carried and flow.entry is not None:
                yield flow.entry


def _before(defs: list[int], first: int, use: int, weak: set[int]) -> tuple[frozenset[int], bool]:
    """Defs in [first, use) that reach `use`, and whether one of them is sure to happen."""
    found: list[int] = []
    at = bisect_left(defs, use)
    while at > 0 and defs[at - 1] >= first:
        at -= 1
        found.append(defs[at])
        if defs[at] not in weak:
            return frozenset(found), True
    return frozenset(found), False


def _merged(parts: list[frozenset[int]]) -> frozenset[int]:
    """The union of some sets: one of them itself where it holds the others."""
    largest = max(parts, key=len)
    return largest if all(part <= largest for part in parts) else largest.union(*parts)
