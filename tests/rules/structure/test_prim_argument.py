"""PTE135."""

from __future__ import annotations

import pytest

from pte_lint.testing.builder import Label
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, adder, found, only, verdict

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


def test_numbers_of_more_than_64_bits_wrap_around() -> None:
    b = adder()
    total = b.null()
    b.kernel("executorch_prim::mul.Scalar", b.int_value(1 << 62), b.int_value(4), total)
    b.kernel("executorch_prim::mod.Scalar", b.int_value(1), total, b.null())
    finding = only(build_program(b), RULE)
    assert (finding.location.instruction, finding.message) == (
        2,
        "executorch_prim::mod.Scalar divides by 0.",
    )


def test_whole_numbers_are_compared_with_doubles_as_doubles() -> None:
    def dividing_if_equal(whole: int) -> BuiltProgram:
        b, end = adder(), Label()
        equal = b.null()
        b.kernel("executorch_prim::eq.Scalar", b.int_value(whole), b.double_value(2.0**53), equal)
        b.jump_false(equal, end)
        b.kernel("executorch_prim::mod.Scalar", b.int_value(1), b.int_value(0), b.null())
        b.mark(end)
        return build_program(b)

    assert verdict(dividing_if_equal(2**53 + 1), RULE) == TRAP
    assert verdict(dividing_if_equal(2**53 + 2), RULE) == OK
