"""Whether a tensor has been written before it is read, on every path.

A tensor counts as written before the first step when somebody else fills it: the caller, the
loader, or (for state) an earlier run. A tensor that nothing writes itself is a view of storage
that another tensor writes; a move hands on what its source was, and so does `et_view`.
"""

from __future__ import annotations

from bisect import bisect_left
from enum import IntEnum
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from pte_lint.analysis.calling import ET_VIEW
from pte_lint.analysis.reaching import START, ReachingDefs, Variable
from pte_lint.analysis.steps import Step, StepKind

if TYPE_CHECKING:
    from pte_lint.analysis.method import Method


class Content(IntEnum):
    """What a tensor holds, from good to bad."""

    KNOWN = 0
    DOUBTFUL = 1
    """State on a device that starts with whatever the memory held, or a source that is written
    after it was handed on."""
    GARBAGE = 2
    """Nobody has written it."""


class Producers:
    """Answers `content(step, value)`; linear in the uses it is asked about."""

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

    def content(self, step: Step, v: int) -> Content:
        """What tensor `v`, which the step reads, holds just before it on the worst path."""
        worst = Content.KNOWN
        seen: set[tuple[int, int]] = set()
        work = [(step.index, v)]
        while work:
            index, name = work.pop()
            if (index, name) in seen:
                continue
            seen.add((index, name))
            for d in self._defs(name).get(index, frozenset((START,))):
                if d == START:
                    found = self.at_start(name)
                    # What was handed on is shared: a later write of the source fills both.
                    shared = index != step.index and self._method.writers(name)
                    worst = max(worst, min(found, Content.DOUBTFUL) if shared else found)
                elif _hands_on(self._method.steps[d]):
                    work.append((d, self._method.steps[d].args[0]))
        return worst

    def at_start(self, v: int) -> Content:
        """What the tensor holds before the first step of the first run."""
        method = self._method
        if method.is_input[v] or method.is_constant(v) or method.is_external(v):
            return Content.KNOWN
        if method.has_initial_state(v):
            return Content.KNOWN
        writers = method.writers(v)
        if not writers:
            mates = [u for u in self.storage_mates(v) if method.writers(u)]
            return min((self.at_start(u) for u in mates), default=Content.GARBAGE)
        if method.is_output[v] or not all(v in method.steps[i].reads for i in writers):
            return Content.GARBAGE
        # State without initial data: only in-place updates write it. Host arenas are zeroed.
        return Content.KNOWN if method.home(v).device.is_host else Content.DOUBTFUL

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

    def is_observed(self, step: Step) -> bool:
        """True when what a step writes can come to light: in an output, in state, in a jump.

        Followed through the steps that read it; what is always overwritten first is lost.
        """
        method, seen, work = self._method, {step.index}, [step]
        while work:
            for w in work.pop().writes:
                if method.tensor(w) is None or self._is_kept(w, seen):
                    return True
                for u in (w, *(m for m in self.storage_mates(w) if not method.writers(m))):
                    for r in method.readers(u):
                        if r in seen or not self.reaching(method.steps[r], u) & seen:
                            continue
                        reader = method.steps[r]
                        if reader.kind is StepKind.JUMP:
                            return True
                        seen.add(r)
                        work.append(reader)
        return False

    def _is_kept(self, w: int, steps: set[int]) -> bool:
        """True when what these steps wrote to `w` is there when the method ends, for somebody."""
        method = self._method
        writers = method.writers(w)
        is_state = method.has_initial_state(w) or all(w in method.steps[i].reads for i in writers)
        if not is_state and not any(method.is_output[u] for u in (w, *self.storage_mates(w))):
            return False
        return bool(self._at_end(w) & steps)

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

    def _at_end(self, v: int) -> frozenset[int]:
        return self._defs(v).get(self._method.flow.exit, frozenset((START,)))

    def _defs(self, v: int) -> dict[int, frozenset[int]]:
        known = self._solved.get(v)
        if known is None:
            method = self._method
            defs = list(method.writers(v))
            if not defs:
                for mate in self.storage_mates(v):
                    defs.extend(method.writers(mate))
            uses = [*method.readers(v), method.flow.exit]
            known = self._reaching.solve(Variable(defs=defs, uses=uses, carried=False))
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
