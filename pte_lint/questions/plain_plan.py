"""Proves of most memory plans, in one quick sweep, that nothing is lost or missing in them.

`liveness` finds what is wrong with a plan, at a cost for each instruction that a sound plan need
not pay. The sweep here goes over a method without jumps, moves and views once and keeps, for every
byte of the arenas that tensors tell apart, whose content is there. When all that is ever read is
still what was written for it, there is no conflict, no step that writes over its own input, and no
read before a write. Anything unusual ends the sweep without an answer. Whatever `liveness` counts
as a tensor's content, its state or its base has to be at least as strict here; tests hold the two
together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pte_lint.interpret.flow import flow_of
from pte_lint.interpret.residency import residency_of
from pte_lint.ir.calling import ET_COPY_INDEX
from pte_lint.ir.steps import Step, StepKind
from pte_lint.questions.access import access, is_plain
from pte_lint.questions.storage import returned

if TYPE_CHECKING:
    from pte_lint.ir.method import Method

_NOBODY = -1
_BUDGET_PER_STEP = 64
_BUDGET_FLOOR = 1_000_000
"""Pieces of arenas that may be looked at in ranges of more than one piece."""

_FRESH, _IN_PLACE = 1, 2


def is_plainly_sound(method: Method) -> bool:
    """True when it is proven that `Liveness` finds nothing; False says nothing."""
    if not flow_of(method).is_straight or not residency_of(method).is_static:
        return False
    if ET_COPY_INDEX in method.calls.operators:
        return False
    return _Sweep(method).run()


class _Sweep:
    """The state of the arenas between two steps."""

    def __init__(self, method: Method) -> None:
        """Cuts the arenas into pieces."""
        self._method = method
        n = len(method.values)
        self._first, self._end, count = _pieces(method)
        """By value, its range of pieces; 0 and 0 for a value without bytes in an arena."""
        self._owner = [_NOBODY] * count
        """By piece, the value whose content is there."""
        self._name = list(range(n))
        """By value, the one it is a view of, or itself."""
        self._written = _how_written(method)
        self._held: list[int] = []
        """Tensors that hold something before the run, inputs left out."""
        self._no_base: set[int] = set()
        """Values whose content no other value can be a view of."""
        self._awaited = bytearray(n)
        """Outputs without planned memory that nobody has written yet."""
        self._budget = max(_BUDGET_FLOOR, _BUDGET_PER_STEP * len(method.steps))

    def run(self) -> bool:
        """Goes over the whole method; True when every read found what it should."""
        return self._begin() and self._pass() and self._finish()

    # -- before and after -------------------------------------------------------------------------

    def _begin(self) -> bool:
        """Puts state and inputs in place; they must not meet each other."""
        method, written = self._method, self._written
        loaded = set(method.initial_states)
        kept = {v for v in method.tensors if written[v] == _IN_PLACE}
        named = {v for v in method.table.extra if method.is_named(v)}
        self._no_base = named - loaded - kept
        inputs = dict.fromkeys(method.inputs)
        self._held = sorted(
            v for v in loaded | kept | named if method.is_planned(v) and v not in inputs
        )
        for v in (*self._held, *inputs):
            if 0 <= v < len(written):
                if not self._is_owned(v, _NOBODY):
                    return False
                self._claim(v)
                written[v] |= _FRESH  # and so is no view of anything
        for v in method.table.unplanned:
            given = method.is_input[v] or method.is_constant(v) or method.is_external(v)
            self._awaited[v] = bool(method.is_output[v] and method.nbytes(v) and not given)
        return True

    def _finish(self) -> bool:
        """Outputs must be there, and state as the next run expects it."""
        return self._reads(returned(self._method)) and all(self._is_owned(v, v) for v in self._held)

    # -- steps ------------------------------------------------------------------------------------

    def _pass(self) -> bool:
        """Takes all steps in order; True when every read found what it should."""
        first, end, owner, names = self._first, self._end, self._owner, self._name
        awaited, kernel = self._awaited, StepKind.KERNEL
        plain = frozenset(filter(is_plain, self._method.calls.operators))
        for step in self._method.steps:
            # Nearly all steps: one output, and every argument in one piece or in none. `_step`
            # would say the same of them.
            if step.kind is kernel and len(step.writes) == 1 and step.operator in plain:
                (v,) = step.writes
                start = first[v]
                if end[v] - start == 1:
                    for r in step.reads:
                        at = first[r]
                        size = end[r] - at
                        if size > 1 or (awaited[r] if size == 0 else owner[at] != names[r]):
                            break
                        if size and at == start and names[r] != v:
                            return False
                    else:
                        owner[start] = v
                        continue
            if not self._step(step):
                return False
        return True

    def _step(self, step: Step) -> bool:
        if step.kind is StepKind.KERNEL and is_plain(step.operator):
            return self._reads(step.reads) and self._stores(step.reads, step.writes)
        what = access(self._method, step)
        if not self._reads(what.reads):
            return False
        others = [v for v in what.binds if v not in what.stores]
        for v in others:
            if self._name[v] != v:
                return False
            self._written[v] |= _FRESH
            self._no_base.add(v)
            self._claim(v)
        return self._stores(what.reads, what.stores) and self._are_owned(others)

    def _reads(self, values: Iterable[int]) -> bool:
        first, end, owner, names = self._first, self._end, self._owner, self._name
        for v in values:
            start, stop = first[v], end[v]
            if start == stop:
                if self._awaited[v]:
                    return False
            elif stop - start == 1 and owner[start] == names[v]:
                continue
            elif not self._is_owned(v, names[v]) and not self._is_view(v):
                return False
        return True

    def _stores(self, reads: Sequence[int], values: Sequence[int]) -> bool:
        first, end, names = self._first, self._end, self._name
        for v in values:
            start, stop = first[v], end[v]
            if start == stop:
                self._awaited[v] = 0
                continue
            for r in reads:
                if first[r] < stop and start < end[r] and names[r] != v:
                    return False
            if stop - start == 1:
                self._owner[start] = v
            else:
                self._claim(v)
        # Which of two outputs is written last is up to the kernel.
        return len(values) < 2 or self._are_owned(values)

    # -- pieces -----------------------------------------------------------------------------------

    def _claim(self, v: int) -> None:
        start, stop = self._first[v], self._end[v]
        self._owner[start:stop] = [v] * (stop - start)

    def _is_owned(self, v: int, name: int) -> bool:
        """True when all pieces of `v` hold what was written for `name`."""
        start, stop = self._first[v], self._end[v]
        self._budget -= stop - start
        return self._budget >= 0 and self._owner[start:stop] == [name] * (stop - start)

    def _are_owned(self, values: Iterable[int]) -> bool:
        return all(self._is_owned(v, v) for v in values)

    def _is_view(self, v: int) -> bool:
        """True when `v`, which nothing writes, is read for the first time and shows another."""
        if self._written[v] or self._name[v] != v:
            return False
        base = self._owner[self._first[v]]
        if base == _NOBODY or base in self._no_base or not self._is_owned(v, base):
            return False
        elision = self._method.elision
        if not elision.is_viewlike(v) or not elision.may_show(v, base):
            return False
        self._name[v] = base
        return True


def _how_written(method: Method) -> bytearray:
    """By value, whether steps write it from scratch, in place, or both."""
    how = bytearray(len(method.values))
    kernel = StepKind.KERNEL
    for step in method.steps:
        reads = step.reads if step.kind is kernel else ()
        for v in step.writes:
            how[v] |= _IN_PLACE if v in reads else _FRESH
    return how


def _pieces(method: Method) -> tuple[list[int], list[int], int]:
    """Cuts the arenas wherever a tensor begins or ends.

    Returns:
        The first piece and the one after the last, by value, and the number of all pieces.
    """
    first, end = [0] * len(method.values), [0] * len(method.values)
    bounds: dict[int, set[int]] = {}
    plots = [plot for plot in method.table.plots if plot.nbytes > 0]
    for memory_id, offset, nbytes in (plot.place for plot in plots):
        bounds.setdefault(memory_id, set()).update((offset, offset + nbytes))
    numbers: dict[tuple[int, int], int] = {}
    for memory_id, places in bounds.items():
        for place in sorted(places):
            numbers[memory_id, place] = len(numbers)
    for plot in plots:
        memory_id, offset, nbytes = plot.place
        start, stop = numbers[memory_id, offset], numbers[memory_id, offset + nbytes]
        for v in plot.values:
            first[v], end[v] = start, stop
    return first, end, len(numbers)
