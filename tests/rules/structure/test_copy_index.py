"""PTE136."""

from __future__ import annotations

import pytest

from pte_lint.ir.calling import ET_COPY_INDEX
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, only, verdict

RULE = "PTE136"
REFUSED = "execute: error InvalidArgument"


def copying(
    target: tuple[int, ...] = (3, 4),
    source: tuple[int, ...] = (4,),
    *,
    dynamism: int = 1,
    first: int = 0,
    types: tuple[str, str] = ("float32", "float32"),
) -> BuiltProgram:
    """One row copy; `types` are those of target and source."""
    b = MethodBuilder("forward")
    x = b.input(source, types[1])
    out = b.tensor(target, types[0], dynamism=dynamism)
    b.kernel(ET_COPY_INDEX, out, x, b.int_value(first))
    b.output(out)
    return build_program(b)


def test_a_row_that_fits() -> None:
    assert verdict(copying(), RULE) == OK


@pytest.mark.parametrize(
    ("target", "source"), [((3,), (4,)), ((3, 2, 4), (4,)), ((3, 5), (4,)), ((4,), (4,))]
)
def test_shapes_that_do_not_fit(target: tuple[int, ...], source: tuple[int, ...]) -> None:
    assert verdict(copying(target, source), RULE) == REFUSED


def test_a_static_target_can_hold_one_row_only() -> None:
    assert verdict(copying(dynamism=0), RULE) == "execute: error InvalidState"
    assert verdict(copying((1, 4), dynamism=0), RULE) == OK


def test_a_target_of_unknown_dynamism_keeps_its_size() -> None:
    assert verdict(copying((2, 4), dynamism=10, first=1), RULE) == "execute: undefined"
    assert verdict(copying((2, 4), dynamism=10, first=2), RULE) == REFUSED
    assert verdict(copying((2, 4), dynamism=1, first=2), RULE) == "execute: error InvalidState"


def test_the_first_row() -> None:
    assert verdict(copying(first=-1), RULE) == REFUSED
    assert verdict(copying(first=1), RULE) == "execute: undefined"


def test_types_are_not_compared() -> None:
    assert verdict(copying(types=("float32", "float64")), RULE) == REFUSED
    assert verdict(copying(types=("float64", "float32")), RULE) == "execute: undefined"
    assert verdict(copying(types=("int32", "float32")), RULE) == "execute: undefined"
    assert found(copying(types=("int32", "int32")), RULE) == ()


def counting(step: int) -> BuiltProgram:
    """Copies rows 0, `step`, ... of an output of 4 rows."""
    b = MethodBuilder("forward")
    row, target = b.input((4,)), b.tensor((4, 4), dynamism=1)
    counter, done = b.int_value(0), b.null()
    start = b.mark()
    b.kernel(ET_COPY_INDEX, target, row, counter)
    b.kernel("executorch_prim::add.Scalar", counter, b.int_value(step), counter)
    b.kernel("executorch_prim::eq.Scalar", counter, b.int_value(4), done)
    b.jump_false(done, start)
    b.kernel("executorch_prim::sub.Scalar", counter, b.int_value(4), counter)
    b.output(target)
    return build_program(b)


def test_rows_that_are_left_out() -> None:
    assert verdict(counting(1), RULE) == OK
    assert verdict(counting(2), RULE) == "execute: undefined"


@pytest.mark.parametrize(
    ("index", "dynamism", "expected"),
    [
        (2**32, 0, "InvalidArgument"),
        (2**32 + 1, 0, "InvalidState"),
        (2**32 - 1, 1, "InvalidArgument"),
        (2**31, 1, "InvalidState"),
        (2**31 - 1, 1, "InvalidState"),
    ],
)
def test_the_number_of_rows_wraps_around(index: int, dynamism: int, expected: str) -> None:
    b = MethodBuilder("forward")
    row, out = b.input((2,)), b.tensor((1, 2), dynamism=dynamism)
    b.kernel("executorch_prim::et_copy_index.tensor", out, row, b.int_value(0))
    b.kernel("executorch_prim::et_copy_index.tensor", out, row, b.int_value(index))
    b.output(out)
    program = build_program(b)
    assert verdict(program, RULE) == f"execute: error {expected}"
    assert only(program, RULE).location.instruction == 1
