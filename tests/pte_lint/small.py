"""Methods for tests of the analyses, straight from the dataclasses."""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.schema.enums import InstructionKind, KernelTypes
from pte_lint.schema.program import (
    AllocationDetails,
    BackendDelegate,
    Bool,
    Chain,
    DelegateCall,
    EValue,
    ExecutionPlan,
    ExtraTensorInfo,
    FreeCall,
    Instruction,
    InstructionArguments,
    JumpFalseCall,
    KernelCall,
    MoveCall,
    NonConstBufferDevice,
    Operator,
    Program,
    Tensor,
)

from pte_lint.questions.method import Method

CUDA = ExtraTensorInfo(device_type=1)


def tensor(
    place: tuple[int, int] | None = None, extra: ExtraTensorInfo | None = None, n: int = 4
) -> EValue:
    """A float tensor of `n` elements; `place` is (memory_id, offset)."""
    where = AllocationDetails(*place) if place else None
    return EValue(
        KernelTypes.TENSOR,
        Tensor(
            scalar_type=6,
            sizes=(n,),
            dim_order=(0,),
            allocation_info=where,
            extra_tensor_info=extra,
        ),
    )


def boolean(value: bool = False) -> EValue:
    return EValue(KernelTypes.BOOL, Bool(value))


def flag(place: tuple[int, int] | None = None) -> EValue:
    """A boolean tensor, as an input a condition that only the run knows."""
    where = AllocationDetails(*place) if place else None
    content = Tensor(scalar_type=11, sizes=(), dim_order=(), allocation_info=where)
    return EValue(KernelTypes.TENSOR, content)


def kernel(op: int, *args: int) -> Instruction:
    return _instruction(InstructionKind.KERNEL_CALL, KernelCall(op, args))


def delegate(index: int, *args: int) -> Instruction:
    return _instruction(InstructionKind.DELEGATE_CALL, DelegateCall(index, args))


def move(source: int, target: int) -> Instruction:
    return _instruction(InstructionKind.MOVE_CALL, MoveCall(source, target))


def jump_false(condition: int, destination: int) -> Instruction:
    return _instruction(InstructionKind.JUMP_FALSE_CALL, JumpFalseCall(condition, destination))


def free(value: int) -> Instruction:
    return _instruction(InstructionKind.FREE_CALL, FreeCall(value))


def _instruction(kind: InstructionKind, call: InstructionArguments) -> Instruction:
    return Instruction(kind, call)


def method(
    values: Sequence[EValue],
    *chains: Sequence[Instruction],
    inputs: Sequence[int] = (),
    outputs: Sequence[int] = (),
    operators: Sequence[str] = ("aten::relu.out",),
    sizes: Sequence[int] = (0, 4096, 4096),
    devices: Sequence[NonConstBufferDevice] = (),
    delegates: Sequence[BackendDelegate] = (BackendDelegate("Backend"),),
) -> Method:
    """A method of the given chains; operator names are split at their last dot."""
    plan = ExecutionPlan(
        name="forward",
        values=tuple(values),
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        chains=tuple(Chain(instructions=tuple(c)) for c in chains),
        operators=tuple(Operator(*o.rsplit(".", 1)) for o in operators),
        delegates=tuple(delegates),
        non_const_buffer_sizes=tuple(sizes),
        non_const_buffer_device=tuple(devices) or None,
    )
    return Method(Program(execution_plan=(plan,)), 0)
