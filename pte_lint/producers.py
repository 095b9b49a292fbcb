"""Whether a tensor has been written before it is read, on every path.

A tensor counts as written before the first step when somebody else fills it: the caller, the
loader, or (for state) an earlier run. A tensor that nothing writes itself is a view of storage
that another tensor writes; a move hands on what its source was, and so does `et_view`.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from pte_lint.calling import ET_VIEW
from pte_lint.reaching import START, ReachingDefs, Variable
from pte_lint.steps import Step, StepKind

if TYPE_CHECKING:
    from pte_lint.method import Method


class Producers:
    """Answers `may_be_unwritten(step, value)`; linear in the uses it is asked about."""

    def __init__(self, method: Method) -> None:
        """Prepares for `method`; nothing is followed yet."""
        self._method = method
        self._reaching = ReachingDefs(method.flow)
        self._solved: dict[int, dict[int, frozenset[int]]] = {}

    @property
    def exact(self) -> bool:
        """False when the method was too confusing to follow: nothing is then proven."""
        return not self._reaching.exhausted

    def reaching(self, step: Step, v: int) -> frozenset[int]:
        """The steps whose write of `v` may be the last before `step`; `START` for none."""
        return self._defs(v).get(step.index, frozenset((START,)))

    def may_be_unwritten(self, step: Step, v: int) -> bool:
        """True when some path leads to `step` on which nobody has written tensor `v`.

        `v` must be read by the step.
        """
        seen: set[tuple[int, int]] = set()
        work = [(step.index, v)]
        while work:
            index, name = work.pop()
            if (index, name) in seen:
                continue
            seen.add((index, name))
            for d in self._defs(name).get(index, frozenset((START,))):
                if d == START:
                    if not self.is_filled_before(name):
                        return True
                    continue
                writer = self._method.steps[d]
                if _hands_on(writer):
                    work.append((d, writer.args[0]))
        return False

    def is_filled_before(self, v: int) -> bool:
        """True when the tensor holds something before the first step of the first run."""
        method = self._method
        if method.is_input[v] or method.is_constant(v) or method.is_external(v):
            return True
        if method.has_initial_state(v):
            return True
        writers = method.writers(v)
        if writers:
            # State without initial data: nothing but in-place updates writes it.
            return all(v in method.steps[i].reads for i in writers)
        return any(self.is_filled_before(u) for u in self.storage_mates(v) if method.writers(u))

    def storage_mates(self, v: int) -> list[int]:
        """Other planned tensors whose bytes overlap those of `v`."""
        place = self._method.place(v)
        if place is None:
            return []
        memory_id, start, size = place
        arena = self._arenas.get(memory_id)
        return (
            [u for u in arena.overlapping(start, start + max(size, 1)) if u != v] if arena else []
        )

    # -- internals --------------------------------------------------------------------------------

    @cached_property
    def _arenas(self) -> dict[int, _Ranges]:
        ranges: dict[int, list[tuple[int, int, int]]] = {}
        for v in self._method.tensors:
            place = self._method.place(v)
            if place is not None:
                memory_id, start, size = place
                ranges.setdefault(memory_id, []).append((start, start + max(size, 1), v))
        return {memory_id: _Ranges(found) for memory_id, found in ranges.items()}

    def _defs(self, v: int) -> dict[int, frozenset[int]]:
        known = self._solved.get(v)
        if known is None:
            method = self._method
            defs = list(method.writers(v))
            if not defs:
                for mate in self.storage_mates(v):
                    defs.extend(method.writers(mate))
            variable = Variable(defs=defs, uses=list(method.readers(v)), carried=False)
            known = self._reaching.solve(variable)
            self._solved[v] = known
        return known


def _hands_on(step: Step) -> bool:
    """True for the steps that pass their first argument on as it is."""
    return step.kind is StepKind.MOVE or step.operator == ET_VIEW


class _Ranges:
    """Byte ranges of one arena, sorted, to ask which ones meet a given range."""

    def __init__(self, ranges: list[tuple[int, int, int]]) -> None:
        """`ranges` are (start, end, value)."""
        self._ranges = sorted(ranges)
        self._starts = [start for start, _, _ in self._ranges]
        self._highest = list(accumulate((end for _, end, _ in self._ranges), max))

    def overlapping(self, start: int, end: int) -> list[int]:
        """The values whose ranges meet [start, end), lowest start first."""
        found = []
        at = bisect_left(self._starts, end) - 1
        while at >= 0 and self._highest[at] > start:
            if self._ranges[at][1] > start:
                found.append(self._ranges[at][2])
            at -= 1
        found.reverse()
        return found
