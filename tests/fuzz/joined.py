"""One method made of two: values, calls, arenas and delegates of one behind those of the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pte_lint.schema.program import (
    AllocationDetails,
    Chain,
    DelegateCall,
    EValue,
    ExecutionPlan,
    FreeCall,
    Instruction,
    IntList,
    JumpFalseCall,
    KernelCall,
    MoveCall,
    NonConstBufferDevice,
    OptionalTensorList,
    Tensor,
    TensorList,
)

_Moved = Callable[[int], int]


def joined(first: ExecutionPlan, second: ExecutionPlan) -> ExecutionPlan | None:
    """What does both, one after the other; None where a method has not one chain."""
    for plan in (first, second):
        if len(plan.chains or ()) != 1:
            return None
    first, second = _beside(first, second, 0), _beside(second, first, 1)
    (chain,), (other,) = first.chains or (), second.chains or ()
    instructions = (*(chain.instructions or ()), *(other.instructions or ()))
    return replace(
        first,
        values=_both(first.values, second.values),
        inputs=_both(first.inputs, second.inputs),
        outputs=_both(first.outputs, second.outputs),
        chains=(Chain(instructions=instructions),),
        operators=_both(first.operators, second.operators),
        delegates=_both(first.delegates, second.delegates),
        non_const_buffer_sizes=_arenas(first, second),
        non_const_buffer_device=_both(first.non_const_buffer_device,
                                      second.non_const_buffer_device) or None,
    )  # fmt: skip


def _both(one: tuple[object, ...] | None, other: tuple[object, ...] | None) -> tuple[object, ...]:
    return (*(one or ()), *(other or ()))


def _arenas(first: ExecutionPlan, second: ExecutionPlan) -> tuple[int, ...]:
    return (*(first.non_const_buffer_sizes or (0,)), *(second.non_const_buffer_sizes or ())[1:])


def _beside(plan: ExecutionPlan, other: ExecutionPlan, place: int) -> ExecutionPlan:
    """The plan with its numbers as they are beside another; `place` 1 is behind it.

    What names nothing in the plan alone names nothing then.
    """

    def moved(own: int, others: int) -> _Moved:
        return lambda n: n if n < 0 else n + others if place or n >= own else n

    value = moved(len(plan.values or ()), len(other.values or ()))
    operator = moved(len(plan.operators or ()), len(other.operators or ()))
    delegate = moved(len(plan.delegates or ()), len(other.delegates or ()))
    sizes = [max(len(each.non_const_buffer_sizes or (0,)) - 1, 0) for each in (plan, other)]
    arena = moved(sizes[0] + 1, sizes[1])
    (chain,) = plan.chains or ()
    step = moved(len(chain.instructions or ()) + 1, 0)
    if place:
        before = (other.chains or ())[0].instructions or ()
        step = moved(0, len(before))
    steps = tuple(_step(i, value, operator, delegate, step) for i in chain.instructions or ())
    devices = tuple(_device(each, arena) for each in plan.non_const_buffer_device or ())
    return replace(
        plan,
        values=tuple(_value(each, value, arena) for each in plan.values or ()),
        inputs=tuple(map(value, plan.inputs or ())),
        outputs=tuple(map(value, plan.outputs or ())),
        chains=(replace(chain, instructions=steps),),
        non_const_buffer_device=devices,
    )


def _device(entry: NonConstBufferDevice, arena: _Moved) -> NonConstBufferDevice:
    return replace(entry, buffer_idx=arena(entry.buffer_idx) if entry.buffer_idx else 0)


def _value(value: EValue, moved: _Moved, arena: _Moved) -> EValue:
    content = value.val
    if isinstance(content, IntList | TensorList | OptionalTensorList) and content.items is not None:
        content = replace(content, items=tuple(map(moved, content.items)))
    elif isinstance(content, Tensor) and isinstance(content.allocation_info, AllocationDetails):
        info = content.allocation_info
        number = arena(info.memory_id) if info.memory_id else 0
        content = replace(content, allocation_info=replace(info, memory_id=number))
    return replace(value, val=content)


def _step(
    step: Instruction, value: _Moved, operator: _Moved, delegate: _Moved, target: _Moved
) -> Instruction:
    call = step.instr_args
    match call:
        case KernelCall():
            args = None if call.args is None else tuple(map(value, call.args))
            call = replace(call, op_index=operator(call.op_index), args=args)
        case DelegateCall():
            args = None if call.args is None else tuple(map(value, call.args))
            call = replace(call, delegate_index=delegate(call.delegate_index), args=args)
        case MoveCall():
            call = replace(call, move_from=value(call.move_from), move_to=value(call.move_to))
        case JumpFalseCall():
            to = target(call.destination_instruction)
            condition = value(call.cond_value_index)
            call = replace(call, cond_value_index=condition, destination_instruction=to)
        case FreeCall():
            call = replace(call, value_index=value(call.value_index))
    return replace(step, instr_args=call)
