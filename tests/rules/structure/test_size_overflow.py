"""PTE110."""

from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, PLAN, adder, found, only, verdict, verdicts

RULE = "PTE110"
HUGE = 2**31 - 1


def with_sizes(*sizes: int, v: int | None = None) -> BuiltProgram:
    """The sizes of a tensor that nothing uses, or of value `v`."""
    b = adder()
    extra = b.tensor((1,), planned=False)
    path = f"{PLAN}.values[{extra if v is None else v}].val"
    program = build_program(b).replaced(f"{path}.sizes", sizes)
    return program.replaced(f"{path}.dim_order", tuple(range(len(sizes))))


@pytest.mark.parametrize("sizes", [(HUGE, HUGE, 4), (HUGE, HUGE, HUGE, 0), (HUGE, HUGE, 2)])
def test_too_many_elements_or_bytes(sizes: tuple[int, ...]) -> None:
    program = with_sizes(*sizes)
    assert verdicts(program, RULE) == ("load_program: error InvalidProgram", OK)
    assert found(program, RULE, target="1.2", verification="minimal") == ()


def test_a_planned_tensor_that_is_used_overflows_silently() -> None:
    program = with_sizes(HUGE, HUGE, 4, v=3)
    assert verdict(program, RULE, verification="minimal") == "execute: undefined"


def test_a_dynamic_input_is_exempt_from_the_check() -> None:
    program = with_sizes(HUGE, HUGE, 4, v=0).replaced(f"{PLAN}.values[0].val.shape_dynamism", 1)
    assert verdict(program, RULE, verification="full") == "execute: undefined"


def test_no_elements() -> None:
    program = with_sizes(0, HUGE, HUGE, HUGE)
    assert only(program, RULE).severity is Severity.WARNING
    assert verdict(program, RULE) == OK


def test_the_largest_that_fits() -> None:
    assert found(with_sizes(HUGE, HUGE, 1), RULE) == ()
