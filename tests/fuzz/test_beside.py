"""Each seeded defect beside other things: behind a copy of itself that is jumped over, after and
before a good method or a good half of its own, after an empty method, and twice; and with tensors
of no element or of one. What a rule skips or finds good must not hide what follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pte_lint.schema.enums import InstructionKind, KernelTypes
from pte_lint.schema.program import (
    Bool,
    EValue,
    ExecutionPlan,
    Instruction,
    JumpFalseCall,
    Program,
    Tensor,
)

from tests.fuzz.joined import joined
from tests.fuzz.judged import judged
from tests.fuzz.kill_matrix import FOLDER, Defect, good, stored
from tests.fuzz.subject import program_document
from tests.support.golden import check_golden
from tests.support.said import in_short

GOLDEN = Path(__file__).parent / "golden" / "beside"

_Plans = tuple[ExecutionPlan, ...]
_Shape = Callable[[ExecutionPlan, ExecutionPlan], "_Plans | None"]


def behind_a_skipped_copy(plan: ExecutionPlan, _: ExecutionPlan) -> _Plans | None:
    """A jump over all instructions, those instructions, and once more where they are reached."""
    if not plan.chains or len(plan.chains) != 1 or not plan.chains[0].instructions:
        return None
    (chain,) = plan.chains
    own = chain.instructions or ()
    count, values = len(own) + 1, plan.values or ()
    jump = Instruction(InstructionKind.JUMP_FALSE_CALL, JumpFalseCall(len(values), count))
    copy, moved = (tuple(_moved(each, by) for each in own) for by in (1, count))
    chain = replace(chain, instructions=(jump, *copy, *moved), stacktrace=None)
    values = (*values, EValue(KernelTypes.BOOL, Bool(False)))
    return (replace(plan, values=values, chains=(chain,)),)


def _moved(instruction: Instruction, by: int) -> Instruction:
    call = instruction.instr_args
    if not isinstance(call, JumpFalseCall):
        return instruction
    call = replace(call, destination_instruction=call.destination_instruction + by)
    return replace(instruction, instr_args=call)


def after_a_good_method(bad: ExecutionPlan, sound: ExecutionPlan) -> _Plans:
    return replace(sound, name="other"), bad


def before_a_good_method(bad: ExecutionPlan, sound: ExecutionPlan) -> _Plans:
    return bad, replace(sound, name="other")


def twice(bad: ExecutionPlan, _: ExecutionPlan) -> _Plans:
    return bad, replace(bad, name="other")


def of_no_elements(bad: ExecutionPlan, _: ExecutionPlan) -> _Plans:
    """Nothing is read or written where there is nothing: what is left does not ask for bytes."""
    return (_resized(bad, lambda sizes: (0, *sizes[1:]) if sizes else sizes),)


def of_single_elements(bad: ExecutionPlan, _: ExecutionPlan) -> _Plans:
    return (_resized(bad, lambda sizes: (1,) * len(sizes)),)


def of_single_bytes(bad: ExecutionPlan, _: ExecutionPlan) -> _Plans:
    return (_resized(bad, lambda sizes: (1,) * len(sizes), scalar_type=1),)


def after_an_empty_one(bad: ExecutionPlan, _: ExecutionPlan) -> _Plans:
    """After a method without values and instructions."""
    empty = replace(
        bad, name="empty", values=(), inputs=(), outputs=(), chains=(), operators=(), delegates=()
    )
    return empty, bad


def after_a_good_half(bad: ExecutionPlan, sound: ExecutionPlan) -> _Plans | None:
    """In one method with a good one: each loop of a rule meets what is good first."""
    both = joined(sound, bad)
    return None if both is None else (both,)


def before_a_good_half(bad: ExecutionPlan, sound: ExecutionPlan) -> _Plans | None:
    both = joined(bad, sound)
    return None if both is None else (both,)


def _resized(
    plan: ExecutionPlan, sizes: Callable[[tuple[int, ...]], tuple[int, ...]], **fields: int
) -> ExecutionPlan:
    values = []
    for value in plan.values or ():
        tensor = value.val
        if isinstance(tensor, Tensor):
            tensor = replace(tensor, sizes=sizes(tensor.sizes or ()), **fields)
        values.append(replace(value, val=tensor))
    return replace(plan, values=tuple(values))


SHAPES = (
    *(behind_a_skipped_copy, after_a_good_method, before_a_good_method, twice),
    *(of_no_elements, of_single_elements, of_single_bytes, after_an_empty_one),
    *(after_a_good_half, before_a_good_half),
)


def _files(defect: Defect, shape: _Shape) -> bytes | None:
    """The program; None where the defect is not in what is arranged."""
    try:
        bad = program_document((FOLDER / defect.file).read_bytes())
        sound = program_document(good(defect)[0])
    except ValueError:
        return None
    program, other = bad.root, sound.root
    assert isinstance(program, Program)
    assert isinstance(other, Program)
    if len(program.execution_plan or ()) != 1 or len(other.execution_plan or ()) != 1:
        return None
    if replace(program, execution_plan=None) != replace(other, execution_plan=None):
        return None  # The plans belong to other constants.
    plans = shape((program.execution_plan or ())[0], (other.execution_plan or ())[0])
    if plans is None:
        return None
    return replace(bad, root=replace(program, execution_plan=plans)).written()


def _summaries(shape: _Shape, family: str) -> Iterator[str]:
    for defect in stored():
        program = _files(defect, shape) if defect.rule.startswith(family) else None
        if program is not None:
            data = [(FOLDER / name).read_bytes() for name in defect.data]
            report, _ = judged(program, data)
            yield defect.rule
            yield from (f"    {line}" for line in in_short(report.artifacts[0]))


@pytest.mark.parametrize("family", sorted({defect.rule[:4] for defect in stored()}))
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_what_is_beside_a_defect_does_not_hide_it(shape: _Shape, family: str) -> None:
    lines = list(_summaries(shape, family))
    check_golden(GOLDEN / shape.__name__ / f"{family}.txt", "\n".join(lines) + "\n")


def test_most_defects_are_there() -> None:
    for shape in SHAPES:
        lines = "".join(each.read_text() for each in (GOLDEN / shape.__name__).iterdir())
        assert len(re.findall("^PTE", lines, re.MULTILINE)) > 50
