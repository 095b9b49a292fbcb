"""PTE137."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pte_lint.harness.batch import run_batch
from pte_lint.ir.calling import ET_VIEW
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, verdict
from tests.support.runtime import need_runtime

RULE = "PTE137"
REFUSED = "execute: error InvalidArgument"


def viewing(
    sizes: Sequence[int],
    out: Sequence[int] = (2, 6),
    *,
    dynamism: int = 1,
    dtype: str = "float32",
) -> BuiltProgram:
    """A view of a static (3, 4) tensor."""
    b = MethodBuilder("forward")
    x = b.input((3, 4))
    target = b.tensor(out, dtype, dynamism=dynamism, planned=False)
    b.kernel(ET_VIEW, x, b.ints(sizes), target)
    b.output(b.call("aten::relu.out", target, out=out, dtype=dtype))
    return build_program(b)


@pytest.mark.parametrize("sizes", [(2, 6), (-1, 6), (2, -1)])
def test_views_that_fit(sizes: tuple[int, ...]) -> None:
    assert verdict(viewing(sizes), RULE) == OK
    assert verdict(viewing(sizes, dynamism=0), RULE) == OK


@pytest.mark.parametrize("sizes", [(12,), (2, 3, 2), (-2, 6), (-1, -1), (-1, 0), (2, 5)])
def test_sizes_that_do_not_fit(sizes: tuple[int, ...]) -> None:
    assert verdict(viewing(sizes), RULE) == REFUSED


def test_another_element_type() -> None:
    assert verdict(viewing((2, 6), dtype="int32"), RULE) == REFUSED


def test_a_static_output_is_not_resized() -> None:
    assert verdict(viewing((3, 4), dynamism=0), RULE) == "execute: error Internal"


def calculated(factor: int) -> BuiltProgram:
    """A view of an input of up to 3 x 4 as (rows * factor,)."""
    b = MethodBuilder("forward")
    x = b.input((3, 4), dynamism=1)
    rows, count = b.null(), b.null()
    b.kernel("aten::sym_size.int", x, b.int_value(0), rows)
    b.kernel("executorch_prim::mul.Scalar", rows, b.int_value(factor), count)
    target = b.tensor((12,), dynamism=1, planned=False)
    b.kernel(ET_VIEW, x, b.int_list([count]), target)
    b.output(b.call("aten::relu.out", target, out=b.tensor((12,), dynamism=1)))
    return build_program(b)


def test_sizes_that_are_calculated() -> None:
    assert verdict(calculated(4), RULE) == OK
    assert verdict(calculated(3), RULE) == REFUSED
    assert verdict(calculated(5), RULE) == "execute: error Internal"


def test_a_list_of_sizes_that_does_not_exist() -> None:
    b = MethodBuilder("forward")
    x, out = b.input((4,)), b.tensor((4,), dynamism=1)
    b.kernel("executorch_prim::et_view.default", x, 99, out)
    assert found(build_program(b), RULE) == ()


@pytest.mark.parametrize(
    ("sizes", "out", "expected"),
    [
        ((2**32 + 2, 6), (2, 6), OK),
        ((2**32 - 2, 6), (2, 6), "execute: error Internal"),
        ((2**31, 6), (2, 6), "execute: error Internal"),
        ((2**31 - 1, 6), (2, 6), "execute: error Internal"),
        ((-1, 2**33 + 6), (2, 6), REFUSED),
        ((2**32, 2**31, -1), (2, 3, 2), "execute: error Internal"),
        ((2**32, 2**32, -1), (2, 3, 2), "execute: crash SIGFPE"),
    ],
)
def test_sizes_wrap_around(sizes: tuple[int, ...], out: tuple[int, ...], expected: str) -> None:
    """Sizes are kept in 32 bits, their product in 64."""
    program = viewing(sizes, out)
    assert verdict(program, RULE) == expected
    need_runtime()
    (ran,) = run_batch([program.bytes()])
    run = ran.methods[0].runs[0]
    assert f"{run.stage}: {run.outcome} {run.error or run.signal or ''}".strip() == expected


def test_one_size_that_cannot_be_is_enough() -> None:
    b = MethodBuilder("forward")
    x = b.input((3, 4), dynamism=1)
    rows = b.null()
    b.kernel("aten::sym_size.int", x, b.int_value(0), rows)
    target = b.tensor((3, 4), dynamism=1, planned=False)
    b.kernel(ET_VIEW, x, b.int_list([rows, b.int_value(2**31)]), target)
    assert verdict(build_program(b), RULE) == "execute: error Internal"
