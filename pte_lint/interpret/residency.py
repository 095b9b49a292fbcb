"""Where data lives: tag, home and storage of every tensor argument at every step.

A value's tensor object and its pointer are fixed at load, but some instructions change them: a move
makes two values share one tensor object, and so does an in-place operator that returns its target
into another slot; `et_view` points its output at its input's memory, and a free takes the memory
away for good. Because values keep their state between two executes,
what the method leaves behind is also what its next run starts with; only the pointer of an
unplanned method input is set anew before each run.

Two questions are answered one after the other, each by the changes that reach a use (`reaching`):
which tensor object a value holds (moves), and which memory that object points at (views, frees).
What no such step touches costs nothing.

Sources: `Method::execute_instruction` and `Method::set_input` (runtime/executor/method.cpp),
`et_view` (kernels/prim_ops/et_view.cpp), `getTensorDataPtr` for where pointers start.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

from pte_lint.interpret.change_meanings import MAX_PLACES, Changes, closure, read
from pte_lint.interpret.changes import returning_steps
from pte_lint.interpret.flow import flow_of
from pte_lint.interpret.reaching import START, ReachingDefs, Variable
from pte_lint.ir.calling import ET_VIEW
from pte_lint.ir.device import Device, Home, HomeKind
from pte_lint.ir.method import Method
from pte_lint.ir.question import question
from pte_lint.ir.steps import StepKind
from pte_lint.schema.frozen import dataclass

if TYPE_CHECKING:
    from pte_lint.ir.steps import Step

T = TypeVar("T")

_FREED = Home(HomeKind.FREED)
_GONE: Final = -1
"""Stands for freed memory among storages."""
_TOO_MANY_PLACES: Final = f"one of them may stand for more than {MAX_PLACES} places in memory"


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


class Residency:
    """Answers `places(step, value)`; linear in the method."""

    def __init__(self, method: Method, carried: bool = True) -> None:
        """Follows the moves, views and frees of `method`; not `carried`: in its first run only."""
        self._method = method
        self._carried = carried
        self._static: list[tuple[Place, ...] | None] = [None] * len(method.values)
        self._handles: dict[int, dict[int, frozenset[int]]] = {}
        """By moved value and step: the tensor objects it may hold."""
        self._storages: dict[int, dict[int, frozenset[int]]] = {}
        """By object and step: the values whose memory at load it may point at."""
        self._moves = Changes()
        self._changers = Changes()
        self._resolved: dict[tuple[int, int], tuple[Place, ...]] = {}
        self.exact = True
        """False when the method was too confusing to follow: places are then a superset."""
        moves = sorted((*_moves(method), *returning_steps(method)))
        views = [s for s in method.calls.of(ET_VIEW) if len(s.args) >= 2]
        changers = sorted((*method.of_kind(StepKind.FREE), *views))
        if moves or changers:
            reaching = ReachingDefs(flow_of(method), method.ledger)
            self._follow_handles(reaching, moves)
            self._follow_storages(reaching, changers)
            self.exact = not reaching.exhausted
            if self._moves.is_full or self._changers.is_full:
                method.ledger.give_up("what its values point to", _TOO_MANY_PLACES)
                self.exact = False

    def places(self, step: Step, v: int) -> tuple[Place, ...]:
        """The possible residences of value `v` just before `step`; empty for non-tensors.

        `v` must be an operand of the step.
        """
        return self._places_at(step.index, v)

    def places_after(
        self, asked: Mapping[int, Sequence[int]]
    ) -> dict[tuple[int, int], tuple[Place, ...]]:
        """The possible residences of values just after some steps, which must be reachable.

        Args:
            asked: By value, the indices of the steps. Asking for all at once is what keeps the
                cost linear.

        Returns:
            By step and value, the residences.
        """
        objects = self._moves.after(self._late, asked, self._own)
        wanted: dict[int, list[int]] = defaultdict(list)
        for (index, _), found in objects.items():
            for obj in found:
                wanted[obj].append(index)
        storages = self._changers.after(self._late, wanted, lambda obj: frozenset((obj,)))
        places: dict[tuple[int, int], tuple[Place, ...]] = {}
        for (index, v), found in objects.items():
            at = {obj: storages[index, obj] for obj in found}
            places[index, v] = self._combine(found, at.__getitem__)
        return places

    @cached_property
    def _late(self) -> ReachingDefs:
        """For questions asked after the fact; its budget does not spoil `exact`."""
        return ReachingDefs(flow_of(self._method), self._method.ledger)

    @property
    def is_static(self) -> bool:
        """True when no step changes what any value holds or where it points."""
        return not self._handles and not self._storages

    @property
    def is_exhausted(self) -> bool:
        """True when answers of `places_after` have become supersets."""
        return not self.exact or self._late.exhausted

    def at_end(self, v: int) -> tuple[Place, ...]:
        """The possible residences of method output or input `v` when the method ends."""
        return self._places_at(flow_of(self._method).exit, v)

    def is_moved(self, v: int) -> bool:
        """True when some step changes what value `v` holds or where it points."""
        return v in self._handles or v in self._storages

    @property
    def moved(self) -> frozenset[int]:
        """Every value for which `is_moved` is true."""
        return frozenset((*self._handles, *self._storages))

    def is_rebound(self, v: int) -> bool:
        """True when some move puts another tensor object into value `v`."""
        return v in self._handles

    def is_sure(self, places: Sequence[Place]) -> bool:
        """True when each of `places` is met on some path that can really be taken.

        Several places come from several paths; where one condition decides twice, a path that
        answers it differently does not exist, nor does one through a jump that always fails.
        """
        return self.exact and (len(places) <= 1 or not flow_of(self._method).excludes_paths)

    @cached_property
    def _first(self) -> Residency:
        return Residency(self._method, carried=False)

    def is_in_first_run(self, step: Step, v: int, place: Place) -> bool:
        """True when value `v` can have this place before `step` in the very first run."""
        return not self.is_moved(v) or place in self._first.places(step, v)

    def initial(self, v: int) -> tuple[Place, ...]:
        """The residence of value `v` before the first step of the first run."""
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

    # -- answers ----------------------------------------------------------------------------------

    def _places_at(self, index: int, v: int) -> tuple[Place, ...]:
        if v not in self._handles and v not in self._storages:
            return self.initial(v)
        known = self._resolved.get((index, v))
        if known is None:
            known = self._combine(
                self._objects(index, v), lambda obj: self._storages_of(index, obj)
            )
            self._resolved[(index, v)] = known
        return known

    def _combine(
        self, objects: Iterable[int], storages: Callable[[int], Iterable[int]]
    ) -> tuple[Place, ...]:
        method = self._method
        places = [
            Place(obj, method.tag(obj), _FREED)
            if storage == _GONE
            else Place(obj, method.tag(obj), method.home(storage), storage)
            for obj in sorted(objects)
            for storage in sorted(storages(obj))
        ]
        if len(places) >= MAX_PLACES:
            method.ledger.give_up("what its values point to", _TOO_MANY_PLACES)
        return tuple(places[:MAX_PLACES])

    def _objects(self, index: int, v: int) -> frozenset[int]:
        by_step = self._handles.get(v)
        if by_step is not None and index in by_step:
            return by_step[index]
        return self._own(v)

    def _own(self, v: int) -> frozenset[int]:
        return frozenset((v,)) if self._method.tensor(v) is not None else frozenset()

    def _storages_of(self, index: int, obj: int) -> frozenset[int]:
        by_step = self._storages.get(obj)
        if by_step is not None and index in by_step:
            return by_step[index]
        return frozenset((obj,))

    # -- handles ----------------------------------------------------------------------------------

    def _follow_handles(self, reaching: ReachingDefs, moves: list[Step]) -> None:
        if not moves:
            return
        variables: dict[int, Variable] = {}
        for step in moves:
            variable = variables.setdefault(step.args[-1], Variable(carried=self._carried))
            variable.defs.append(step.index)
        self._collect_uses(variables, lambda index, v: (v,))
        solved = {v: reaching.solve(variable) for v, variable in variables.items()}
        feeding: dict[int, frozenset[int]] = {}
        initial: dict[int, frozenset[int]] = {}
        for step in moves:
            source = step.args[0]
            found = solved[source].get(step.index) if source in solved else None
            feeding[step.index] = (found or frozenset()) - {START}
            at_load = found is None or START in found
            initial[step.index] = self._own(source) if at_load else frozenset()
        meaning = closure(initial, feeding)
        self._moves = Changes(variables, meaning)
        for v, by_use in solved.items():
            self._handles[v] = dict(read(by_use, self._own(v), meaning))

    # -- storages ---------------------------------------------------------------------------------

    def _follow_storages(self, reaching: ReachingDefs, changers: list[Step]) -> None:
        method = self._method
        variables: dict[int, Variable] = {}
        for step in changers:
            objects = self._objects(step.index, step.args[-1])
            for obj in objects:
                # The pointer of an unplanned input is set again before each run.
                given = method.is_input[obj] and not method.is_planned(obj)
                carried = self._carried and not given
                variable = variables.setdefault(obj, Variable(carried=carried))
                variable.defs.append(step.index)
                if len(objects) > 1:
                    variable.weak.add(step.index)
        if not variables:
            return
        self._collect_uses(variables, self._objects)
        solved = {obj: reaching.solve(variable) for obj, variable in variables.items()}
        feeding: dict[int, frozenset[int]] = {}
        initial: dict[int, frozenset[int]] = {}
        for step in changers:
            storages: set[int] = set()
            defs: set[int] = set()
            if step.kind is StepKind.FREE:
                storages.add(_GONE)
            else:
                for obj in self._objects(step.index, step.args[0]):
                    found = solved[obj].get(step.index) if obj in solved else None
                    defs |= found or frozenset()
                    if found is None or START in found:
                        storages.add(obj)
            feeding[step.index] = frozenset(defs - {START})
            initial[step.index] = frozenset(storages)
        meaning = closure(initial, feeding)
        self._changers = Changes(variables, meaning)
        for obj, by_use in solved.items():
            self._storages[obj] = dict(read(by_use, frozenset((obj,)), meaning))

    def _collect_uses(
        self,
        variables: Mapping[int, Variable],
        names: Callable[[int, int], Iterable[int]],
    ) -> None:
        """Adds every step that has a variable as operand, and the end, to its uses."""
        for step in self._method.steps:
            for v in _operands(step):
                for name in names(step.index, v):
                    if name in variables:
                        variables[name].uses.append(step.index)
        end = flow_of(self._method).exit
        for v in (*self._method.inputs, *self._method.outputs):
            for name in names(end, v):
                if name in variables:
                    variables[name].uses.append(end)


def _moves(method: Method) -> Iterator[Step]:
    """Moves whose ends are values."""
    return (step for step in method.of_kind(StepKind.MOVE) if step.reads and step.writes)


def _operands(step: Step) -> Iterator[int]:
    yield from step.reads
    yield from step.writes
    yield from step.args


@question
def residency_of(method: Method) -> Residency:
    """Tag and home of every tensor argument at every step."""
    return Residency(method)
