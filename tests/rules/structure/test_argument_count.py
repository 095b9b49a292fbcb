"""PTE123."""

from __future__ import annotations

import pytest

from pte_lint.ir.calling import H2D_COPY
from pte_lint.testing.builder import Label
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import OK, PLAN, adder, found, only, verdict

RULE = "PTE123"


@pytest.mark.parametrize("args", [(), (0,), (0, 1, 2, 3), (0, 1, 2, 3, 3, 3)])
def test_another_count_than_the_schema_wants(args: tuple[int, ...]) -> None:
    b = adder()
    b.kernel("aten::add.out", *args)
    program = build_program(b)
    assert only(program, RULE).evidence == {"arguments": len(args), "expected": 5}
    assert verdict(program, RULE) == "execute: error InvalidProgram"


def test_an_absent_overload_crashes_the_error_message() -> None:
    b = adder()
    b.kernel("aten::copy_", 0, 1)
    program = build_program(b)
    assert verdict(program, RULE) == "execute: error InvalidProgram"
    unnamed = program.replaced(f"{PLAN}.operators[1].overload", None)
    assert verdict(unnamed, RULE) == "execute: crash SIGSEGV"


def test_prim_ops_name_their_slot_once() -> None:
    b = adder()
    one, slot = b.int_value(1), b.null()
    b.kernel("executorch_prim::add.Scalar", one, one, slot)
    assert found(build_program(b), RULE) == ()
    b.kernel("executorch_prim::add.Scalar", one, one, slot, slot)
    assert only(build_program(b), RULE).evidence["expected"] == 3


def test_unknown_operators_copies_and_dead_calls_are_left_alone() -> None:
    b = adder()
    b.kernel("custom::thing.out", 0)
    b.kernel(H2D_COPY, 0)
    end = Label()
    b.jump(end)
    b.kernel("aten::add.out", 0)
    b.mark(end)
    assert found(build_program(b), RULE) == ()
    assert verdict(build_program(b), RULE) == OK
