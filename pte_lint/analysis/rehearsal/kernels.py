"""Plays kernel calls: what their own checks say to the numbers and sizes that are there by then.

The checks are those of `pte_lint.kernels.checks`, which know nothing of a run; here they are shown
what values hold at a point of a rehearsal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Final

from pte_lint.analysis.calling import list_items
from pte_lint.analysis.rehearsal.state import Cell, State, Stop
from pte_lint.analysis.steps import Step
from pte_lint.forecast import NEWEST, RUNTIME_VERSIONS
from pte_lint.kernels.checks.call import Call, End, Operand, Refused, Size
from pte_lint.kernels.checks.conditions import broadcast, resize, shown
from pte_lint.kernels.checks.endings import ending
from pte_lint.kernels.checks.scalars import Number
from pte_lint.kernels.checks.table import check_of
from pte_lint.kernels.operators import broadcasts
from pte_lint.kernels.promotion import BOOL, FLOAT64, INT64
from pte_lint.kernels.schemas import OperatorSchema, operator_schema
from pte_lint.schema.enums import KernelTypes, ShapeDynamism
from pte_lint.schema.program import (
    BoolList,
    DoubleList,
    IntList,
    OptionalTensorList,
    String,
    TensorList,
)

if TYPE_CHECKING:
    from pte_lint.analysis.rehearsal.player import Player

_TYPES: Final = {KernelTypes.BOOL: BOOL, KernelTypes.INT: INT64, KernelTypes.DOUBLE: FLOAT64}


def play_kernel(player: Player, step: Step, state: State) -> Stop | None:
    """Why the kernel cannot make the call, if it surely cannot; else notes the result's sizes."""
    schema = operator_schema(step.operator)
    if schema is None:
        return None
    if len(step.args) != schema.call_size:
        return player.miscounted(step)
    call = _Call(player, step, state, schema)
    reason = _refusal(call, schema)
    if reason is not None and call.has_looked_at_version:
        older = [_Call(player, step, state, schema, version) for version in RUNTIME_VERSIONS[:-1]]
        ends = {reason.end, *(each.end if each else None for each in _refusals(older, schema))}
        # What not all versions do in the same way is left to those who look at calls one by one.
        reason = reason if len(ends) == 1 else None
    if reason is not None:
        what = "does not check" if reason.end is End.UNCHECKED else "does not take"
        message = f"{what} what it is given then: {reason}"
        return Stop("kernel", step.index, None, message, ending(player.method, step, reason.end))
    for thing, results in call.results.items():
        sizes = results[-1] if results else None
        known = [size for size in sizes or () if size is not None]
        state.sizes[thing] = tuple(known) if sizes and len(known) == len(sizes) else None
    return None


def _refusals(calls: Sequence[_Call], schema: OperatorSchema) -> list[Refused | None]:
    return [_refusal(call, schema) for call in calls]


def _refusal(call: _Call, schema: OperatorSchema) -> Refused | None:
    """Why the kernel of the call's version cannot make it, if it surely cannot."""
    check = check_of(call.operator)
    try:
        if check is not None:
            check(call)
        if broadcasts(call.operator):
            _broadcast(call, schema)
    except Refused as reason:
        return reason
    return None


def _broadcast(call: _Call, schema: OperatorSchema) -> None:
    sources = [call.operand_at(n) for n in range(schema.inputs)]
    known = [source.sizes for source in sources if source is not None]
    if not known or any(None in sizes for sizes in known):
        return
    result = broadcast(known)
    if result is None:
        sizes = " and ".join(map(shown, known))
        raise Refused(f"sizes {sizes} do not broadcast together")
    resize(call.out(), result)


