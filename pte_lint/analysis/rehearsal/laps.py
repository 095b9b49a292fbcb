"""Takes many laps of a loop at once, where all that a lap does is to move numbers evenly.

A counter may go round a million times, or miss its end and never stop. When two laps in a row ran
the same steps and moved some Ints by the same amounts, the steps of a lap are read as arithmetic on
`number + lap * amount`. If that says that a lap moves the same Ints by the same amounts again, all
further laps do, until a comparison changes its outcome; how many laps that takes is a division.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from pte_lint.analysis.calling import ET_COPY_INDEX
from pte_lint.analysis.rehearsal.prims import result
from pte_lint.analysis.rehearsal.state import Cell, State
from pte_lint.analysis.steps import StepKind
from pte_lint.kernels.prims import PRIM_OPS
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.frozen import dataclass

if TYPE_CHECKING:
    from pte_lint.analysis.rehearsal.player import Player
    from pte_lint.analysis.steps import Step

_PREFIX: Final = "executorch_prim::"
_ENDLESS: Final = 1 << 62
"""Laps of a loop whose comparisons never change."""
_LARGEST: Final = (1 << 63) - 1


class _Even(NamedTuple):
    """A number that is `cell.number + lap * amount`; the amount is 0 for what stays."""

    cell: Cell
    amount: int = 0


class _Uneven(Exception):  # noqa: N818 - the answer "cannot tell"
    """Something in the lap is not arithmetic that stays even."""


@dataclass(frozen=True, slots=True)
class _Visit:
    """What was so when a jump was met."""

    cells: Mapping[int, Cell]
    rest: tuple[object, ...]
    walked: int
    trace: int
    """How many steps had been noted."""


class Laps:
    """What one path through a method has passed, to recognise laps; forget it at a fork."""

    __slots__ = ("_trace", "_visits")

    def __init__(self) -> None:
        """Nothing passed yet."""
        self._trace: list[int] = []
        self._visits: dict[int, list[_Visit]] = {}

    def note(self, step: int) -> None:
        """Notes a step that was played."""
        self._trace.append(step)

    def skip(self, player: Player, jump: int, state: State, most: int) -> bool:
        """Takes as many laps at once as are sure to be alike.

        Args:
            player: Who plays the method.
            jump: The jump that was just met again; it has not been taken yet.
            state: The state there; it is moved on by whole laps.
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
        lap = [player.method.steps[i] for i in self._trace[visits[1].trace :]]
        length = here.walked - visits[1].walked
        try:
            alike = _alike(player, state, lap, amounts)
        except _Uneven:
            return False
        laps = min(alike, (most - state.walked) // length + 1, _room(state, amounts))
        if laps > 1:
            for v, amount in amounts.items():
                cell = state.cells[v]
                assert isinstance(cell.number, int)
                state.cells[v] = cell._replace(number=cell.number + laps * amount)
            state.walked += laps * length
            # Laps of a loop around this one would lack those that were skipped.
            self._trace.clear()
            self._visits.clear()
        return alike == _ENDLESS

    def _are_alike(self, visits: Sequence[_Visit]) -> bool:
        """Whether the last two laps ran the same steps and changed nothing but cells."""
        first, second, third = visits
        return (
            first.rest == second.rest == third.rest
            and second.walked - first.walked == third.walked - second.walked > 0
            and self._trace[first.trace : second.trace] == self._trace[second.trace : third.trace]
        )


def _amounts(visits: Sequence[_Visit]) -> dict[int, int]:
    """By value, by how much each lap moved it; empty if something did not move evenly."""
    first, second, third = (visit.cells for visit in visits)
    if not first.keys() == second.keys() == third.keys():
        return {}
    amounts: dict[int, int] = {}
    for v, cell in third.items():
        if cell == second[v] == first[v]:
            continue
        moved = (first[v], second[v], cell)
        numbers = [each.number for each in moved if isinstance(each.number, int)]
        if len(numbers) < 3 or any(each.kind != KernelTypes.INT for each in moved):
            return {}
        steps = [after - before for before, after in pairwise(numbers)]
        if steps[0] != steps[1]:
            return {}
        amounts[v] = steps[0]
    return amounts


def _room(state: State, amounts: Mapping[int, int]) -> int:
    """Laps until some number leaves 64 bits, where arithmetic is not even any more."""
    room = _ENDLESS
    for v, amount in amounts.items():
        number = state.cells[v].number
        assert isinstance(number, int)
        left = _LARGEST - number if amount > 0 else _LARGEST + number
        room = min(room, left // abs(amount) - 1)
    return room


def _alike(player: Player, state: State, lap: Sequence[Step], amounts: Mapping[int, int]) -> int:
    """How many laps from here run the same steps.

    Raises:
        _Uneven: That cannot be told.
    """
    now: dict[int, _Even] = {}

    def read(v: int) -> _Even:
        if v not in now:
            now[v] = _Even(player.cell(state, v), amounts.get(v, 0))
        return now[v]

    laps = _ENDLESS
    writes = Counter(v for step in lap for v in step.writes)
    for step in lap:
        if step.kind is StepKind.MOVE:
            now[step.args[1]] = read(step.args[0])
        elif step.operator == ET_COPY_INDEX:
            if read(step.args[-1]).amount:
                raise _Uneven
        elif step.kind is StepKind.KERNEL and step.operator in PRIM_OPS and step.args:
            operands = [read(v) for v in step.args[:-1]]
            if all(each.amount == 0 for each in operands):
                once = writes[step.args[-1]] == 1
                now[step.args[-1]] = _steady(step, operands, read(step.args[-1]), once)
            else:
                now[step.args[-1]], until = _moved(step, operands)
                laps = min(laps, until)
    for v, amount in amounts.items():
        before, after = player.cell(state, v), now.get(v)
        if after is None or after.amount != amount or before.number is None:
            raise _Uneven
        if after.cell.number != before.number + amount:
            raise _Uneven
    for v, even in now.items():
        if v not in amounts and even != _Even(player.cell(state, v)):
            raise _Uneven
    return laps


def _steady(step: Step, operands: Sequence[_Even], before: _Even, once: bool) -> _Even:
    """The result of a prim op whose operands stay: what it was in the laps before.

    Args:
        step: The call.
        operands: Its arguments without the slot.
        before: What the slot holds before the call.
        once: Whether nothing else writes the slot in a lap.
    """
    if step.operator.startswith(_PREFIX) and step.operator.endswith(".Scalar"):
        numbers = [each.cell for each in operands]
        if all(cell.number is not None for cell in numbers):
            return _Even(result(step.operator, numbers))
    if before.amount or not once:
        raise _Uneven
    return before


def _moved(step: Step, operands: Sequence[_Even]) -> tuple[_Even, int]:
    """The result of a prim op on numbers that move, and for how many laps it is that."""
    stem = step.operator.removeprefix(_PREFIX).removesuffix(".Scalar")
    if len(operands) != 2 or any(each.cell.kind != KernelTypes.INT for each in operands):
        raise _Uneven
    (left, by), (right, and_by) = operands
    a, b = left.number, right.number
    if type(a) is not int or type(b) is not int:
        raise _Uneven
    cell = result(step.operator, [left, right])
    if stem == "add":
        return _Even(cell, by + and_by), _ENDLESS
    if stem == "sub":
        return _Even(cell, by - and_by), _ENDLESS
    if stem == "mul" and 0 in (by, and_by):
        return _Even(cell, by * b + and_by * a), _ENDLESS
    if stem in ("eq", "lt", "le", "gt", "ge"):
        amount = by - and_by
        before = [left._replace(number=a - by), right._replace(number=b - and_by)]
        if result(step.operator, before) != cell:
            raise _Uneven  # the lap before went another way
        return _Even(cell), _until(stem, a - b, amount)
    raise _Uneven


def _until(stem: str, difference: int, amount: int) -> int:
    """Laps until a comparison of `difference + lap * amount` with 0 has another outcome."""
    if amount == 0:
        return _ENDLESS
    if stem == "eq":
        if difference == 0:
            return 1
        laps, rest = divmod(-difference, amount)
        return laps if rest == 0 and laps > 0 else _ENDLESS
    if amount < 0:
        # As if both sides were negated.
        difference, amount = -difference, -amount
        stem = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}[stem]
    # It grows: `<` and `>=` change at 0, `<=` and `>` at 1.
    bound = 0 if stem in ("lt", "ge") else 1
    if difference >= bound:
        return _ENDLESS
    return -((difference - bound) // amount)
