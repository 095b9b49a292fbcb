"""PTE135."""

from __future__ import annotations

import pytest

from tests.rules.checks import OK, adder, found, only, verdict
from tests.support.program_builder import BuiltProgram, build_program

RULE = "PTE135"
TRAP = "execute: crash SIGFPE"


def dividing(operator: str, dividend: int, divisor: int) -> BuiltProgram:
    b = adder()
    left, right = b.int_value(dividend), b.int_value(divisor)
    b.kernel(f"executorch_prim::{operator}", left, right, b.null())
    return build_program(b)


@pytest.mark.parametrize("operator", ["floordiv.Scalar", "floordiv.int", "mod.Scalar", "mod.int"])
def test_integer_division(operator: str) -> None:
    assert verdict(dividing(operator, 7, 0), RULE) == TRAP
    assert verdict(dividing(operator, -(2**63), -1), RULE) == TRAP
    assert verdict(dividing(operator, 7, -1), RULE) == OK


def test_other_division_gives_infinity() -> None:
    assert verdict(dividing("truediv.Scalar", 7, 0), RULE) == OK
    b = adder()
    b.kernel("executorch_prim::floordiv.Scalar", b.double_value(7.0), b.int_value(0), b.null())
    assert found(build_program(b), RULE) == ()


@pytest.mark.parametrize(("dim", "expected"), [(0, OK), (1, "abort"), (-1, "abort")])
def test_dimensions_are_not_counted_from_the_end(dim: int, expected: str) -> None:
    b = adder()
    b.kernel("aten::sym_size.int", 0, b.int_value(dim), b.null())
    wanted = OK if expected == OK else "execute: crash SIGABRT"
    assert verdict(build_program(b), RULE) == wanted


@pytest.mark.parametrize(
    ("sizes", "dtype", "bad"),
    [((), "float32", False), ((0,), "float32", True), ((), "float16", True), ((2,), "bool", False)],
)
def test_reading_a_number_out_of_a_tensor(sizes: tuple[int, ...], dtype: str, bad: bool) -> None:
    b = adder()
    b.kernel("aten::_local_scalar_dense", b.input(sizes, dtype), b.null())
    program = build_program(b)
    assert verdict(program, RULE) == ("execute: error InvalidArgument" if bad else OK)
    if bad:
        assert only(program, RULE).location.instruction == 1


def doubling(number: int) -> BuiltProgram:
    b = adder()
    b.kernel("executorch_prim::mul.Scalar", b.int_value(number), b.int_value(2), b.null())
    return build_program(b)


def test_numbers_of_more_than_64_bits() -> None:
    assert verdict(doubling(1 << 62), RULE) == "execute: undefined"
    assert verdict(doubling(1 << 61), RULE) == OK
