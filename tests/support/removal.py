"""Takes instructions out of built programs, as a tool does that drops a boundary copy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pte_lint.schema.program import DelegateCall, Instruction, KernelCall

from pte_lint.testing.program_builder import BuiltProgram

_PLAN = "execution_plan[{}]"
_STEPS = _PLAN + ".chains[0].instructions"


def without(built: BuiltProgram, *steps: int, method: int = 0) -> BuiltProgram:
    """The program without some instructions of a method; all else stays as it is."""
    gone = frozenset(steps)
    return built.replaced(
        _STEPS.format(method),
        lambda old: tuple(each for i, each in enumerate(old) if i not in gone),
    )


def rewired(built: BuiltProgram, step: int, method: int = 0) -> BuiltProgram:
    """The program without a boundary copy, whose source takes its target's place everywhere."""
    source, target = instructions(built, method)[step].instr_args.args[:2]  # type: ignore[union-attr, index]

    def name(values: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(source if v == target else v for v in values)

    def renamed(each: Instruction) -> Instruction:
        call: Any = each.instr_args
        if isinstance(call, KernelCall | DelegateCall):
            call = replace(call, args=name(tuple(call.args or ())))
        return replace(each, instr_args=call)

    left = without(built, step, method=method)
    left = left.replaced(_STEPS.format(method), lambda old: tuple(map(renamed, old)))
    return left.replaced(_PLAN.format(method) + ".outputs", lambda old: name(tuple(old)))


def instructions(built: BuiltProgram, method: int = 0) -> tuple[Instruction, ...]:
    """The instructions of a method's first chain."""
    (chain,) = (built.program.execution_plan or ())[method].chains or ()
    return tuple(chain.instructions or ())
