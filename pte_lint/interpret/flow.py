"""Control flow over a method's steps.

A Bool value that nobody writes is a constant condition: the emitter uses a constant False as an
unconditional jump (exir/emit/_emitter.py: `_Emitter._emit_cond`). Other conditions follow from
numbers in the file; an interpretation tells which way such a jump can go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from pte_lint.interpret.runs import interpretation_of
from pte_lint.ir.method import Method
from pte_lint.ir.question import question
from pte_lint.ir.steps import StepKind
from pte_lint.schema.program import Bool

if TYPE_CHECKING:
    from pte_lint.ir.steps import Step


class Block:
    """A run of steps that control enters only at the top and leaves only at the bottom."""

    __slots__ = ("first", "index", "last", "predecessors", "successors")

    def __init__(self, index: int, first: int, last: int) -> None:
        """Steps `first` to `last`, both included."""
        self.index, self.first, self.last = index, first, last
        self.successors: list[int] = []
        self.predecessors: list[int] = []

    @property
    def steps(self) -> range:
        """Indices of the block's steps."""
        return range(self.first, self.last + 1)


class ControlFlow:
    """Successors, reachability and blocks. `exit` (the number of steps) stands for the end."""

    def __init__(self, method: Method) -> None:
        """Reads the jumps of `method`; linear in its steps."""
        self._method = method
        self.exit = len(method.steps)
        self._next: dict[int, tuple[int, ...]] = {}
        """Successors of the jumps; every other step is followed by the next one."""
        self._outcomes: dict[int, bool | None] = {}
        for step in method.of_kind(StepKind.JUMP):
            self._next[step.index] = self._jump(step)

    @property
    def is_straight(self) -> bool:
        """True when the method has no jumps: steps run in order, each once."""
        return not self._next

    @property
    def jumps(self) -> tuple[int, ...]:
        """Indices of the jump steps."""
        return tuple(self._next)

    @property
    def chain_starts(self) -> Sequence[int]:
        """Index over all chains of each chain's first step."""
        return self._method.chain_map.starts

    def destination(self, step: Step) -> int:
        """The step a jump goes to when it is taken: a step index or the start of what follows."""
        return self._method.chain_map.destination(step)

    def outcome(self, index: int) -> bool | None:
        """The outcome of the jump at step `index` when it is always the same, else None.

        False: it jumps. True: it goes on with the next step.
        """
        return self._outcomes[index]

    def successors(self, i: int) -> tuple[int, ...]:
        """Steps that may follow step `i`; `exit` for the end. No duplicates."""
        return self._next.get(i, (i + 1,))

    def _jump(self, step: Step) -> tuple[int, ...]:
        target, after = self.destination(step), step.index + 1
        outcome = self._constant(step.args[0])
        if outcome is None and target != after:
            outcome = interpretation_of(self._method).outcome(step.index)
        self._outcomes[step.index] = outcome
        if outcome is False:
            return (target,)
        if outcome is True or target == after:
            return (after,)
        return (after, target)

    def _constant(self, v: int) -> bool | None:
        """The value of a Bool that nothing writes; None when it varies or is unknown.

        An input is no exception: the runtime refuses any other value than the one in the file
        (`Method::set_input`).
        """
        value = self._method.value(v)
        if value is None or not isinstance(value.val, Bool) or self._method.writers(v):
            return None
        return value.val.bool_val

    @cached_property
    def reachable(self) -> bytearray:
        """One flag a step, and one for `exit` at the end."""
        seen = bytearray(self.exit + 1)
        if self.is_straight:
            return bytearray(b"\x01") * (self.exit + 1)
        work = [0]
        while work:
            i = work.pop()
            while not seen[i]:
                seen[i] = 1
                if i == self.exit:
                    break
                following = self.successors(i)
                work.extend(following[1:])
                i = following[0]
        return seen

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Basic blocks of all steps, in order; unreachable ones have no predecessors."""
        if self.exit == 0:
            return ()
        leaders = bytearray(self.exit + 1)
        leaders[0] = 1
        for i, following in self._next.items():
            leaders[i + 1] = 1
            for target in following:
                leaders[target] = 1
        firsts = [i for i in range(self.exit) if leaders[i]]
        blocks = [
            Block(n, first, (firsts[n + 1] if n + 1 < len(firsts) else self.exit) - 1)
            for n, first in enumerate(firsts)
        ]
        by_first = {b.first: b.index for b in blocks}
        for block in blocks:
            for target in self.successors(block.last):
                if target < self.exit:
                    block.successors.append(by_first[target])
                    if self.reachable[block.last]:
                        blocks[by_first[target]].predecessors.append(block.index)
        return tuple(blocks)

    @cached_property
    def _conditional(self) -> bytearray:
        depth = [0] * (self.exit + 2)
        for j, following in self._next.items():
            for target in following:
                low, high = (j + 1, target) if target > j else (target, j + 1)
                depth[low] += 1
                depth[max(low, high)] -= 1
        flags, inside = bytearray(self.exit + 1), 0
        for i in range(self.exit + 1):
            inside += depth[i]
            flags[i] = inside > 0
        return flags

    def is_conditional(self, i: int) -> bool:
        """True when some jump leads past step `i`, or back over it: it is in a branch or a loop."""
        return bool(self._conditional[i])

    def is_passed(self, jump: int) -> bool:
        """False for a jump at which every run that comes to it fails."""
        return interpretation_of(self._method).is_passed(jump)

    @cached_property
    def excludes_paths(self) -> bool:
        """True when not every path can be taken.

        Two jumps test one condition, or a jump fails whenever a run comes to it.
        """
        seen: set[int] = set()
        for i, following in self._next.items():
            condition = self._method.steps[i].args[0]
            if len(following) > 1 and self.reachable[i]:
                if condition in seen or not self.is_passed(i):
                    return True
                seen.add(condition)
        return False

    @cached_property
    def _block_index(self) -> list[int]:
        return [b.index for b in self.blocks for _ in b.steps]

    def block_of(self, i: int) -> int:
        """The index of the block that step `i` is in; the number of blocks for `exit`."""
        return self._block_index[i] if i < self.exit else len(self.blocks)

    @property
    def entry(self) -> int | None:
        """The index of the block that the method starts with; None when it has no steps."""
        return 0 if self.exit else None

    @cached_property
    def exits(self) -> tuple[int, ...]:
        """Indices of the reachable blocks after which the method may end."""
        return tuple(
            b.index
            for b in self.blocks
            if self.reachable[b.last] and self.exit in self.successors(b.last)
        )

    def back_edges(self) -> Iterator[tuple[int, int]]:
        """(from, to) of every reachable jump that goes backwards or to itself."""
        for i, following in self._next.items():
            for target in following:
                if target <= i and self.reachable[i]:
                    yield i, target


@question
def flow_of(method: Method) -> ControlFlow:
    """Control flow over the steps."""
    return ControlFlow(method)
