"""One thing about copies, tags or arenas is broken, and the program becomes again what it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pte_lint.schema.enums import InstructionKind
from pte_lint.schema.program import (
    ExtraTensorInfo,
    FreeCall,
    Instruction,
    NonConstBufferDevice,
    Operator,
)

from pte_lint.fix.proof import prove
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.pte_lint.fix.test_repair import errors, mended
from tests.support.device_programs import add_method
from tests.support.runtime import need_runtime

#: The second of two methods; see `add_method` for its values and instructions.
BAD = "execution_plan[1]"
LINES = f"{BAD}.chains[0].instructions"


def whole() -> BuiltProgram:
    return build_program(add_method("good"), add_method("bad"))


def _instructions(built: BuiltProgram) -> tuple[Instruction, ...]:
    plans = built.program.execution_plan
    assert plans is not None
    chains = plans[1].chains
    assert chains is not None
    return chains[0].instructions or ()


def args(number: int, *given: int) -> Callable[[BuiltProgram], BuiltProgram]:
    return lambda built: built.replaced(f"{LINES}[{number}].instr_args.args", given)


def order(*numbers: int) -> Callable[[BuiltProgram], BuiltProgram]:
    def change(built: BuiltProgram) -> BuiltProgram:
        lines = _instructions(built)
        return built.replaced(LINES, tuple(lines[n] for n in numbers))

    return change


def tags(where: ExtraTensorInfo | None, *values: int) -> Callable[[BuiltProgram], BuiltProgram]:
    def change(built: BuiltProgram) -> BuiltProgram:
        for v in values:
            built = built.replaced(f"{BAD}.values[{v}].val.extra_tensor_info", where)
        return built

    return change


def swapped_operators(built: BuiltProgram) -> BuiltProgram:
    plans = built.program.execution_plan
    assert plans is not None
    operators: tuple[Operator, ...] = plans[1].operators or ()
    assert len(operators) == 2
    return built.replaced(f"{BAD}.operators", operators[::-1])


def freed(built: BuiltProgram) -> BuiltProgram:
    first, *rest = _instructions(built)
    free = Instruction(InstructionKind.FREE_CALL, FreeCall(2))
    return built.replaced(LINES, (first, free, *rest))


def without_devices(built: BuiltProgram) -> BuiltProgram:
    return built.replaced(f"{BAD}.non_const_buffer_device", None)


def on_another(built: BuiltProgram) -> BuiltProgram:
    plans = built.program.execution_plan
    assert plans is not None
    entries: tuple[NonConstBufferDevice, ...] = plans[1].non_const_buffer_device or ()
    moved = tuple(replace(entry, device_index=3) for entry in entries)
    return built.replaced(f"{BAD}.non_const_buffer_device", moved)


CUDA_0, CUDA_1, CUDA_LESS = (ExtraTensorInfo(device_type=1, device_index=n) for n in (0, 1, -1))

BREAKS: dict[str, tuple[str, Callable[[BuiltProgram], BuiltProgram]]] = {
    "the operators are swapped": ("PTE306", swapped_operators),
    "a copy's arguments are swapped": ("PTE306", args(0, 2, 0, 0)),
    "a copy lacks an argument": ("PTE306", args(0, 0, 2)),
    "the result is copied before it is there": ("PTE317", order(3, 0, 1, 2)),
    "the copy is freed before it is read": ("PTE317", freed),
    "a copy has another element type": (
        "PTE307",
        lambda built: built.replaced(f"{BAD}.values[2].val.scalar_type", 3),
    ),
    "device tensors are tagged for the host": ("PTE309", tags(None, 2, 3, 4)),
    "one device tensor is tagged for the host": ("PTE309", tags(None, 3)),
    "the host output is tagged for the device": ("PTE308", tags(CUDA_0, 5)),
    "tags name another device": ("PTE311", tags(CUDA_1, 2, 3, 4)),
    "a tag has a negative index": ("PTE311", tags(CUDA_LESS, 2)),
    "the arena is on another device": ("PTE311", on_another),
    "the arena has no device": ("PTE308", without_devices),
    "a host input is tagged for the device": ("PTE301", tags(CUDA_0, 0)),
    "a copy is done twice": ("PTE319", order(0, 0, 1, 2, 3)),
}


@pytest.mark.runtime
@pytest.mark.parametrize("what", BREAKS)
def test_it_becomes_what_it_was(what: str, tmp_path: Path) -> None:
    need_runtime()
    rule, change = BREAKS[what]
    good, broken = whole(), change(whole())
    done, fixed = mended(broken.bytes())
    assert rule in {a.finding.rule for a in done.applied}
    assert {a.finding.method for a in done.applied} == {"bad"}
    assert errors(done) == []
    old, new = tmp_path / "old.pte", tmp_path / "new.pte"
    old.write_bytes(good.bytes())
    new.write_bytes(fixed)
    assert [(s.method, s.status) for s in prove(old, new)] == [("good", "equal"), ("bad", "equal")]
    again, same = mended(fixed)
    assert (again.applied, same) == ((), fixed)


def left(built: BuiltProgram, rule: str) -> set[str]:
    done, _ = mended(built.bytes())
    assert rule not in {a.finding.rule for a in done.applied}
    return {each.why for each in done.left if each.finding.rule == rule}


@pytest.mark.parametrize(
    ("change", "rule", "why"),
    [
        (args(0, 0), "PTE306", "which of its arguments are meant cannot be told from the file"),
        (
            order(3, 0, 1),
            "PTE317",
            "where its content should come from cannot be told from the file",
        ),
    ],
)
def test_what_cannot_be_told_is_left(
    change: Callable[[BuiltProgram], BuiltProgram], rule: str, why: str
) -> None:
    assert left(change(whole()), rule) == {why}


def test_what_looks_unused_stays_while_an_error_is_left() -> None:
    broken: Any = args(0, 0)(whole())
    operators = broken.program.execution_plan[1].operators
    unused = broken.replaced(f"{BAD}.operators", (*operators, Operator("aten::relu", "out")))
    assert left(unused, "PTE702") == {"an error is left, and may be about this"}
