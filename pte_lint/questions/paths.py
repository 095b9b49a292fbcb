"""Paths that can really be taken.

A condition that two jumps test decides both alike, and no path leads past a jump that always fails.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from pte_lint.claims.ledger import Budget
from pte_lint.interpret.flow import flow_of
from pte_lint.ir.steps import StepKind

if TYPE_CHECKING:
    from pte_lint.ir.method import Method

_BUDGET: Final = 20_000
"""Pairs of block and assumptions that a search may visit."""
_TOO_MANY: Final = "conditions that are tested again and again lead to too many of them"

_Assumed = frozenset[tuple[int, bool]]


def leads_to(method: Method, goal: int, avoiding: Iterable[int]) -> bool:
    """Whether the method can get to a step without running others before.

    A condition keeps the outcome that it had when it was first tested until a step writes it.

    Args:
        method: The method.
        goal: The step; the number of steps for the end of the method.
        avoiding: The steps that must not have run.

    Returns:
        False also where the search was given up, which the ledger tells.
    """
    flow, barred = flow_of(method), sorted(avoiding)
    if not flow.blocks:
        return goal == flow.exit
    tested = Counter(method.steps[i].args[0] for i in flow.jumps if len(flow.successors(i)) > 1)
    again = {v for v, count in tested.items() if count > 1}
    work: list[tuple[int, _Assumed]] = [(0, frozenset())]
    seen = {work[0]}
    budget = Budget(method.ledger, "which paths can be taken", _TOO_MANY, _BUDGET)
    while work and budget.spend():
        number, assumed = work.pop()
        block = flow.blocks[number]
        if block.first <= goal <= block.last:
            if not _any_within(barred, block.first, goal - 1):
                return True
            continue
        if _any_within(barred, block.first, block.last):
            continue
        kept = {v: outcome for v, outcome in assumed if not _is_written(method, v, block.steps)}
        for to, outcome in _ways(method, block.last):
            condition = method.steps[block.last].args[0] if outcome is not None else -1
            if kept.get(condition, outcome) != outcome:
                continue
            if to == flow.exit:
                if goal == flow.exit:
                    return True
                continue
            held = (
                kept | {condition: outcome} if condition in again and outcome is not None else kept
            )
            state = flow.block_of(to), frozenset(held.items())
            if state not in seen:
                seen.add(state)
                work.append(state)
    return False


def _ways(method: Method, last: int) -> list[tuple[int, bool | None]]:
    """Where a block leads, and the outcome that its jump must have for it."""
    flow = flow_of(method)
    if method.steps[last].kind is StepKind.JUMP and not flow.is_passed(last):
        return []
    following = flow.successors(last)
    if len(following) == 1:
        return [(following[0], None)]
    return [(following[0], True), (following[1], False)]


def _is_written(method: Method, v: int, steps: range) -> bool:
    return _any_within(method.writers(v), steps.start, steps.stop - 1)


def _any_within(steps: Sequence[int], first: int, last: int) -> bool:
    at = bisect_left(steps, first)
    return at < len(steps) and steps[at] <= last
