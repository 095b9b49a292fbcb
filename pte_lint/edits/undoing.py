"""Edits that take a cause away without mending the program.

They are for trying: what a run of the edited copy does differently was the cause's doing. What the
program computes afterwards means nothing.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from pte_lint.edits.calls import conversion, reordered, twin
from pte_lint.edits.content import DropStackTraces
from pte_lint.edits.draft import Draft
from pte_lint.edits.memory import Plan
from pte_lint.edits.plan_draft import EditError, PlanDraft
from pte_lint.ir.device import Device
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import (
    BoolList,
    Chain,
    DelegateCall,
    Double,
    DoubleList,
    EValue,
    ExtraTensorInfo,
    Int,
    IntList,
    KernelCall,
    OptionalTensorList,
    Payload,
    String,
    SubsegmentOffsets,
    TensorList,
)

_MOST_DIMS = 16
_FLOAT32 = 6
_EMPTY: dict[int, Payload] = {
    KernelTypes.INT: Int(0),
    KernelTypes.DOUBLE: Double(0.0),
    KernelTypes.STRING: String(""),
    KernelTypes.INT_LIST: IntList(()),
    KernelTypes.DOUBLE_LIST: DoubleList(()),
    KernelTypes.BOOL_LIST: BoolList(()),
    KernelTypes.TENSOR_LIST: TensorList(()),
    KernelTypes.OPTIONAL_TENSOR_LIST: OptionalTensorList(()),
}


@dataclass(frozen=True, slots=True)
class RewriteTables:
    """Changes nothing: writing the program anew leaves out what could not be read."""

    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""


@dataclass(frozen=True, slots=True)
class SetProgram:
    """Sets fields of the root table."""

    fields: tuple[tuple[str, Any], ...]
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        draft.program = replace(draft.program, **dict(self.fields))


@dataclass(frozen=True, slots=True)
class WithoutConstants:
    """A constant segment that holds nothing, and no inline constants."""

    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        draft.program = replace(draft.program, constant_buffer=None)
        draft.constant_segment = SubsegmentOffsets(0, (0,))


@dataclass(frozen=True, slots=True)
class FillTable:
    """Gives a method an empty table where one is missing; one chain that does nothing."""

    plan: int
    table: str
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        if self.table == "chains":
            filled: dict[str, Any] = {"chains": (Chain(instructions=()),)}
        elif self.table == "non_const_buffer_sizes":
            plan.sizes = [0]
            filled = {self.table: (0,)}
        elif self.table in ("inputs", "outputs", "values", "operators", "delegates"):
            filled = {self.table: ()}
        else:
            raise EditError(f"there is no table {self.table}")
        if getattr(plan.plan, self.table):
            raise EditError(f"the method has {self.table}")
        draft.change_plan(self.plan, PlanDraft(replace(plan.plan, **filled)))


@dataclass(frozen=True, slots=True)
class Rename:
    """Gives a method another name."""

    plan: int
    name: str
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        changed = replace(draft.plan(self.plan).plan, name=self.name)
        draft.change_plan(self.plan, PlanDraft(changed))


@dataclass(frozen=True, slots=True)
class EmptyValue:
    """Gives a value without content an empty one; what is of no known kind becomes a number."""

    plan: int
    value: int
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        old = plan.values[self.value]
        kind = old.val_type if old.val_type in _EMPTY else KernelTypes.INT
        plan.values[self.value] = EValue(kind, _EMPTY[kind])


@dataclass(frozen=True, slots=True)
class DropItem:
    """Leaves an item out of a list."""

    plan: int
    value: int
    item: int
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        content = plan.values[self.value].val
        if not isinstance(content, IntList | TensorList | OptionalTensorList):
            raise EditError(f"value {self.value} is no list of values")
        items = [item for n, item in enumerate(content.items or ()) if n != self.item]
        plan.values[self.value] = replace(
            plan.values[self.value], val=replace(content, items=tuple(items))
        )


@dataclass(frozen=True, slots=True)
class PlainTensor:
    """Makes a tensor one that any runtime takes: one element a dimension, float32, static."""

    plan: int
    value: int
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        tensor = plan.tensor(self.value)
        rank = min(len(tensor.sizes or tensor.dim_order or ()), _MOST_DIMS)
        known = 0 <= tensor.scalar_type < 8
        sizes = tensor.sizes or ()
        good = len(sizes) <= _MOST_DIMS and all(0 <= size < 1 << 20 for size in sizes)
        plan.change_tensor(
            self.value,
            scalar_type=tensor.scalar_type if known else _FLOAT32,
            storage_offset=0,
            sizes=sizes if good and sizes else (1,) * rank,
            dim_order=tuple(range(len(sizes) if good and sizes else rank)),
            shape_dynamism=0,
        )


@dataclass(frozen=True, slots=True)
class PlanInstead:
    """Gives a tensor that the program has data for planned memory in its place."""

    plan: int
    value: int
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        extra = plan.tensor(self.value).extra_tensor_info or ExtraTensorInfo()
        extra = ExtraTensorInfo(device_type=extra.device_type, device_index=extra.device_index)
        plan.change_tensor(
            self.value,
            data_buffer_idx=0,
            extra_tensor_info=None if extra == ExtraTensorInfo() else extra,
        )
        if plan.tensor(self.value).allocation_info is None:
            Plan(self.plan, (self.value,)).apply(draft)


@dataclass(frozen=True, slots=True)
class DropPort:
    """Leaves an input or output of a method out."""

    plan: int
    field: str
    position: int
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        ports = getattr(plan.plan, self.field) or ()
        if not 0 <= self.position < len(ports):
            raise EditError(f"there is no {self.field}[{self.position}]")
        kept = tuple(v for n, v in enumerate(ports) if n != self.position)
        changed: dict[str, Any] = {self.field: kept}
        plan.plan = replace(plan.plan, **changed)


@dataclass(frozen=True, slots=True)
class SetDelegate:
    """Sets fields of a delegate's entry."""

    plan: int
    delegate: int
    fields: tuple[tuple[str, Any], ...]
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        if not 0 <= self.delegate < len(plan.delegates):
            raise EditError(f"there is no delegate {self.delegate}")
        plan.delegates[self.delegate] = replace(plan.delegates[self.delegate], **dict(self.fields))


