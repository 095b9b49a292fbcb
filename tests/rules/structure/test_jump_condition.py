"""PTE125."""

from __future__ import annotations

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, adder, found, only, verdict

RULE = "PTE125"


def jumping(b: MethodBuilder, condition: int) -> BuiltProgram:
    b.jump_false(condition, 99)
    return build_program(b)


def test_a_bool_and_a_boolean_tensor() -> None:
    b = adder()
    assert verdict(jumping(b, b.bool_value(True)), RULE) == OK
    b = adder()
    assert verdict(jumping(b, b.input((2,), "bool")), RULE) == OK


@pytest.mark.parametrize("v", [0, 2])
def test_another_tensor_and_a_number(v: int) -> None:
    assert verdict(jumping(adder(), v), RULE) == "execute: error InvalidProgram"


def test_a_slot_that_a_comparison_fills() -> None:
    b = adder()
    slot = b.null()
    b.kernel("executorch_prim::eq.Scalar", 2, 2, slot)
    assert found(jumping(b, slot), RULE) == ()
    b = adder()
    slot = b.null()
    b.kernel("executorch_prim::add.Scalar", 2, 2, slot)
    assert "Int or None" in only(jumping(b, slot), RULE).message


def test_what_a_move_puts_there_counts() -> None:
    b = adder()
    flag, target = b.input((), "bool"), b.tensor(())
    b.move(flag, target)
    assert found(jumping(b, target), RULE) == ()
