"""PTE151: what went wrong does not show, as the numbers that are known tell."""

from __future__ import annotations

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, verdict

LAST = (0, 2, 3, 1)
SIZES = (2, 3, 4, 5)
WRONG = "execute: wrong"


def zeros_scaled(softmax: str) -> BuiltProgram:
    """A softmax over one element gives 1, its logarithm 0; both by channel afterwards."""
    b = MethodBuilder("forward")
    x = b.input((1, 3, 2, 5), dim_order=LAST)
    certain, out = (b.tensor((1, 3, 2, 5), dim_order=LAST) for _ in range(2))
    b.kernel(softmax, x, b.int_value(0), b.bool_value(False), certain, certain)
    scale = b.constant([0.5, 0.25, 2.0], (1, 3, 1, 1), dim_order=LAST)
    b.kernel("aten::mul.out", certain, scale, out, out)
    b.output(out)
    return build_program(b)


def test_zero_times_a_number() -> None:
    assert verdict(zeros_scaled("aten::_softmax.out"), "PTE151") == WRONG
    assert verdict(zeros_scaled("aten::_log_softmax.out"), "PTE151") == OK


def reduced(first: str, reduction: str, dims: list[int], *more: str) -> BuiltProgram:
    """What is by channel in one call, and reduced by another."""
    b = MethodBuilder("forward")
    x = b.input(SIZES, dim_order=LAST)
    mixed = b.tensor(SIZES, dim_order=LAST)
    if first == "flip":
        b.kernel("aten::flip.out", x, b.ints([1]), mixed, mixed)
    else:
        other = b.input((2, 3, 1, 5), dim_order=LAST)
        b.kernel("aten::maximum.out", x, other, mixed, mixed)
    sizes = tuple(1 if d in dims else size for d, size in enumerate(SIZES))
    out = b.tensor(sizes, dim_order=LAST)
    rest = [b.null() for _ in more]
    b.kernel(reduction, mixed, b.ints(dims), b.bool_value(True), *rest, out, out)
    b.output(out)
    return build_program(b)


@pytest.mark.parametrize(
    "call",
    [
        ("maximum", "aten::amax.out"),
        ("flip", "aten::amin.out"),
        ("flip", "aten::sum.IntList_out", "dtype"),
    ],
)
def test_reductions_of_all_do_not_mind_where_elements_are(call: tuple[str, ...]) -> None:
    first, reduction, *more = call
    assert verdict(reduced(first, reduction, [2, 3], *more), "PTE151") == WRONG
    assert verdict(reduced(first, reduction, [1, 2, 3], *more), "PTE151") == OK


def chosen(numbers: list[float], operator: str) -> BuiltProgram:
    """The larger of constants and of a constant by row, by a kernel that mixes them up."""
    b = MethodBuilder("forward")
    x = b.constant(numbers, (1, 2, 1, 2), dim_order=LAST)
    other = b.constant([2.5, 3.5], (1, 1, 1, 2), dim_order=LAST)
    larger, grown = (b.tensor((1, 2, 1, 2), dim_order=LAST) for _ in range(2))
    out = b.tensor((1, 1, 1, 2), dim_order=LAST)
    b.kernel("aten::exp.out", x, grown, grown)
    b.kernel(operator, grown, other, larger, larger)
    b.kernel("aten::amax.out", larger, b.ints([1]), b.bool_value(True), out, out)
    b.output(out)
    return build_program(b)


@pytest.mark.parametrize(
    ("numbers", "operator", "outcome"),
    [
        # exp(2) is larger than both constants, exp(1) than the first of them only.
        ([2.0, 2.0, 2.0, 2.0], "aten::maximum.out", OK),
        ([1.0, 1.0, 2.0, 2.0], "aten::maximum.out", WRONG),
        ([0.5, 0.25, 0.25, 0.5], "aten::maximum.out", WRONG),
        ([0.5, 0.25, 0.25, 0.5], "aten::minimum.out", OK),
    ],
)
def test_what_a_maximum_takes(numbers: list[float], operator: str, outcome: str) -> None:
    assert verdict(chosen(numbers, operator), "PTE151") == outcome


def equal_rows(numbers: list[float]) -> BuiltProgram:
    b = MethodBuilder("forward")
    x = b.constant(numbers, (1, 2, 1, 2), dim_order=LAST)
    out = b.tensor((1, 2, 1, 2), dim_order=LAST)
    b.kernel("aten::_log_softmax.out", x, b.int_value(1), b.bool_value(False), out, out)
    b.output(out)
    return build_program(b)


