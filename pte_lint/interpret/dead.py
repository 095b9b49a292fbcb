"""Cells, sizes and assumptions that an interpretation need not keep: nothing asks for them again.

Each of a row of conditions that depend on data doubles the ways through a method, but what differs
between the ways is mostly over where they join. States that differ only in what is dead are one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

from pte_lint.interpret.changes import is_prim
from pte_lint.ir.calling import ET_COPY_INDEX, ET_VIEW, list_items
from pte_lint.ir.steps import Step, StepKind

if TYPE_CHECKING:
    from pte_lint.interpret.state import State
    from pte_lint.ir.method import Method

_PARTIAL = (ET_COPY_INDEX, ET_VIEW)
"""Prim ops that work on what their last argument is, instead of putting a number there."""

_FREE_LOOKS: Final = 100_000
_LOOKS_A_STEP: Final = 64
"""Stretches between jumps that may be looked at; after that values are taken for alive."""


class Dead:
    """Liveness of values over one run and into the next, as coarse as it may be.

    A value is asked for up to the last step that mentions it, or to the end of the loops around
    that step; and in the next run where it may be mentioned before a step has set it anew.
    """

    def __init__(self, method: Method) -> None:
        """Looks at each step once."""
        self._count = len(method.steps)
        self._left = _FREE_LOOKS + _LOOKS_A_STEP * self._count
        self._cell_sets: dict[int, list[int]] = {}
        self._size_sets: dict[int, list[int]] = {}
        self._mentions: dict[int, list[int]] = {}
        self._last: dict[int, int] = {}
        self._last_tests: dict[int, int] = {}
        # Control flow as such asks the interpretation which jumps are taken: here each may be.
        jumps = method.of_kind(StepKind.JUMP)
        self._jumps = {step.index: method.chain_map.destination(step) for step in jumps}
        self._loops = _merged(sorted((to, at) for at, to in self._jumps.items() if to <= at))
        self._starts = sorted({0, *self._jumps.values(), *(at + 1 for at in self._jumps)})
        self._before = self._ways_here()
        self._set_first: dict[tuple[int, bool], bool] = {}
        for step in method.steps:
            self._look(step)
        moved = (self._last_tests.get(v, -1) for v in self._cell_sets)
        self._last_moved_test = max(moved, default=-1)
        self._kept = {*method.inputs, *method.outputs}
        self._kept.update(i for value in method.values for i in list_items(value))

    def forget(self, at: int, state: State) -> None:
        """Drops from a state what no step from `at` on asks for, nor the next run."""
        for v in [v for v in state.cells if self._is_over(v, at, of_sizes=False)]:
            del state.cells[v]
        if at > self._last_moved_test:
            for v in [v for v in state.assumed if self._last_tests.get(v, -1) < at]:
                del state.assumed[v]
        if state.sizes:
            held = {cell.thing for cell in state.cells.values()}
            over = [v for v in state.sizes if v not in held and self._is_over(v, at, of_sizes=True)]
            for v in over:
                del state.sizes[v]

    def _look(self, step: Step) -> None:
        end = self._end(step.index)
        for v in {*step.args, *step.reads, *step.writes}:
            self._mentions.setdefault(v, []).append(step.index)
            self._last[v] = max(end, self._last.get(v, -1))
        if step.kind is StepKind.JUMP:
            self._last_tests[step.args[0]] = max(end, self._last_tests.get(step.args[0], -1))
        elif step.kind is StepKind.MOVE:
            self._cell_sets.setdefault(step.args[1], []).append(step.index)
        elif step.kind is StepKind.KERNEL and step.args:
            last = step.args[-1]
            if is_prim(step):
                if step.operator not in _PARTIAL and last not in step.args[:-1]:
                    self._cell_sets.setdefault(last, []).append(step.index)
            elif last in step.writes and last not in step.reads:
                self._size_sets.setdefault(last, []).append(step.index)

    def _end(self, index: int) -> int:
        """The step itself, or the last one of the loops around it."""
        at = bisect_left(self._loops, index, key=lambda loop: loop[1])
        if at < len(self._loops) and self._loops[at][0] <= index:
            return self._loops[at][1]
        return index

    def _is_over(self, v: int, at: int, *, of_sizes: bool) -> bool:
        if v in self._kept or self._last.get(v, -1) >= at:
            return False
        known = self._set_first.get((v, of_sizes))
        if known is None:
            known = self._set_first[v, of_sizes] = self._is_set_first(v, of_sizes)
        return known

    def _is_set_first(self, v: int, of_sizes: bool) -> bool:
        """Whether every way from the start sets the value before anything else mentions it."""
        setting = set((self._size_sets if of_sizes else self._cell_sets).get(v, ()))
        first: dict[int, bool] = {}
        for at in self._mentions.get(v, ()):
            first.setdefault(bisect_right(self._starts, at) - 1, at in setting)
        # Backwards from the mentions that a value must be there for, through stretches that do
        # not mention it: as long a way as the value lives, however far from the start it does.
        work = [stretch for stretch, is_set in first.items() if not is_set]
        seen = set(work)
        while work:
            stretch = work.pop()
            self._left -= 1
            if stretch == 0 or self._left < 0:
                return False
            for before in self._before.get(stretch, ()):
                if before not in first and before not in seen:
                    seen.add(before)
                    work.append(before)
        return True

    def _ways_here(self) -> dict[int, list[int]]:
        """For each stretch without jumps, those that lead to it."""
        number = {start: stretch for stretch, start in enumerate(self._starts)}
        before: dict[int, list[int]] = {}
        for stretch, end in enumerate([*self._starts[1:], self._count]):
            for to in {end, self._jumps.get(end - 1, end)} & number.keys():
                before.setdefault(number[to], []).append(stretch)
        return before


def _merged(loops: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The disjoint ranges of steps that loops cover, from their first and last steps, in order."""
    merged: list[tuple[int, int]] = []
    for first, last in loops:
        if merged and first <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], last)
        else:
            merged.append((first, last))
    return merged
