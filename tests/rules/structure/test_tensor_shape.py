"""PTE106."""

from __future__ import annotations

from typing import Any

import pytest

from pte_lint.testing.program_builder import BuiltProgram
from tests.rules.checks import OK, PLAN, adder_program, only, verdict, verdicts

RULE = "PTE106"
INVALID = "load_method: error InvalidProgram"
EARLY = "load_program: error InvalidProgram"


def with_fields(v: int = 3, **fields: Any) -> BuiltProgram:
    program = adder_program()
    for name, value in fields.items():
        program = program.replaced(f"{PLAN}.values[{v}].val.{name}", value)
    return program


@pytest.mark.parametrize("sizes", [None, (-1,), (4, -2)])
def test_absent_and_negative_sizes(sizes: tuple[int, ...] | None) -> None:
    order = tuple(range(len(sizes or (0,))))
    assert verdicts(with_fields(sizes=sizes, dim_order=order), RULE) == (EARLY, INVALID)


def test_a_dynamic_input_is_not_validated() -> None:
    program = with_fields(0, sizes=(-1,), shape_dynamism=1)
    assert verdicts(program, RULE) == (INVALID, INVALID)


def test_rank_16_fits_and_17_does_not() -> None:
    for rank, expected in ((16, OK), (17, INVALID)):
        program = with_fields(sizes=(1,) * rank, dim_order=tuple(range(rank)))
        assert verdict(program, RULE) == expected
    assert "flatten" in only(program, RULE).remediation


@pytest.mark.parametrize("order", [None, (), (0, 1)])
def test_a_dim_order_of_another_length(order: tuple[int, ...] | None) -> None:
    assert verdict(with_fields(dim_order=order), RULE) == INVALID


@pytest.mark.parametrize("order", [(0, 0), (0, 2), (1, 255)])
def test_a_dim_order_that_is_no_permutation(order: tuple[int, ...]) -> None:
    program = with_fields(sizes=(2, 2), dim_order=order)
    assert verdicts(program, RULE) == ("load_method: error Internal",) * 2


def test_what_is_met_first_decides() -> None:
    # Minimal verification looks at the dim_order before the sign of sizes.
    program = with_fields(sizes=(-1, 2), dim_order=(0, 5))
    assert verdicts(program, RULE) == (EARLY, INVALID)
    scalar = with_fields(sizes=(), dim_order=())
    assert verdict(scalar, RULE) == OK
