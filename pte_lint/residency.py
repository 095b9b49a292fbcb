"""Where data lives: tag, home and storage of every tensor argument at every step.

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
_GONE = -1
"""Stands for a freed pointer among storages."""
_MAX_PLACES = 64
"""Distinct places tracked per value; more than this means a program made to be confusing."""
_BUDGET_PER_STEP = 64
_BUDGET_FLOOR = 2_000_000
"""What following may cost in copied facts; exported programs stay far below."""


@dataclass(frozen=True, slots=True)
class Place:
    """One possible residence of an argument: which tensor object, its tag, its home."""

    value: int
    """The value whose tensor object this is; differs from the argument after a move."""
    tag: Device
    home: Home
    storage: int | None = None
    """The value whose pointer at load this is; differs from `value` after an `et_view`, None when
    the memory is gone."""


class _State:
    """What differs from the state at load: handles of values, storages of tensor objects.

    A storage is named by the value whose pointer at load it is, or `_GONE`.
    """

    __slots__ = ("handles", "storages")

    def __init__(self) -> None:
        self.handles: dict[int, frozenset[int]] = {}
        self.storages: dict[int, frozenset[int]] = {}

    def __len__(self) -> int:
        return len(self.handles) + len(self.storages)

    def copy(self) -> _State:
        other = _State()
        other.handles, other.storages = dict(self.handles), dict(self.storages)
        return other


class Residency:
    """Answers `places(step, value)`; linear in the method but for deep nests of moves in loops."""

    def __init__(self, method: Method) -> None:
        """Follows the handle-changing steps of `method` to a fixed point."""
        self._method = method
        self._static: list[tuple[Place, ...] | None] = [None] * len(method.values)
        self._moved: dict[tuple[int, int], tuple[Place, ...]] = {}
        self._leaving: dict[int, _State] = {}
        """The state after each reachable block."""
        self.final: dict[int, tuple[Place, ...]] = {}
        """Places of values that differ at the end of the method from those at its start."""
        self.given_up = False
        """True when the method has so many moves and jumps that they were not followed: `places`
        is then empty for the values they touch."""
        self._spent = 0

        self._changers = frozenset(
            s.index
            for s in method.steps
            if s.kind is StepKind.MOVE or s.kind is StepKind.FREE or s.operator == ET_VIEW
        )
        if self._changers:
            self._follow()

    @property
    def is_static(self) -> bool:
        """True when no step changes what a value is bound to or where it points."""
        return not self._changers

    def places(self, step: Step, v: int) -> tuple[Place, ...]:
        """The possible residences of value `v` just before `step`; empty for non-tensors."""
        if self._moved:
            moved = self._moved.get((step.index, v))
            if moved is not None:
                return moved
        return self.initial(v)

    def places_after_block(self, block: int, v: int) -> tuple[Place, ...]:
        """The possible residences of value `v` at the end of a reachable block."""
        state = self._leaving.get(block)
        if state is None or not self._differs(state, v):
            return self.initial(v)
        return self._resolve(state, v)

    def initial(self, v: int) -> tuple[Place, ...]:
        """The residence of value `v` before the first step."""
        if not 0 <= v < len(self._static):
            return ()
        known = self._static[v]
        if known is None:
            method = self._method
            known = (
                (Place(v, method.tag(v), method.home(v), v),)
                if method.tensor(v) is not None
                else ()
            )
            self._static[v] = known
        return known

    # -- fixed point ------------------------------------------------------------------------------

    def _follow(self) -> None:
        entry = self._fixed_point()
        if entry is None:
            self._give_up()
            return
        blocks, steps = self._method.flow.blocks, self._method.steps
        for index, state in entry.items():
            current = state.copy()
            for i in blocks[index].steps:
                self._record(current, steps[i])
                if i in self._changers:
                    self._apply(current, steps[i])
            self._leaving[index] = current
        if 0 in entry:
            end = entry[0]
            for v in set(end.handles) | set(end.storages):
                self.final[v] = self._resolve(end, v)

    def _fixed_point(self) -> dict[int, _State] | None:
        """Returns the state before each reachable block; None when that costs too much."""
        flow = self._method.flow
        budget = max(_BUDGET_FLOOR, _BUDGET_PER_STEP * len(self._method.steps))
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
            self._spent += len(state) * (1 + len(following))
            if self._spent > budget:
                return None
            for target in following:
                known = entry.get(target)
                if known is None:
                    entry[target] = state.copy()
                elif not self._join(known, state):
                    continue
                if target not in queued:
                    queued.add(target)
                    work.append(target)
        return entry

    def _give_up(self) -> None:
        self.given_up = True
        for i in self._changers:
            args = self._method.steps[i].args
            for v in (*args[:1], *args[-1:]):
                if 0 <= v < len(self._static):
                    self._static[v] = ()

    def _apply(self, state: _State, step: Step) -> None:
        method = self._method
        if step.kind is StepKind.MOVE:
            source, target = step.args
            if method.tensor(source) is not None and method.value(target) is not None:
                state.handles[target] = self._objects(state, source)
        elif step.kind is StepKind.FREE:
            for obj in self._objects(state, step.args[0]):
                state.storages[obj] = frozenset((_GONE,))
        elif len(step.args) >= 2:
            storages: set[int] = set()
            for obj in self._objects(state, step.args[0]):
                storages |= self._storages(state, obj)
            objects = self._objects(state, step.args[-1])
            for obj in objects:
                known = storages if len(objects) == 1 else storages | self._storages(state, obj)
                if known:
                    state.storages[obj] = frozenset(known)

    def _join(self, known: _State, new: _State) -> bool:
        changed = False
        for v in new.handles.keys() | known.handles.keys():
            before = self._objects(known, v)
            merged = before | self._objects(new, v)
            if merged != before and len(merged) <= _MAX_PLACES:
                known.handles[v] = merged
                changed = True
        for obj in new.storages.keys() | known.storages.keys():
            storages = self._storages(known, obj)
            both = storages | self._storages(new, obj)
            if both != storages and len(both) <= _MAX_PLACES:
                known.storages[obj] = both
                changed = True
        return changed

    def _objects(self, state: _State, v: int) -> frozenset[int]:
        known = state.handles.get(v)
        if known is not None:
            return known
        return frozenset((v,)) if self._method.tensor(v) is not None else frozenset()

    def _storages(self, state: _State, obj: int) -> frozenset[int]:
        known = state.storages.get(obj)
        return known if known is not None else frozenset((obj,))

    def _differs(self, state: _State, v: int) -> bool:
        """True when `v` is bound or points elsewhere than at load."""
        if not state.handles and not state.storages:
            return False
        objects = state.handles.get(v)
        if objects is None:
            return v in state.storages
        return True

    def _resolve(self, state: _State, v: int) -> tuple[Place, ...]:
        method = self._method
        return tuple(
            Place(obj, method.tag(obj), _FREED)
            if storage == _GONE
            else Place(obj, method.tag(obj), method.home(storage), storage)
            for obj in sorted(self._objects(state, v))
            for storage in sorted(self._storages(state, obj))
        )

    def _record(self, state: _State, step: Step) -> None:
        if not state.handles and not state.storages:
            return
        for v in _operands(step):
            if self._differs(state, v):
                self._moved[(step.index, v)] = self._resolve(state, v)


def _operands(step: Step) -> Iterator[int]:
    yield from step.reads
    yield from step.writes
    yield from step.args