def test_a_softmax_of_equal_elements() -> None:
    assert verdict(equal_rows([1.0, 1.0, 4.0, 4.0]), "PTE151") == WRONG
    assert verdict(equal_rows([4.0, 4.0, 4.0, 4.0]), "PTE151") == OK
    assert found(equal_rows([4.0, 4.0, 4.0, 4.0]), "PTE151") == ()


def mirrored(numbers: list[float]) -> BuiltProgram:
    b = MethodBuilder("forward")
    x = b.constant(numbers, (1, 2, 1, 2), dim_order=LAST)
    out = b.tensor((1, 2, 1, 2), dim_order=LAST)
    b.kernel("aten::flip.out", x, b.ints([1]), out, out)
    b.output(out)
    return build_program(b)


def test_numbers_that_differ_by_rounding() -> None:
    assert verdict(mirrored([1.0, 2.0, 2.0, 1.001]), "PTE151") == WRONG
    assert verdict(mirrored([1.0, 2.0, 2.0, 1.000001]), "PTE151") == OK


def taken_away(same: bool) -> BuiltProgram:
    b = MethodBuilder("forward")
    x = b.input(SIZES, dim_order=LAST)
    mixed, out = (b.tensor(SIZES, dim_order=LAST) for _ in range(2))
    b.kernel("aten::flip.out", x, b.ints([1]), mixed, mixed)
    b.kernel("aten::sub.out", mixed, mixed if same else x, b.int_value(1), out, out)
    b.output(out)
    return build_program(b)


def test_a_number_less_itself() -> None:
    assert verdict(taken_away(same=False), "PTE151") == WRONG
    assert verdict(taken_away(same=True), "PTE151") == OK


@pytest.mark.parametrize(
    ("numbers", "operator", "outcome"),
    [
        ([1.0, 2.0, 3.0, 4.0], "aten::div.out", OK),
        ([1.0, 2.0, 3.0, 4.0], "aten::atan2.out", OK),
        ([1.0, 2.0, 0.0, 4.0], "aten::div.out", WRONG),
        ([1.0, -2.0, 3.0, 4.0], "aten::atan2.out", WRONG),
    ],
)
def test_a_number_by_itself(numbers: list[float], operator: str, outcome: str) -> None:
    b = MethodBuilder("forward")
    x = b.constant(numbers, (1, 2, 1, 2), dim_order=LAST)
    mixed, out = (b.tensor((1, 2, 1, 2), dim_order=LAST) for _ in range(2))
    b.kernel("aten::flip.out", x, b.ints([1]), mixed, mixed)
    b.kernel(operator, mixed, mixed, out, out)
    b.output(out)
    assert verdict(build_program(b), "PTE151") == outcome


def place_of_largest(dim: int) -> BuiltProgram:
    b = MethodBuilder("forward")
    sizes = (1, 3, 4, 5)
    x, mixed = b.input(sizes, dim_order=LAST), b.tensor(sizes, dim_order=LAST)
    out = b.tensor(tuple(1 if d == dim else n for d, n in enumerate(sizes)), "int64")
    b.kernel("aten::flip.out", x, b.ints([1]), mixed, mixed)
    b.kernel("aten::argmax.out", mixed, b.int_value(dim), b.bool_value(True), out, out)
    b.output(out)
    return build_program(b)


def test_the_place_of_the_only_element() -> None:
    assert verdict(place_of_largest(1), "PTE151") == WRONG
    assert verdict(place_of_largest(0), "PTE151") == OK


def products(dims: list[int]) -> BuiltProgram:
    """Rows by a matrix, from an order that the kernel does not go by, added up."""
    b = MethodBuilder("forward")
    x, w = b.input((4, 3), dim_order=(1, 0)), b.input((5, 3))
    product, out = b.tensor((4, 5)), b.tensor(tuple(1 if d in dims else 4 + d for d in range(2)))
    mixed = b.tensor((4, 3), dim_order=(1, 0))
    b.kernel("aten::flip.out", x, b.ints([0]), mixed, mixed)
    b.kernel("aten::linear.out", mixed, w, b.null(), product, product)
    b.kernel("aten::sum.IntList_out", product, b.ints(dims), b.bool_value(True), b.null(), out, out)
    b.output(out)
    return build_program(b)


def test_products_of_mixed_rows_are_wrong_in_any_order() -> None:
    assert verdict(products([0]), "PTE151") == WRONG
    assert verdict(products([0, 1]), "PTE151") == WRONG
