"""Edits of what a method does: boundary copies, conversions, rewiring, instructions left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pte_lint.edits.draft import Draft
from pte_lint.edits.memory import allocate, tagged
from pte_lint.edits.plan_draft import EditError, PlanDraft, kernel_call
from pte_lint.ir.calling import D2H_COPY, H2D_COPY
from pte_lint.ir.device import HOST, Device
from pte_lint.schema.enums import InstructionKind, KernelTypes
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import (
    Bool,
    EValue,
    Instruction,
    Int,
    IntList,
    JumpFalseCall,
    KernelCall,
    MoveCall,
)

CONVERT = "dim_order_ops::_to_dim_order_copy", "out"


def _copy_operator(plan: PlanDraft, to: Device) -> int:
    name, overload = (D2H_COPY if to.is_host else H2D_COPY).split(".")
    return plan.operator(name, overload)


def twin(plan: PlanDraft, v: int, where: Device) -> int:
    """A planned tensor of the same form on a device; what ties a tensor to data is left out."""
    model = plan.tensor(v)
    tensor = tagged(
        replace(model, allocation_info=None, data_buffer_idx=0, extra_tensor_info=None), where
    )
    return plan.add_tensor(replace(tensor, allocation_info=allocate(plan, tensor, where)))


def _replace_argument(plan: PlanDraft, number: int, old: int, new: int) -> None:
    def change(args: list[int]) -> None:
        if old not in args:
            raise EditError(f"instruction {number} does not use value {old}")
        args[:] = [new if v == old else v for v in args]

    plan.change_call(number, change)


@dataclass(frozen=True, slots=True)
class CopyBefore:
    """Copies a value to a device before an instruction, which then reads the copy.

    From one device to another it goes through the host, as the exporter does it.
    """

    plan: int
    instruction: int
    value: int
    to: Device
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        extra = plan.tensor(self.value).extra_tensor_info
        is_there = extra is not None and extra.device_type != HOST.type
        source = self.value
        for where in (HOST, self.to) if is_there and not self.to.is_host else (self.to,):
            copy = twin(plan, self.value, where)
            plan.insert_before(
                self.instruction, kernel_call(_copy_operator(plan, where), (source, copy, copy))
            )
            source = copy
        _replace_argument(plan, self.instruction, self.value, source)


@dataclass(frozen=True, slots=True)
class CopyAfter:
    """Lets an instruction write a new tensor on a device, from where a copy fills the old one.

    `to` is where the old one is.
    """

    plan: int
    instruction: int
    value: int
    written_on: Device
    to: Device = HOST
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        written = twin(plan, self.value, self.written_on)
        _replace_argument(plan, self.instruction, self.value, written)
        call = kernel_call(_copy_operator(plan, self.to), (written, self.value, self.value))
        plan.insert_after(self.instruction, call)


@dataclass(frozen=True, slots=True)
class Rewire:
    """Lets an instruction use another value where it uses one."""

    plan: int
    instruction: int
    old: int
    new: int
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        _replace_argument(draft.plan(self.plan), self.instruction, self.old, self.new)


@dataclass(frozen=True, slots=True)
class DropInstruction:
    """Leaves an instruction out."""

    plan: int
    instruction: int
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        draft.plan(self.plan).drop(self.instruction)


@dataclass(frozen=True, slots=True)
class StepOver:
    """Puts something that does nothing in an instruction's place: a number moved onto itself."""

    plan: int
    instruction: int
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        line = plan.line(self.instruction)
        ints = (v for v, value in enumerate(plan.values) if value.val_type == KernelTypes.INT)
        number = next(ints, None)
        if number is None:
            number = plan.add_value(EValue(KernelTypes.INT, Int(0)))
        line.instruction = Instruction(InstructionKind.MOVE_CALL, MoveCall(number, number))
        line.goal = None


@dataclass(frozen=True, slots=True)
class MoveBehind:
    """Lets an instruction run behind another, which runs later."""

    plan: int
    instruction: int
    behind: int
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        moved = plan.line(self.instruction)
        if isinstance(moved.instruction.instr_args, JumpFalseCall):
            raise EditError(f"instruction {self.instruction} is a jump")
        if self.behind == self.instruction:
            raise EditError("an instruction cannot run behind itself")
        plan.insert_after(self.behind, moved.instruction)
        plan.drop(self.instruction)


@dataclass(frozen=True, slots=True)
class SetCall:
    """Makes an instruction a kernel call of an operator, such as `a::b.out`, with arguments."""

    plan: int
    instruction: int
    operator: str
    args: tuple[int, ...]
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        line = plan.line(self.instruction)
        if not isinstance(line.instruction.instr_args, KernelCall):
            raise EditError(f"instruction {self.instruction} is no kernel call")
        name, _, overload = self.operator.partition(".")
        line.instruction = kernel_call(plan.operator(name, overload), self.args)


@dataclass(frozen=True, slots=True)
class ConvertBefore:
    """Converts a tensor to a dim order before an instruction, which then reads the result."""

    plan: int
    instruction: int
    value: int
    dim_order: tuple[int, ...]
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        converted = reordered(plan, self.value, self.dim_order)
        _replace_argument(plan, self.instruction, self.value, converted)
        plan.insert_before(
            self.instruction, conversion(plan, self.value, converted, self.dim_order)
        )


@dataclass(frozen=True, slots=True)
class ConvertAfter:
    """Lets an instruction write a tensor of a dim order, which is then converted into the old one.

    `dim_order` is what the instruction writes.
    """

    plan: int
    instruction: int
    value: int
    dim_order: tuple[int, ...]
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        own = plan.tensor(self.value).dim_order or ()
        written = reordered(plan, self.value, self.dim_order)
        _replace_argument(plan, self.instruction, self.value, written)
        plan.insert_after(self.instruction, conversion(plan, written, self.value, own))


def reordered(plan: PlanDraft, v: int, dim_order: Sequence[int]) -> int:
    """Puts in a planned tensor on the host like another, in another dim order.

    Raises:
        EditError: That is no order of its dimensions.
    """
    if sorted(dim_order) != list(range(len(plan.tensor(v).sizes or ()))):
        raise EditError(f"{list(dim_order)} is no dim order of value {v}")
    other = twin(plan, v, HOST)
    plan.change_tensor(other, dim_order=tuple(dim_order))
    return other


def conversion(plan: PlanDraft, source: int, target: int, dim_order: Sequence[int]) -> Instruction:
    """`_to_dim_order_copy(source, non_blocking=False, dim_order)` into the target."""
    flag = plan.add_value(EValue(KernelTypes.BOOL, Bool(False)))
    numbers = [plan.add_value(EValue(KernelTypes.INT, Int(dim))) for dim in dim_order]
    order = plan.add_value(EValue(KernelTypes.INT_LIST, IntList(tuple(numbers))))
    operator = plan.operator(*CONVERT)
    return kernel_call(operator, (source, flag, order, target, target))
