"""Where data lives: tag and home of every tensor argument at every step.

A value's tensor object and its pointer are fixed at load, but three instructions change them: a
move makes two values share one tensor object, `et_view` points its output at its input's memory,
and a free takes the memory away for good. Because values keep their state between two executes,
what the method leaves behind is also what its next run starts with.

Sources: `Method::execute_instruction` (runtime/executor/method.cpp) for moves and frees,
`et_view` (kernels/prim_ops/et_view.cpp), `getTensorDataPtr` for where pointers start.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pte_lint.calling import ET_VIEW
from pte_lint.device import Device, Home, HomeKind
from pte_lint.steps import StepKind

if TYPE_CHECKING:
    from pte_lint.method import Method
    from pte_lint.steps import Step

_FREED = Home(HomeKind.FREED)
_MAX_PLACES = 64
"""Distinct places tracked per value; more than this means a program made to be confusing."""


@dataclass(frozen=True, slots=True)
class Place:
    """One possible residence of an argument: which tensor object, its tag, its home."""

    value: int
    """The value whose tensor object this is; differs from the argument after a move."""
    tag: Device
    home: Home


class _State:
    """What differs from the state at load: handles of values, homes of tensor objects."""

    __slots__ = ("handles", "homes")

    def __init__(self) -> None:
        self.handles: dict[int, frozenset[int]] = {}
        self.homes: dict[int, frozenset[Home]] = {}

    def copy(self) -> _State:
        other = _State()
        other.handles, other.homes = dict(self.handles), dict(self.homes)
        return other


class Residency:
    """Answers `places(step, value)`; linear in the method but for deep nests of moves in loops."""

    def __init__(self, method: Method) -> None:
        """Follows the handle-changing steps of `method` to a fixed point."""
        self._method = method
        self._static: list[tuple[Place, ...] | None] = [None] * len(method.values)
        self._moved: dict[tuple[int, int], tuple[Place, ...]] = {}
        self.final: dict[int, tuple[Place, ...]] = {}
        """Places of values that differ at the end of the method from those at its start."""

        self._changers = frozenset(
            s.index
            for s in method.steps
            if s.kind is StepKind.MOVE or s.kind is StepKind.FREE or s.operator == ET_VIEW
        )
        if self._changers:
            self._follow()

    def places(self, step: Step, v: int) -> tuple[Place, ...]:
        """The possible residences of value `v` just before `step`; empty for non-tensors."""
        if self._moved:
            moved = self._moved.get((step.index, v))
            if moved is not None:
                return moved
        return self.initial(v)

    def initial(self, v: int) -> tuple[Place, ...]:
        """The residence of value `v` before the first step."""
        if not 0 <= v < len(self._static):
            return ()
        known = self._static[v]
        if known is None:
            method = self._method
            known = (
                (Place(v, method.tag(v), method.home(v)),) if method.tensor(v) is not None else ()
            )
            self._static[v] = known
        return known

    # -- fixed point ------------------------------------------------------------------------------

    def _follow(self) -> None:
        flow = self._method.flow
        entry: dict[int, _State] = {0: _State()}
        work = [0]
        queued = {0}
        while work:
            index = work.pop()
            queued.discard(index)
            block = flow.blocks[index]
            state = entry[index].copy()
            for i in block.steps:
                if i in self._changers:
                    self._apply(state, self._method.steps[i])
            following = list(block.successors)
            if flow.exit in flow.successors(block.last):
                following.append(0)  # the next execute starts where this one ended
            for target in following:
                known = entry.get(target)
                if known is None:
                    entry[target] = state.copy()
                elif not self._join(known, state):
                    continue
                if target not in queued:
                    queued.add(target)
                    work.append(target)
        for index, state in entry.items():
            current = state.copy()
            for i in flow.blocks[index].steps:
                step = self._method.steps[i]
                self._record(current, step)
                if i in self._changers:
                    self._apply(current, step)
        if 0 in entry:
            end = entry[0]
            for v in set(end.handles) | set(end.homes):
                self.final[v] = self._resolve(end, v)

    def _apply(self, state: _State, step: Step) -> None:

        method = self._method
        if step.kind is StepKind.MOVE:
            source, target = step.args
            if method.tensor(source) is not None and method.value(target) is not None:
                state.handles[target] = self._objects(state, source)
        elif step.kind is StepKind.FREE:
            for obj in self._objects(state, step.args[0]):
                state.homes[obj] = frozenset((_FREED,))
        elif len(step.args) >= 2:
            homes: set[Home] = set()
            for obj in self._objects(state, step.args[0]):
                homes |= self._homes(state, obj)
            objects = self._objects(state, step.args[-1])
            for obj in objects:
                known = homes if len(objects) == 1 else homes | self._homes(state, obj)
                if known:
                    state.homes[obj] = frozenset(known)

    def _join(self, known: _State, new: _State) -> bool:
        changed = False
        for v in new.handles.keys() | known.handles.keys():
            before = self._objects(known, v)
            merged = before | self._objects(new, v)
            if merged != before and len(merged) <= _MAX_PLACES:
                known.handles[v] = merged
                changed = True
        for obj in new.homes.keys() | known.homes.keys():
            homes = self._homes(known, obj)
            both = homes | self._homes(new, obj)
            if both != homes and len(both) <= _MAX_PLACES:
                known.homes[obj] = both
                changed = True
        return changed

    def _objects(self, state: _State, v: int) -> frozenset[int]:
        known = state.handles.get(v)
        if known is not None:
            return known
        return frozenset((v,)) if self._method.tensor(v) is not None else frozenset()

    def _homes(self, state: _State, obj: int) -> frozenset[Home]:
        known = state.homes.get(obj)
        return known if known is not None else frozenset((self._method.home(obj),))

    def _resolve(self, state: _State, v: int) -> tuple[Place, ...]:
        return tuple(
            Place(obj, self._method.tag(obj), home)
            for obj in sorted(self._objects(state, v))
            for home in sorted(self._homes(state, obj), key=str)
        )

    def _record(self, state: _State, step: Step) -> None:
        if not state.handles and not state.homes:
            return
        for v in _operands(step):
            objects = state.handles.get(v)
            if objects is None and v not in state.homes:
                continue
            self._moved[(step.index, v)] = self._resolve(state, v)


def _operands(step: Step) -> Iterator[int]:
    yield from step.reads
    yield from step.writes
    yield from step.args