class _Call(Call):
    """A kernel call at a point of a rehearsal."""

    def __init__(
        self,
        player: Player,
        step: Step,
        state: State,
        schema: OperatorSchema,
        runtime: str = NEWEST,
    ) -> None:
        super().__init__(player.method, step, schema, loose=True, runtime=runtime)
        self._player = player
        self._state = state
        self.results: dict[int, list[Sequence[Size]]] = {}
        """By output of sizes that may change: what the kernel makes of them."""

    def _cell(self, position: int) -> Cell:
        return self._player.cell(self._state, self._step.args[position])

    def operand_at(self, position: int) -> Operand | None:
        """The tensor at a position, if there is one."""
        return self._operand(self._step.args[position], f"argument {position}")

    def out(self, number: int = 0) -> Operand | None:
        """The tensor that the given output goes to; what it is resized to is kept."""
        found = super().out(number)
        thing = self._cell(self._outs + number).thing
        if found is None or found.capacity is None:
            return found
        return replace(found, resized=self.results.setdefault(thing, []))

    def optional_tensors(self, position: int) -> list[Operand | None] | None:
        """The tensors of a list with absent elements."""
        listed = self._listed(position)
        if not isinstance(listed, TensorList | OptionalTensorList):
            return None
        items = listed.items or ()
        found = [
            self._operand(item, f"argument {position} item {n}") for n, item in enumerate(items)
        ]
        known = all(one is not None for one, item in zip(found, items, strict=True) if item >= 0)
        return found if known else None

    def number(self, position: int) -> int | None:
        """A whole number."""
        return _whole(self._cell(position))

    def numbers(self, position: int) -> tuple[int, ...] | None:
        """A list of whole numbers, if all of them are known."""
        listed = self._listed(position)
        if not isinstance(listed, IntList) or listed.items is None:
            return None
        found = [_whole(self._player.cell(self._state, item)) for item in listed.items]
        known = [number for number in found if number is not None]
        return tuple(known) if len(known) == len(found) else None

    def scalar(self, position: int) -> Number | None:
        """A number of any kind."""
        cell = self._cell(position)
        if cell.number is None or cell.kind not in _TYPES:
            return None
        if cell.kind == KernelTypes.DOUBLE:
            # A plain one: checks compare it with zero.
            return None if isnan(cell.number) else float(cell.number)
        return bool(cell.number) if cell.kind == KernelTypes.BOOL else cell.number

    def string(self, position: int) -> str | None:
        """A text."""
        listed = self._listed(position)
        return listed.string_val if isinstance(listed, String) else None

    def scalar_type(self, position: int) -> int | None:
        """The element type that a number counts as."""
        kind = self._cell(position).kind
        return _TYPES.get(KernelTypes(kind)) if kind in _TYPES else None

    def doubles(self, position: int) -> tuple[float, ...] | None:
        """A list of floating-point numbers."""
        listed = self._listed(position)
        return tuple(listed.items or ()) if isinstance(listed, DoubleList) else None

    def bools(self, position: int) -> tuple[bool, ...] | None:
        """A list of Bools."""
        listed = self._listed(position)
        return tuple(map(bool, listed.items or ())) if isinstance(listed, BoolList) else None

    def flag(self, position: int) -> bool | None:
        """A Bool."""
        cell = self._cell(position)
        is_known = cell.kind == KernelTypes.BOOL and cell.number is not None
        return bool(cell.number) if is_known else None

    def is_none(self, position: int) -> bool | None:
        """Whether the argument is None, if it is known what it is."""
        kind = self._cell(position).kind
        return kind == KernelTypes.NULL if kind > 0 else None

    def _listed(self, position: int) -> object:
        value = self._method.value(self._cell(position).thing)
        return value.val if value is not None else None

    def _operand(self, v: int, name: str) -> Operand | None:
        thing = self._player.cell(self._state, v).thing
        tensor = self._method.tensor(thing)
        if tensor is None or tensor.sizes is None:
            return None
        found = super()._operand(thing, name)
        sizes = self._player.sizes(self._state, thing)
        if found is None or tensor.shape_dynamism == ShapeDynamism.STATIC or sizes is None:
            return found
        return replace(found, sizes=sizes)

    def _list(self, v: int, name: str) -> list[Operand] | None:
        thing = self._player.cell(self._state, v).thing
        items = list_items(self._method.value(thing))
        found = [self._operand(item, f"{name} item {n}") for n, item in enumerate(items)]
        known = [operand for operand in found if operand is not None]
        return known if len(known) == len(found) else None


def _whole(cell: Cell) -> int | None:
    is_whole = cell.kind == KernelTypes.INT and isinstance(cell.number, int)
    return int(cell.number) if is_whole and cell.number is not None else None
