"""Where data lives: tag and home of every tensor argument at every step.

A value's tensor object and its pointer are fixed at load, but three instructions change them: a
move makes two values share one tensor object, `et_view` points its output at its input's memory,
and a free takes the memory away for good. Because values keep their state between two executes,
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
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pte_lint.calling import ET_VIEW
from pte_lint.device import Device, Home, HomeKind
from pte_lint.reaching import START, ReachingDefs, Variable
from pte_lint.steps import StepKind

if TYPE_CHECKING:
    from pte_lint.method import Method
    from pte_lint.steps import Step

T = TypeVar("T")

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


class Residency:
    """Answers `places(step, value)`; linear in the method."""

    def __init__(self, method: Method) -> None:
        """Follows the moves, views and frees of `method`."""
        self._method = method
        self._static: list[tuple[Place, ...] | None] = [None] * len(method.values)
        self._handles: dict[int, dict[int, frozenset[int]]] = {}
        """By moved value and step: the tensor objects it may hold."""
        self._homes: dict[int, dict[int, frozenset[Home]]] = {}
        """By object and step: the memory it may point at."""
        self._resolved: dict[tuple[int, int], tuple[Place, ...]] = {}
        self.exact = True
        """False when the method was too confusing to follow: places are then a superset."""
        moves = [s for s in method.steps if s.kind is StepKind.MOVE and s.reads and s.writes]
        changers = [s for s in method.steps if s.kind is StepKind.FREE or _is_view(s)]
        if moves or changers:
            reaching = ReachingDefs(method.flow)
            self._follow_handles(reaching, moves)
            self._follow_homes(reaching, changers)
            self.exact = not reaching.exhausted

    def places(self, step: Step, v: int) -> tuple[Place, ...]:
        """The possible residences of value `v` just before `step`; empty for non-tensors.

        `v` must be an operand of the step.
        """
        return self._places_at(step.index, v)

    def at_end(self, v: int) -> tuple[Place, ...]:
        """The possible residences of value `v` when the method ends."""
        return self._places_at(self._method.flow.exit, v)

    def is_moved(self, v: int) -> bool:
        """True when some step changes what value `v` holds or where it points."""
        return v in self._handles or v in self._homes

    def is_sure(self, places: Sequence[Place]) -> bool:
        """True when each of `places` is met on some path that can really be taken.

        Several places come from several paths; where one condition decides twice, a path that
        answers it differently does not exist.
        """
        return self.exact and (len(places) <= 1 or not self._method.flow.retests)

    @property
    def final(self) -> dict[int, tuple[Place, ...]]:
        """Places at the end of every value that some step changes."""
        changed = self._handles.keys() | self._homes.keys()
        return {v: self.at_end(v) for v in sorted(changed)}

    def initial(self, v: int) -> tuple[Place, ...]:
        """The residence of value `v` before the first step of the first run."""
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

    # -- answers ----------------------------------------------------------------------------------

    def _places_at(self, index: int, v: int) -> tuple[Place, ...]:
        if v not in self._handles and v not in self._homes:
            return self.initial(v)
        known = self._resolved.get((index, v))
        if known is None:
            tag = self._method.tag
            places = [
                Place(obj, tag(obj), home)
                for obj in sorted(self._objects(index, v))
                for home in sorted(self._homes_of(index, obj), key=str)
            ]
            known = tuple(places[:_MAX_PLACES])
            self._resolved[(index, v)] = known
        return known

    def _objects(self, index: int, v: int) -> frozenset[int]:
        by_step = self._handles.get(v)
        if by_step is not None and index in by_step:
            return by_step[index]
        return self._own(v)

    def _own(self, v: int) -> frozenset[int]:
        return frozenset((v,)) if self._method.tensor(v) is not None else frozenset()

    def _homes_of(self, index: int, obj: int) -> frozenset[Home]:
        by_step = self._homes.get(obj)
        if by_step is not None and index in by_step:
            return by_step[index]
        return frozenset((self._method.home(obj),))

    # -- handles ----------------------------------------------------------------------------------

    def _follow_handles(self, reaching: ReachingDefs, moves: list[Step]) -> None:
        if not moves:
            return
        variables: dict[int, Variable] = {}
        for step in moves:
            variables.setdefault(step.args[1], Variable()).defs.append(step.index)
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
        meaning = _closure(initial, feeding)
        for v, by_use in solved.items():
            self._handles[v] = {
                use: _union(self._own(v) if d == START else meaning[d] for d in defs)
                for use, defs in by_use.items()
            }

    # -- homes ------------------------------------------------------------------------------------

    def _follow_homes(self, reaching: ReachingDefs, changers: list[Step]) -> None:
        method = self._method
        variables: dict[int, Variable] = {}
        for step in changers:
            objects = self._objects(step.index, step.args[-1])
            for obj in objects:
                # The pointer of an unplanned input is set again before each run.
                carried = method.is_planned(obj) or not method.is_input[obj]
                variable = variables.setdefault(obj, Variable(carried=carried))
                variable.defs.append(step.index)
                if len(objects) > 1:
                    variable.weak.add(step.index)
        if not variables:
            return
        self._collect_uses(variables, self._objects)
        solved = {obj: reaching.solve(variable) for obj, variable in variables.items()}
        feeding: dict[int, frozenset[int]] = {}
        initial: dict[int, frozenset[Home]] = {}
        for step in changers:
            homes: set[Home] = set()
            defs: set[int] = set()
            if step.kind is StepKind.FREE:
                homes.add(_FREED)
            else:
                for obj in self._objects(step.index, step.args[0]):
                    found = solved[obj].get(step.index) if obj in solved else None
                    defs |= found or frozenset()
                    if found is None or START in found:
                        homes.add(method.home(obj))
            feeding[step.index] = frozenset(defs - {START})
            initial[step.index] = frozenset(homes)
        meaning = _closure(initial, feeding)
        for obj, by_use in solved.items():
            at_load = frozenset((method.home(obj),))
            self._homes[obj] = {
                use: _union(at_load if d == START else meaning[d] for d in defs)
                for use, defs in by_use.items()
            }

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
        for variable in variables.values():
            variable.uses.append(self._method.flow.exit)


def _is_view(step: Step) -> bool:
    return step.operator == ET_VIEW and len(step.args) >= 2


def _operands(step: Step) -> Iterator[int]:
    yield from step.reads
    yield from step.writes
    yield from step.args


def _union(sets: Iterable[frozenset[T]]) -> frozenset[T]:
    merged: frozenset[T] = frozenset()
    for each in sets:
        if len(merged) < _MAX_PLACES:
            merged |= each
    return merged


def _closure(
    initial: Mapping[int, frozenset[T]], feeding: Mapping[int, frozenset[int]]
) -> dict[int, frozenset[T]]:
    """What each change can mean: its own set and those of the changes that feed it."""
    meaning = dict(initial)
    feeds: dict[int, list[int]] = defaultdict(list)
    for d, sources in feeding.items():
        for source in sources:
            feeds[source].append(d)
    work = list(meaning)
    while work:
        source = work.pop()
        for d in feeds.get(source, ()):
            merged = _union((meaning[d], meaning[source]))
            if merged != meaning[d]:
                meaning[d] = merged
                work.append(d)
    return meaning
