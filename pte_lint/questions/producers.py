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

from pte_lint.interpret.flow import flow_of
from pte_lint.interpret.reaching import START, ReachingDefs, Variable
from pte_lint.ir.calling import ET_VIEW
from pte_lint.ir.steps import Step, StepKind

if TYPE_CHECKING:
    from pte_lint.ir.method import Method


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
        self._reaching = ReachingDefs(flow_of(method), method.ledger)
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
                    filled = index != step.index and self._is_filled_between(name, index, step)
                    worst = max(worst, min(found, Content.DOUBTFUL) if filled else found)
                elif _hands_on(self._method.steps[d]):
                    source = self._method.steps[d].args[0]
                    if 0 <= source < len(self._method.values):
                        work.append((d, source))
        return worst

    def _is_filled_between(self, v: int, first: int, step: Step) -> bool:
        """True when some step may write `v` after step `first` and before `step`."""
        if flow_of(self._method).is_straight:
            return any(first < w < step.index for w in self._method.writers(v))
        return any(w != step.index for w in self._method.writers(v))

    def at_start(self, v: int) -> Content:
        """What the tensor holds before the first step of the first run."""
        method = self._method
        if method.is_input[v] or method.is_constant(v) or method.is_external(v):
            return Content.KNOWN
        if method.has_initial_state(v):
            return Content.KNOWN
        writers = method.writers(v)
        if not writers:
            return min((self.at_start(u) for u in self._sources(v)), default=Content.GARBAGE)
        if not all(v in method.steps[i].reads for i in writers):
            return Content.GARBAGE
        # State without initial data: only in-place updates write it. Host arenas are zeroed.
        if method.home(v).device.is_host:
            return Content.KNOWN
        return Content.GARBAGE if method.is_output[v] else Content.DOUBTFUL

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
        return step.index in self._observed

    @cached_property
    def _observed(self) -> set[int]:
        """Steps whose work reaches somebody, found backwards from what is left at the end."""
        method, reachable = self._method, flow_of(self._method).reachable
        work = [i for i in flow_of(method).jumps if reachable[i]]
        kept = {v for v in method.outputs if method.value(v) is not None}
        kept.update(v for v in method.tensors if self._is_state(v))
        for v in kept:
            for u in (v, *self.storage_mates(v)):
                work.extend(self._at_end(u) - {START})
        seen: set[int] = set()
        while work:
            i = work.pop()
            if i in seen:
                continue
            seen.add(i)
            for u in method.steps[i].reads:
                work.extend(self._defs(u).get(i, frozenset()) - {START})
        return seen

    def _is_state(self, v: int) -> bool:
        method, writers = self._method, self._method.writers(v)
        if not writers:
            return False
        return method.has_initial_state(v) or all(v in method.steps[i].reads for i in writers)

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
        """The steps whose write of `v` may be the last of all."""
        end = flow_of(self._method).exit
        at_end = self._reaching.solve(Variable(self._writes(v), [end], carried=False))
        # A method that never ends leaves nothing behind.
        return at_end.get(end, frozenset())

    def _defs(self, v: int) -> dict[int, frozenset[int]]:
        known = self._solved.get(v)
        if known is None:
            uses = list(self._method.readers(v))
            known = self._reaching.solve(Variable(self._writes(v), uses, carried=False))
            self._solved[v] = known
        return known

    def _writes(self, v: int) -> list[int]:
        """The steps that write `v`, or for a view those that write the storage it shares."""
        writers = list(self._method.writers(v))
        if not writers:
            for source in self._sources(v):
                writers.extend(self._method.writers(source))
        return writers

    def _sources(self, v: int) -> list[int]:
        """The tensors that an elided view can show and that somebody fills."""
        method = self._method
        if not method.elision.is_viewlike(v):
            return []
        return [
            u
            for u in self.storage_mates(v)
            if method.elision.may_show(v, u)
            and (method.writers(u) or method.is_input[u] or method.has_initial_state(u))
        ]


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
