"""Plays kernel calls: what their own checks say to the numbers and sizes that are there by then.

The checks are those of `pte_lint.ops.checks`, which know nothing of a run; here they are shown
what values hold at a point of an interpretation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import isnan
from typing import Final
from weakref import proxy

from pte_lint.claims.forecast import NEWEST, RUNTIME_VERSIONS
from pte_lint.interpret.board import Board
from pte_lint.interpret.changes import updates_in_place
from pte_lint.interpret.endings import ending
from pte_lint.interpret.file_call import FileCall
from pte_lint.interpret.state import UNKNOWN, Cell, Sizes, State, Stop
from pte_lint.ir.calling import list_items
from pte_lint.ir.steps import Step
from pte_lint.ops.checks.call import End, Operand, Refused, Size
from pte_lint.ops.checks.chosen import terms
from pte_lint.ops.checks.conditions import broadcast, resize, shown
from pte_lint.ops.checks.scalars import Number
from pte_lint.ops.checks.table import check_of
from pte_lint.ops.operators import broadcasts
from pte_lint.ops.prims import PRIM_OPS
from pte_lint.ops.promotion import BOOL, FLOAT64, INT64
from pte_lint.ops.schemas import OperatorSchema, operator_schema
from pte_lint.schema.enums import KernelTypes, ShapeDynamism
from pte_lint.schema.program import (
    BoolList,
    DoubleList,
    IntList,
    OptionalTensorList,
    String,
    TensorList,
)

_TYPES: Final = {KernelTypes.BOOL: BOOL, KernelTypes.INT: INT64, KernelTypes.DOUBLE: FLOAT64}


_NUMBERS: Final = frozenset(_TYPES)
_Token = object
"""Equal for arguments that a kernel and its wrapper cannot tell apart."""
_Output = tuple[int, int]
"""The position of an output, and of the item where it is a list; -1 where it is none."""
_Results = tuple[tuple[_Output, Sizes], ...]
"""Sizes of the outputs that are resized; None for what is not known."""


class Kernels:
    """Plays the kernel calls of one method; what goes well is played once for calls alike."""

    def __init__(self, player: Board) -> None:
        """Looks at the forms of all tensors."""
        # The player keeps this: a proxy, so that both are gone without a collection.
        self._player: Board = proxy(player)
        self._forms: dict[int, int] = {}
        self._lasting: dict[int, _Token] = {}
        """By value that is the same for the whole run."""
        self._resized: dict[int, int] = {}
        """By tensor that no caller gives and of which nothing but the sizes changes: its form."""
        changing, is_input = player.changing, player.method.is_input
        for number, form in enumerate(player.method.table.forms):
            self._forms.update(dict.fromkeys(form.values, number))
            same = [v for v in form.values if not changing[v]]
            if form.tensor.shape_dynamism == ShapeDynamism.STATIC:
                self._lasting.update(dict.fromkeys(same, number))
            else:
                self._resized.update((v, number) for v in same if not is_input[v])
        self._results: dict[tuple[_Token, ...], _Results] = {}
        """By call that went well."""

    def play(self, step: Step, state: State) -> Stop | None:
        """Plays one call."""
        if step.operator in PRIM_OPS:
            return self._player.play_call(step, state, ())
        key: list[_Token] = [step.target]
        lasting, resized, sizes = self._lasting, self._resized, state.sizes
        for v in step.args:
            token = lasting.get(v)
            if token is None:
                form = resized.get(v)
                if form is None:
                    token = self._token(v, state)
                else:
                    # The sizes in the file, which the form tells, unless there are others.
                    token = (form, id(sizes[v])) if v in sizes else (form, 1)
            key.append(token)
        known = self._results.get(tuple(key))
        if known is None:
            return self._player.play_call(step, state, tuple(key))
        if state.assumed:
            self._player.overwrite(step, state)
        self._resize(known, step, state)
        return None

    def compute(self, step: Step, state: State, key: tuple[_Token, ...]) -> Stop | None:
        """Why the kernel cannot make the call, if it surely cannot; else the result's sizes."""
        player, schema = self._player, operator_schema(step.operator)
        if schema is None:
            player.overwrite(step, state)
            return None
        if len(step.args) != schema.call_size:
            return player.miscounted(step)
        call = _Call(player, step, state, schema)
        reason, ends = _refusal(call, schema), list[End | None]()
        if reason is not None and call.has_looked_at_version:
            older = [_Call(player, step, state, schema, each) for each in RUNTIME_VERSIONS[:-1]]
            ends = [each.end if each else None for each in _refusals(older, schema)]
            # What some versions go on with is left to those who look at single calls.
            reason = None if None in ends else reason
        if reason is not None:
            what = "does not check" if reason.end is End.UNCHECKED else "does not take"
            message = f"{what} what it is given then: {reason}"
            end = ending(player.method, step, reason.end)
            before = [ending(player.method, step, each) for each in ends if each]
            otherwise = tuple(before) if any(each != end for each in before) else ()
            return Stop("kernel", step.index, None, message, end, older=otherwise)
        player.overwrite(step, state)
        self._resize(
            [(at, player.kept(each[-1] if each else None)) for at, each in call.results.items()],
            *(step, state),
        )
        if not updates_in_place(step.operator):
            self._results[key] = tuple(self._outputs(step, state))
        return None

    def _outputs(self, step: Step, state: State) -> Iterator[tuple[_Output, Sizes]]:
        """The outputs whose sizes may change, and their sizes now."""
        for position in range(step.first_output, len(step.args)):
            listed = self._items(step, position, state)
            things = [self._player.cell(state, step.args[position]).thing]
            for item, thing in enumerate(listed) if listed else [(-1, things[0])]:
                if thing in state.sizes:
                    yield (position, item), state.sizes[thing]

    def _items(self, step: Step, position: int, state: State) -> list[int]:
        player = self._player
        listed = list_items(player.method.value(player.cell(state, step.args[position]).thing))
        return [player.cell(state, item).thing for item in listed]

    def _resize(self, results: Iterable[tuple[_Output, Sizes]], step: Step, state: State) -> None:
        resized = self._resized
        for (position, item), sizes in results:
            v = step.args[position]
            if item >= 0:
                v = self._items(step, position, state)[item]
            elif v not in resized:
                v = self._player.cell(state, v).thing
            state.sizes[v] = sizes

    def _token(self, v: int, state: State, *, is_item: bool = False) -> _Token:
        known = self._lasting.get(v)
        if known is not None:
            return known
        player = self._player
        cell = player.cell(state, v)
        is_lasting = 0 <= v < len(player.changing) and not player.changing[v]
        if cell.kind in _NUMBERS:
            token: _Token = cell.kind, cell.number, terms(cell.number)
        elif cell.kind == KernelTypes.TENSOR:
            form, thing = self._forms.get(cell.thing), cell.thing
            tensor = player.method.tensor(thing)
            is_fixed = tensor is not None and tensor.shape_dynamism == ShapeDynamism.STATIC
            if is_fixed:
                token = form
            elif thing in state.sizes:
                token = form, id(state.sizes[thing])
            elif player.method.is_input[thing]:
                token = form, id(player.sizes(state, thing))
            else:
                token = form, 1
            is_lasting = is_lasting and is_fixed
        elif is_item:
            # No kernel looks into a list in a list, which may be the list itself after a move.
            return cell.kind, cell.thing
        else:
            items = list_items(player.method.value(cell.thing))
            inside = [self._token(item, state, is_item=True) for item in items]
            token = (cell.kind, cell.thing, *inside)
            is_lasting = is_lasting and all(item in self._lasting for item in items)
        if is_lasting:
            self._lasting[v] = token
        return token


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
        return reason.kept()
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


