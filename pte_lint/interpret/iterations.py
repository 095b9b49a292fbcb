"""Takes many iterations of a loop at once, where each only moves numbers by the same amounts.

A counter may go round a million times, or miss its end and never stop. When two iterations in a
row ran the same steps and moved some numbers by the same amounts, the steps of an iteration are
read as arithmetic on `number + iteration * amount`. If that says that an iteration moves the same
numbers by the same amounts again, all further iterations do, until a comparison changes its
outcome, an Int wraps around or a Double is no longer exact.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Final, NamedTuple

from pte_lint.interpret.state import Cell, State
from pte_lint.ir.calling import list_items
from pte_lint.ir.steps import StepKind
from pte_lint.ops.numbers import EXACT, LARGEST, double
from pte_lint.ops.prims import PRIM_OPS, result
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.frozen import dataclass

if TYPE_CHECKING:
    from pte_lint.interpret.player import Player
    from pte_lint.ir.steps import Step

Exact = int | Fraction
"""A number as it is; of a Double's denominator one can tell its binary places."""

_PREFIX: Final = "executorch_prim::"
_ENDLESS: Final = 1 << 62
"""Iterations of a loop whose comparisons never change."""


class _Even(NamedTuple):
    """A number that is `cell.number + iteration * amount`; the amount is 0 for what stays."""

    cell: Cell
    amount: Exact = 0

    def at(self, iteration: int) -> Cell:
        """What it is so many iterations later."""
        return _moved_by(self.cell, iteration * self.amount) if self.amount else self.cell

    def room(self, largest: int | None = None) -> int:
        """For how many iterations it moves evenly: an Int within 64 bits, a Double while exact."""
        if not self.amount:
            return _ENDLESS
        number = _exact(self.cell)
        if number is None:
            raise _Uneven
        if largest is None:
            largest = LARGEST if self.cell.kind == KernelTypes.INT else EXACT
        # Doubles with so many binary places are exact up to that fraction of whole ones.
        pace = Fraction(self.amount)
        most = Fraction(largest, max(number.denominator, pace.denominator))
        return min((most - number if pace > 0 else most + number) // abs(pace), _ENDLESS)


class _Uneven(Exception):  # noqa: N818 - the answer "cannot tell"
    """Something in the iteration is not arithmetic that stays even."""


@dataclass(frozen=True, slots=True)
class _Visit:
    """What was so when a jump was met."""

    cells: Mapping[int, Cell]
    rest: tuple[object, ...]
    walked: int
    trace: int
    """How many steps had been noted."""


class Iterations:
    """What one path through a method has passed, to recognise iterations; forget it at a fork."""

    __slots__ = ("_trace", "_visits")

    def __init__(self) -> None:
        """Nothing passed yet."""
        self._trace: list[int] = []
        self._visits: dict[int, list[_Visit]] = {}

    def note(self, step: int) -> None:
        """Notes a step that was played."""
        self._trace.append(step)

    def skip(self, player: Player, jump: int, state: State, most: int) -> bool:
        """Takes as many iterations at once as are sure to be alike.

        Args:
            player: Who plays the method.
            jump: The jump that was just met again; it has not been taken yet.
            state: The state there; it is moved on by whole iterations.
            most: Instructions after which the runtime gives up: no need to go further than that.

        Returns:
            Whether the loop was found to be without end.
        """
        visits = self._visits.setdefault(jump, [])
        here = _Visit(dict(state.cells), state.rest(), state.walked, len(self._trace))
        visits.append(here)
        del visits[:-3]
        if len(visits) < 3 or not self._are_alike(visits):
            return False
        amounts = _amounts(visits)
        if not amounts:
            return False
        length = here.walked - visits[1].walked
        iteration = _Iteration(player, state, amounts)
        try:
            iteration.play([player.method.steps[i] for i in self._trace[visits[1].trace :]])
        except _Uneven:
            return False
        most_iterations = (most - state.walked) // length + 1
        iterations = min(iteration.alike, most_iterations, iteration.room)
        if iterations > 1:
            for v, amount in amounts.items():
                state.cells[v] = _moved_by(state.cells[v], iterations * amount)
            state.walked += iterations * length
            # Iterations of a loop around this one would lack those that were skipped.
            self._trace.clear()
            self._visits.clear()
        return iteration.alike == _ENDLESS and iteration.room >= most_iterations

    def _are_alike(self, visits: Sequence[_Visit]) -> bool:
        """Whether the last two iterations ran the same steps and changed nothing but cells."""
        first, second, third = visits
        return (
            first.rest == second.rest == third.rest
            and second.walked - first.walked == third.walked - second.walked > 0
            and self._trace[first.trace : second.trace] == self._trace[second.trace : third.trace]
        )


def _exact(cell: Cell) -> Exact | None:
    """The value of an Int or of a finite Double; None for others."""
    number = cell.number
    if cell.kind == KernelTypes.INT and isinstance(number, int):
        return number
    return Fraction(number) if isinstance(number, float) and isfinite(number) else None


def _moved_by(cell: Cell, amount: Exact) -> Cell:
    number = _exact(cell)
    assert number is not None
    moved = number + amount
    is_int = cell.kind == KernelTypes.INT
    return cell._replace(number=int(moved) if is_int else double(float(moved)))


def _amounts(visits: Sequence[_Visit]) -> dict[int, Exact]:
    """By value, by how much each iteration moved it; empty if something did not move evenly."""
    first, second, third = (visit.cells for visit in visits)
    if not first.keys() == second.keys() == third.keys():
        return {}
    amounts: dict[int, Exact] = {}
    for v, cell in third.items():
        if cell == second[v] == first[v]:
            continue
        moved = (first[v], second[v], cell)
        numbers = [n for n in map(_exact, moved) if n is not None]
        if len(numbers) < 3 or len({each.kind for each in moved}) > 1:
            return {}
        steps = [after - before for before, after in pairwise(numbers)]
        if steps[0] != steps[1]:
            return {}
        amounts[v] = steps[0]
    return amounts


class _Iteration:
    """The next iteration, read as arithmetic."""

    def __init__(self, player: Player, state: State, amounts: Mapping[int, Exact]) -> None:
        """`amounts`: by how much the iterations before moved values."""
        self._player, self._state, self._amounts = player, state, amounts
        self._now: dict[int, _Even] = {}
        self.alike = _ENDLESS
        """How many iterations from here run the same steps, unless there is less room."""
        self.room = _ENDLESS
        """Iterations during which all numbers move evenly."""

    def play(self, steps: Sequence[Step]) -> None:
        """Plays the steps of the iteration.

        Raises:
            _Uneven: Whether further iterations are alike cannot be told.
        """
        now = self._now
        writes = Counter(v for step in steps for v in step.writes)
        for step in steps:
            if step.kind is StepKind.MOVE:
                now[step.args[1]] = self._read(step.args[0])
            elif step.kind is StepKind.KERNEL:
                op = PRIM_OPS.get(step.operator)
                if op is None or not op.results:
                    self._look(step)
                elif step.args:
                    once = writes[step.args[-1]] == 1
                    now[step.args[-1]] = self._calculate(step, once)
        cell = self._player.cell
        for v, amount in self._amounts.items():
            before = _Even(cell(self._state, v), amount)
            self.room = min(self.room, before.room())
            if self.room > 0 and now.get(v) != _Even(before.at(1), amount):
                raise _Uneven
        for v, even in now.items():
            if v not in self._amounts and even != _Even(cell(self._state, v)):
                raise _Uneven

    def _read(self, v: int) -> _Even:
        if v not in self._now:
            amount = self._amounts.get(v, 0)
            self._now[v] = _Even(self._player.cell(self._state, v), amount)
        return self._now[v]

    def _look(self, step: Step) -> None:
        """A kernel that looks at numbers may refuse those of later iterations."""
        for v in step.args:
            even = self._read(v)
            items = list_items(self._player.method.value(even.cell.thing))
            if even.amount or any(self._read(item).amount for item in items):
                raise _Uneven

    def _calculate(self, step: Step, once: bool) -> _Even:
        """What a prim op leaves in its slot; `once`: an iteration writes the slot nowhere else."""
        operands = [self._read(v) for v in step.args[:-1]]
        if any(each.amount for each in operands):
            return self._moved(step, operands)
        cells = [each.cell for each in operands]
        if PRIM_OPS[step.operator].value and all(cell.number is not None for cell in cells):
            return _Even(Cell(*result(step.operator, cells)))
        before = self._read(step.args[-1])
        if before.amount or not once:
            raise _Uneven
        return before

    def _moved(self, step: Step, operands: Sequence[_Even]) -> _Even:
        """The result of a prim op on numbers that move."""
        stem = step.operator.removeprefix(_PREFIX).removesuffix(".Scalar")
        cells = [each.cell for each in operands]
        if len(operands) != 2 or any(cell.number is None for cell in cells):
            raise _Uneven
        left, right = operands
        is_mixed = cells[0].kind != cells[1].kind
        cell = Cell(*result(step.operator, cells))
        if stem in ("eq", "lt", "le", "gt", "ge"):
            room = min(left.room(), right.room())
            if is_mixed and left.amount and right.amount:
                room = min(left.room(EXACT), right.room(EXACT))
                self.room = min(self.room, room)
            if Cell(*result(step.operator, [left.at(-1), right.at(-1)])) != cell:
                raise _Uneven  # the iteration before went another way
            self.alike = min(self.alike, _until(stem, left, right, room))
            return _Even(cell)
        a, b = (_exact(each) for each in cells)
        if a is None or b is None or (cell.kind == KernelTypes.DOUBLE and stem == "mul"):
            raise _Uneven  # of doubles, a product has the sign of a zero
        amounts = {
            "add": left.amount + right.amount,
            "sub": left.amount - right.amount,
            "mul": left.amount * b + right.amount * a,
        }
        if stem not in amounts or (stem == "mul" and left.amount and right.amount):
            raise _Uneven
        if cell.kind == KernelTypes.DOUBLE and _exact(cell) != (a + b if stem == "add" else a - b):
            raise _Uneven
        moved = _Even(cell, amounts[stem])
        exact = EXACT if is_mixed else None
        self.room = min(self.room, left.room(exact), right.room(exact), moved.room())
        return moved


def _until(stem: str, left: _Even, right: _Even, room: int) -> int:
    """Iterations until a comparison changes its outcome; `_ENDLESS` if it never does within `room`.

    Its sides move apart or towards each other, so that "less" changes once.
    """

    def holds(comparison: str, iteration: int) -> bool:
        sides = [left.at(iteration), right.at(iteration)]
        return bool(result(f"{_PREFIX}{comparison}.Scalar", sides).number)

    def first(comparison: str) -> int:
        outcome = holds(comparison, 0)
        later = range(1, room + 1)
        return 1 + bisect_left(
            later, True, key=lambda iteration: holds(comparison, iteration) != outcome
        )

    if stem != "eq" or holds("eq", 0):
        iterations = first(stem)
        return iterations if iterations <= room else _ENDLESS
    iterations = first("lt" if holds("lt", 0) else "gt")
    return iterations if iterations <= room and holds("eq", iterations) else _ENDLESS
