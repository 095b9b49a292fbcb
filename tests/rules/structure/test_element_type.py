"""PTE107."""

from __future__ import annotations

import pytest

from pte_lint.testing.program_builder import BuiltProgram
from tests.rules.checks import OK, PLAN, adder_program, verdict, verdicts

RULE = "PTE107"
AT_LOAD = "load_method: error InvalidProgram"


def with_type(code: int, v: int = 3) -> BuiltProgram:
    return adder_program().replaced(f"{PLAN}.values[{v}].val.scalar_type", code)


@pytest.mark.parametrize("code", [-1, 30, 100])
def test_an_unknown_type(code: int) -> None:
    expected = ("load_program: error InvalidProgram", AT_LOAD)
    assert verdicts(with_type(code), RULE) == expected


@pytest.mark.parametrize("code", [0, 8, 21, 29])
def test_a_known_type(code: int) -> None:
    assert verdict(with_type(code), RULE) == OK


def test_a_dynamic_input_is_not_validated() -> None:
    program = with_type(77, 0).replaced(f"{PLAN}.values[0].val.shape_dynamism", 1)
    assert verdicts(program, RULE) == (AT_LOAD, AT_LOAD)