class _Call(FileCall):
    """A kernel call at a point of an interpretation."""

    def __init__(
        self,
        player: Board,
        step: Step,
        state: State,
        schema: OperatorSchema,
        runtime: str = NEWEST,
    ) -> None:
        super().__init__(player.method, step, schema, runtime)
        self._player = player
        self._state = state
        self.results: dict[_Output, list[Sequence[Size]]] = {}
        """By position of an output of sizes that may change: what the kernel makes of them."""

    def _cell(self, position: int) -> Cell:
        return self._player.cell(self._state, self._step.args[position])

    def _may_be_tensor(self, position: int) -> bool:
        return self._cell(position).kind in (KernelTypes.TENSOR, UNKNOWN)

    def operand_at(self, position: int) -> Operand | None:
        """The tensor at a position, if there is one."""
        return self._operand(self._step.args[position], f"argument {position}")

    def out(self, number: int = 0) -> Operand | None:
        """The tensor that the given output goes to; what it is resized to is kept."""
        found = super().out(number)
        return None if found is None else self._noting(found, (self._outs + number, -1))

    def outs(self) -> list[Operand] | None:
        """The tensors of the list of outputs; what each is resized to is kept."""
        found = super().outs()
        if found is None:
            return None
        return [self._noting(out, (self._outs, n)) for n, out in enumerate(found)]

    def _noting(self, out: Operand, place: _Output) -> Operand:
        if out.capacity is None:
            return out
        return replace(out, resized=self.results.setdefault(place, []))

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
