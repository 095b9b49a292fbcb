"""Edits of what is done and in which order: instructions, arguments, inputs, outputs, lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pte_lint.schema.program import (
    DelegateCall,
    EValue,
    FreeCall,
    Instruction,
    JumpFalseCall,
    KernelCall,
    MoveCall,
)

from pte_lint.testing.builder import instruction
from tests.fuzz.edits import FieldEdit
from tests.fuzz.plan_edits import Chosen

_Code = tuple[str, list[Instruction]]


def _code(at: Chosen) -> _Code:
    """A chain's instructions and their path.

    Raises:
        LookupError: There are none.
    """
    chains = at.plan.chains or ()
    if not chains or not chains[0].instructions:
        raise LookupError("no instructions")
    number = at.rng.randrange(len(chains))
    return f"{at.path}.chains[{number}].instructions", list(chains[number].instructions or ())


def _edit(path: str, code: list[Instruction], why: str) -> FieldEdit:
    return FieldEdit("flow", ((path, tuple(code)),), why)


def drop(at: Chosen) -> FieldEdit:
    """An instruction left out."""
    path, code = _code(at)
    number = at.rng.randrange(len(code))
    del code[number]
    return _edit(path, code, f"instruction {number} dropped")


def move(at: Chosen) -> FieldEdit:
    """An instruction moved."""
    path, code = _code(at)
    number = at.rng.randrange(len(code))
    one = code.pop(number)
    to = at.rng.randint(0, len(code))
    code.insert(to, one)
    return _edit(path, code, f"instruction {number} moved to {to}")


def repeat(at: Chosen) -> FieldEdit:
    """An instruction done again, right after or later."""
    path, code = _code(at)
    number = at.rng.randrange(len(code))
    to = at.rng.randint(number, len(code))
    code.insert(to, code[number])
    return _edit(path, code, f"instruction {number} again at {to}")


def _some_value(at: Chosen) -> int:
    count = len(at.values)
    if at.rng.random() < 0.12:
        return at.rng.choice([-1, count, 2**31 - 1, -(2**31)])
    return at.rng.randrange(max(count, 1))


def _like(at: Chosen, value: int) -> int:
    """A value of the same kind as another, if there is one."""
    if not 0 <= value < len(at.values):
        return _some_value(at)
    kind = at.values[value].val_type
    same = [v for v, each in enumerate(at.values) if each.val_type == kind and v != value]
    return at.rng.choice(same) if same else _some_value(at)


def arguments(at: Chosen) -> FieldEdit:
    """Arguments of a call dropped, added, swapped, or replaced."""
    path, code = _code(at)
    calls = [
        (number, each.instr_args)
        for number, each in enumerate(code)
        if isinstance(each.instr_args, KernelCall | DelegateCall) and each.instr_args.args
    ]
    if not calls:
        raise LookupError("no call")
    number, call = at.rng.choice(calls)
    args = list(call.args or ())
    position = at.rng.randrange(len(args))
    way = at.rng.choice(("drop", "add", "swap", "like", "like", "any", "both outs"))
    if way == "drop":
        del args[position]
    elif way == "add":
        args.insert(position, _some_value(at))
    elif way == "swap":
        other = at.rng.randrange(len(args))
        args[position], args[other] = args[other], args[position]
    elif way == "like":
        args[position] = _like(at, args[position])
    elif way == "any":
        args[position] = _some_value(at)
    else:
        args[-2:] = [_like(at, args[-1])] * len(args[-2:])
    return FieldEdit(
        "flow",
        ((f"{path}[{number}].instr_args.args", tuple(args)),),
        f"argument {position} of instruction {number}: {way}",
    )


def operator(at: Chosen) -> FieldEdit:
    """A call of another operator of the method, or a delegate call of another delegate."""
    path, code = _code(at)
    number = at.rng.randrange(len(code))
    call = code[number].instr_args
    if isinstance(call, KernelCall):
        index = at.rng.randint(-1, len(at.plan.operators or ()))
        field = "op_index"
    elif isinstance(call, DelegateCall):
        index = at.rng.randint(-1, len(at.plan.delegates or ()))
        field = "delegate_index"
    else:
        raise LookupError("no call")
    return FieldEdit(
        "flow",
        ((f"{path}[{number}].instr_args.{field}", index),),
        f"instruction {number} calls {index}",
    )


def insert(at: Chosen) -> FieldEdit:
    """A MoveCall, a FreeCall or a jump put in; jumps are not adjusted."""
    path, code = _code(at)
    number = at.rng.randint(0, len(code))
    value, other = _some_value(at), _some_value(at)
    target = at.rng.choice([0, number, number + 1, number + 2, len(code), len(code) + 1, -1])
    new: Any = at.rng.choice(
        [MoveCall(value, other), FreeCall(value), JumpFalseCall(value, target)]
    )
    if isinstance(new, MoveCall) and at.rng.random() < 0.7:
        new = MoveCall(value, _like(at, value))
    code.insert(number, instruction(new))
    return _edit(path, code, f"{type(new).__name__} put in at {number}")


def jump(at: Chosen) -> FieldEdit:
    """Another destination of a jump, or another condition."""
    path, code = _code(at)
    jumps = [n for n, each in enumerate(code) if isinstance(each.instr_args, JumpFalseCall)]
    if not jumps:
        raise LookupError("no jump")
    number = at.rng.choice(jumps)
    if at.rng.random() < 0.7:
        to = at.rng.choice([*range(len(code) + 2), -1, 2**31 - 1])
        return FieldEdit(
            "flow",
            ((f"{path}[{number}].instr_args.destination_instruction", to),),
            f"jump {number} goes to {to}",
        )
    return FieldEdit(
        "flow",
        ((f"{path}[{number}].instr_args.cond_value_index", _some_value(at)),),
        f"jump {number} on another value",
    )


def bypass(at: Chosen) -> FieldEdit:
    """What an instruction made is read from its first argument instead: a copy left out."""
    path, code = _code(at)
    makers = [
        (number, each.instr_args.args)
        for number, each in enumerate(code)
        if isinstance(each.instr_args, KernelCall) and len(each.instr_args.args or ()) >= 2
    ]
    if not makers:
        raise LookupError("no call")
    number, args = at.rng.choice(makers)
    assert args is not None
    new: list[Instruction] = []
    for position, each in enumerate(code):
        call = each.instr_args
        if position > number and isinstance(call, KernelCall | DelegateCall):
            swapped = tuple(args[0] if a == args[-1] else a for a in call.args or ())
            new.append(replace(each, instr_args=replace(call, args=swapped)))
        else:
            new.append(each)
    return _edit(path, new, f"result of instruction {number} bypassed")


def inputs(at: Chosen) -> FieldEdit:
    """Method inputs or outputs dropped, added, swapped, or replaced."""
    which = at.rng.choice(("inputs", "outputs"))
    listed = list(getattr(at.plan, which) or ())
    way = at.rng.choice(("drop", "add", "swap", "replace"))
    if way == "add" or not listed:
        listed.insert(at.rng.randint(0, len(listed)), _some_value(at))
    else:
        position, other = at.rng.randrange(len(listed)), at.rng.randrange(len(listed))
        if way == "drop":
            del listed[position]
        elif way == "swap":
            listed[position], listed[other] = listed[other], listed[position]
        else:
            listed[position] = _some_value(at)
    return FieldEdit("flow", ((f"{at.path}.{which}", tuple(listed)),), f"{which}: {way}")


def revalue(at: Chosen) -> FieldEdit:
    """A value replaced by another one of the method: another kind, often."""
    if not at.values:
        raise LookupError("no values")
    number = at.rng.randrange(len(at.values))
    new: EValue = at.rng.choice(at.values)
    return FieldEdit(
        "flow", ((f"{at.path}.values[{number}]", new),), f"value {number} is another's twin"
    )


FLOW_EDITS: tuple[Callable[[Chosen], FieldEdit], ...] = (
    drop, move, repeat, arguments, arguments, operator, insert, jump, bypass, inputs, revalue,
)  # fmt: skip