@dataclass(frozen=True, slots=True)
class SetArgument:
    """Puts another value in an argument's place, one that is there or a new one."""

    plan: int
    instruction: int
    argument: int
    value: int | EValue
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        given = self.value if isinstance(self.value, int) else plan.add_value(self.value)

        def change(args: list[int]) -> None:
            if not 0 <= self.argument < len(args):
                raise EditError(f"instruction {self.instruction} has no argument {self.argument}")
            args[self.argument] = given

        plan.change_call(self.instruction, change)


@dataclass(frozen=True, slots=True)
class ReplaceByTwin:
    """Puts a new planned tensor of the same form on a device in an argument's place."""

    plan: int
    instruction: int
    argument: int
    where: Device
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        call = plan.line(self.instruction).instruction.instr_args
        args = (call.args or ()) if isinstance(call, KernelCall | DelegateCall) else ()
        if not 0 <= self.argument < len(args):
            raise EditError(f"instruction {self.instruction} has no argument {self.argument}")
        new = twin(plan, args[self.argument], self.where)
        SetArgument(self.plan, self.instruction, self.argument, new).apply(draft)


@dataclass(frozen=True, slots=True)
class ConvertBase:
    """Lets an instruction read a view of its base in the default order, where it has another."""

    plan: int
    instruction: int
    base: int
    view: int
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        order = tuple(range(len(plan.tensor(self.base).sizes or ())))
        copy = reordered(plan, self.base, order)
        plan.insert_before(self.instruction, conversion(plan, self.base, copy, order))
        plan.change_tensor(self.view, allocation_info=plan.tensor(copy).allocation_info)


_PLAIN: Final = re.compile(
    r"\.(?:(?P<arena>non_const_buffer_sizes)\[(?P<number>\d+)\]"
    r"|chains\[(?P<chain>\d+)\]\.(?P<list>inputs|outputs|stacktrace)"
    r"|values\[(?P<value>\d+)\]\.val\.(?P<extra>extra_tensor_info\.)?(?P<field>\w+))$"
)


@dataclass(frozen=True, slots=True)
class PlainField:
    """Gives a field that is said to mean nothing what an exporter writes: zero, or nothing."""

    plan: int
    path: str
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan, named = draft.plan(self.plan), _PLAIN.search(self.path)
        if named is None:
            raise EditError(f"nothing is known of {self.path}")
        if named["arena"]:
            plan.sizes[int(named["number"])] = 0
        elif named["list"] == "stacktrace":
            DropStackTraces(self.plan).apply(draft)
        elif named["chain"]:
            chains = list(plan.plan.chains or ())
            fields: dict[str, Any] = {named["list"]: ()}
            chains[int(named["chain"])] = replace(chains[int(named["chain"])], **fields)
            plan.plan = replace(plan.plan, chains=tuple(chains))
        else:
            self._set(plan, int(named["value"]), named["field"], in_extra=bool(named["extra"]))

    @staticmethod
    def _set(plan: PlanDraft, v: int, field: str, in_extra: bool) -> None:
        tensor = plan.tensor(v)
        holder: Any = tensor.extra_tensor_info if in_extra else tensor
        if not isinstance(getattr(holder, field, None), int):
            raise EditError(f"value {v} has no number {field}")
        changed = replace(holder, **{field: 0})
        plan.change_tensor(v, **({"extra_tensor_info": changed} if in_extra else {field: 0}))


@dataclass(frozen=True, slots=True)
class EndAtEnd:
    """Lets a jump that leads behind the end of its chain lead to that end."""

    plan: int
    instruction: int
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        line = draft.plan(self.plan).line(self.instruction)
        if line.goal is not None or not line.beyond:
            raise EditError(f"instruction {self.instruction} leads to no place behind its chain")
        line.beyond = 0
