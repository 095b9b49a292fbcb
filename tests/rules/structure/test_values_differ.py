"""PTE153."""

from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.testing.program_builder import BuiltProgram
from tests.rules.checks import OK, found, only, verdict
from tests.support.kernel_calls import Argument, KernelCall, T

RULE = "PTE153"


def program(operator: str, *args: Argument) -> BuiltProgram:
    return KernelCall(f"aten::{operator}", args).program(returned=True)


def remainder(dtype: str) -> BuiltProgram:
    return program("remainder.Scalar_out", T((3,), dtype), 8, T((3,), dtype))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_remainders_of_signed_numbers(dtype: str) -> None:
    finding = only(remainder(dtype), RULE)
    assert finding.severity is Severity.INFO
    assert "-3 % 8 is -3 instead of 5" in finding.message
    assert verdict(remainder(dtype), RULE) == OK


@pytest.mark.parametrize("dtype", ["uint8", "float32", "bool"])
def test_remainders_that_agree(dtype: str) -> None:
    assert found(remainder(dtype), RULE) == ()


@pytest.mark.parametrize(("count", "told"), [(-1, 1), (0, 0), (31, 0), (32, 1)])
def test_shifts_by_the_width(count: int, told: int) -> None:
    args = (T((3,), "int32"), count, T((3,), "int32"))
    for operator in ("bitwise_left_shift", "bitwise_right_shift"):
        assert len(found(program(f"{operator}.Tensor_Scalar_out", *args), RULE)) == told


@pytest.mark.parametrize(("dtype", "told"), [("float64", 1), ("float32", 0)])
def test_doubles_that_become_floats(dtype: str, told: int) -> None:
    args = (T((2, 3), dtype), [1], False, None, T((2,), dtype))
    assert len(found(program("sum.IntList_out", *args), RULE)) == told


@pytest.mark.parametrize(("dtype", "told"), [("uint8", 1), ("float32", 0)])
def test_bytes_that_are_resized(dtype: str, told: int) -> None:
    args = (T((1, 2, 3, 4), dtype), [6, 8], True, None, T((1, 2, 6, 8), dtype))
    assert len(found(program("upsample_bilinear2d.vec_out", *args), RULE)) == told
