"""Conditions that every iteration of a loop computes anew from what no iteration changes.

They come out the same each time, so a loop that hangs on one of them is left in its first
iteration or never.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pte_lint.claims.ledger import Budget
from pte_lint.interpret.flow import flow_of
from pte_lint.interpret.residency import residency_of
from pte_lint.ir.calling import list_items
from pte_lint.ir.method import Method
from pte_lint.ir.steps import Step, StepKind
from pte_lint.ops.operators import is_repeatable, reads_only_shape
from pte_lint.questions.liveness import liveness_of

_BUDGET: Final = 100_000
"""Values and blocks that are looked at in a method; then questions are answered with no."""


class Repeats:
    """What stays as it is during the iterations of one run of a method."""

    def __init__(self, method: Method) -> None:
        """Finds the steps that may run more than once in a run."""
        self._method = method
        self._in_iterations = _in_iterations(method)
        why = "its loops hang on too much to follow all of it"
        self._budget = Budget(method.ledger, "whether its loops end", why, _BUDGET)
        self._victims = frozenset(each.victim for each in liveness_of(method).conflicts)

    def is_settled_by_caller(self, condition: int) -> bool:
        """Whether a condition hangs on inputs alone and is the same in all iterations of a loop."""
        method = self._method
        jumps = [j for j in flow_of(method).jumps if method.steps[j].args[0] == condition]
        return all(self.is_same(condition, j) for j in jumps) and self.is_up_to_caller(condition)

    def is_same(self, v: int, reader: int) -> bool:
        """Whether a step finds a value the same in all iterations of a loop.

        Args:
            v: The value.
            reader: The step.
        """
        # None of them hangs on itself: each is written anew before it is read.
        seen, work = {(v, reader)}, [(v, reader)]
        while work:
            operands = self._computed_from(*work.pop())
            if operands is None:
                return False
            new = operands - seen
            seen |= new
            work.extend(new)
        return True

    def _computed_from(self, v: int, reader: int) -> set[tuple[int, int]] | None:
        """What a value is computed from in each iteration before a step reads it, and by which.

        None where it may differ from iteration to iteration, whatever that is.
        """
        method = self._method
        if not self._budget.spend() or method.value(v) is None:
            return None
        if residency_of(method).is_moved(v) or v in self._victims:
            return None
        storage = liveness_of(method).storage
        alias_set = storage.together(v)
        writers = {
            i
            for u in alias_set
            for i in (*method.writers(u), *storage.bound_unclearly.get(u, ()))
            if self._in_iterations[i]
        }
        if not writers:
            return set()
        if len(writers) > 1:
            return None
        step = method.steps[writers.pop()]
        if step.kind is not StepKind.KERNEL or not is_repeatable(step.operator):
            return None
        # Otherwise the first iteration could find what was there before.
        if not self._is_passed_before(step.index, reader):
            return None
        operands = set(_operands(method, step))
        if not operands.isdisjoint(alias_set):
            return None
        return {(u, step.index) for u in operands}

    def _is_passed_before(self, step: int, later: int) -> bool:
        """Whether no path leads to a later step without passing a step."""
        flow = flow_of(self._method)
        blocks = flow.blocks
        last, barred = flow.block_of(later), flow.block_of(step)
        if last == barred and step < later:
            return True
        seen, work = {0}, [0]
        while work:
            b = work.pop()
            if not self._budget.spend() or b == last:
                return False
            if b != barred:
                new = set(blocks[b].successors) - seen
                seen |= new
                work.extend(new)
        return True

    def is_up_to_caller(self, v: int) -> bool:
        """Whether the content of inputs goes into a value, so that it may be this or that."""
        method = self._method
        seen, work = {v}, [v]
        while work:
            v = work.pop()
            if not self._budget.spend():
                return False
            # Inputs of other kinds have the value that is in the file: set_input refuses others.
            if method.is_input[v] and method.tensor(v) is not None:
                return True
            for i in method.writers(v):
                step = method.steps[i]
                if step.kind is StepKind.KERNEL and reads_only_shape(step.operator):
                    continue
                new = {u for u in step.reads if 0 <= u < len(method.values)} - seen
                seen |= new
                work.extend(new)
        return False


def _operands(method: Method, step: Step) -> Iterator[int]:
    """All that a kernel call is given to read, items of lists among them."""
    yield from step.reads
    for v in step.args:
        if v not in step.writes:
            yield v
            yield from list_items(method.value(v))


def _in_iterations(method: Method) -> bytearray:
    """By step: whether it lies between a jump back and its destination."""
    depth = [0] * (len(method.steps) + 1)
    for source, target in flow_of(method).back_edges():
        depth[target] += 1
        depth[source + 1] -= 1
    flags, inside = bytearray(len(method.steps)), 0
    for i in range(len(method.steps)):
        inside += depth[i]
        flags[i] = inside > 0
    return flags
