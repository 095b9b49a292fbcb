"""PTE151: what went wrong does not show, as the numbers that are known tell."""

from __future__ import annotations

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, verdict
from tests.support.kernel_calls import KernelCall, T

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


def flipped(numbers: list[float], dtype: str = "float32") -> tuple[MethodBuilder, int]:
    """A constant by channel, which is turned round in the wrong way."""
    b = MethodBuilder("forward")
    sizes = (1, 2, 1, 2)
    x = b.constant(numbers, sizes, dtype, dim_order=LAST)
    mixed = b.tensor(sizes, dtype, dim_order=LAST)
    b.kernel("aten::flip.out", x, b.ints([1]), mixed, mixed)
    return b, mixed


def ended(b: MethodBuilder, operator: str, *args: int, dtype: str = "float32") -> str:
    out = b.tensor((1, 2, 1, 2), dtype, dim_order=LAST)
    b.kernel(operator, *args, out, out)
    b.output(out)
    return verdict(build_program(b), "PTE151")


@pytest.mark.parametrize(("numbers", "outcome"), [([1, 2, 3, 4], OK), ([1, 2, 3, -4], WRONG)])
def test_the_arc_tangent_of_a_positive_number_by_itself(numbers: list[float], outcome: str) -> None:
    b, mixed = flipped(numbers)
    assert ended(b, "aten::atan2.out", mixed, mixed) == outcome


@pytest.mark.parametrize(("most", "outcome"), [(0.75, OK), (1.0, WRONG)])
def test_whole_numbers_between_fractions(most: float, outcome: str) -> None:
    b, mixed = flipped([1, 2, 0, 3], "int32")
    limits = b.double_value(0.25), b.double_value(most)
    assert ended(b, "aten::hardtanh.out", mixed, *limits, dtype="int32") == outcome


@pytest.mark.parametrize(("least", "outcome"), [(3.5, OK), (4.5, WRONG)])
def test_a_convolution_has_bounds(least: float, outcome: str) -> None:
    """Of 1 to 4, weighed by 1 and 2 in two filters, and at most `least`."""
    b, mixed = flipped([1, 2, 3, 4])
    weight = b.constant([1.0, 2.0, 2.0, 1.0], (2, 2, 1, 1))
    summed = b.tensor((1, 2, 1, 2), dim_order=LAST)
    plain = b.ints([1, 1]), b.ints([0, 0]), b.ints([1, 1])
    rest = b.bool_value(False), b.ints([0, 0]), b.int_value(1)
    b.kernel("aten::convolution.out", mixed, weight, b.null(), *plain, *rest, summed, summed)
    limits = b.double_value(0.0), b.double_value(least)
    assert ended(b, "aten::hardtanh.out", summed, *limits) == outcome


@pytest.mark.parametrize(("dims", "outcome"), [([0, 1, 2, 3], OK), ([0, 1], WRONG)])
def test_a_sum_of_means_is_one_of_all(dims: list[int], outcome: str) -> None:
    b = MethodBuilder("forward")
    mixed = b.tensor(SIZES, dim_order=LAST)
    b.kernel("aten::flip.out", b.input(SIZES, dim_order=LAST), b.ints([1]), mixed, mixed)
    halves, out = (
        b.tensor((2, 1, 4, 5), dim_order=LAST),
        b.tensor(tuple(1 if d in (1, *dims) else n for d, n in enumerate(SIZES)), dim_order=LAST),
    )
    keep, none = b.bool_value(True), b.null()
    b.kernel("aten::sum.IntList_out", mixed, b.ints([1]), keep, none, halves, halves)
    b.kernel("aten::sum.IntList_out", halves, b.ints(dims), keep, none, out, out)
    b.output(out)
    assert verdict(build_program(b), "PTE151") == outcome


@pytest.mark.parametrize(("width", "outcome"), [(0.5, OK), (1e-9, WRONG)])
def test_a_variance_has_bounds(width: float, outcome: str) -> None:
    """Columns of (1, 3) and (2, 4), or of other pairs: at least 0.25 and at most 4."""
    b, mixed = flipped([1, 2, 3, 5])
    spread = b.tensor((1, 1, 1, 2), dim_order=LAST)
    dims, keep = b.ints([1]), b.bool_value(True)
    b.kernel("aten::var.correction_out", mixed, dims, b.int_value(0), keep, spread, spread)
    out = b.tensor((1, 1, 1, 2), dim_order=LAST)
    least = b.double_value(4.5 if outcome == OK else width), b.double_value(9.0)
    b.kernel("aten::hardtanh.out", spread, *least, out, out)
    b.output(out)
    assert verdict(build_program(b), "PTE151") == outcome


@pytest.mark.parametrize(("last", "outcome"), [(1.0, OK), (0.0, WRONG)])
def test_places_of_known_numbers(last: float, outcome: str) -> None:
    b = MethodBuilder("forward")
    x = b.constant([1.0, 1.0, 1.0, last, 1.0, 1.0], (1, 2, 1, 3), dim_order=LAST)
    out = b.tensor((6, 4), "int64", dynamism=1)
    b.kernel("aten::nonzero.out", x, out, out)
    b.output(out)
    assert verdict(build_program(b), "PTE151") == outcome


@pytest.mark.parametrize(
    ("numbers", "outcome"), [([0.0, 2.0, 0.0, 0.0], OK), ([2.0, 0.0, 3.0, 0.0], WRONG)]
)
def test_one_place_lies_as_any_order_says(numbers: list[float], outcome: str) -> None:
    """The result has as many rows as there are numbers; with one it has one element a column."""
    b = MethodBuilder("forward")
    x = b.constant(numbers, (2, 2))
    out = b.tensor((4, 2), "int64", dim_order=(1, 0), dynamism=1)
    b.kernel("aten::nonzero.out", x, out, out)
    b.output(out)
    assert verdict(build_program(b), "PTE151") == outcome


def test_what_reads_places_is_not_followed() -> None:
    b = MethodBuilder("forward")
    x = b.constant([0.0, 2.0, 0.0, 0.0], (2, 2))
    places = b.tensor((4, 2), "int64", dim_order=(1, 0), dynamism=1)
    out = b.tensor((4, 2), "int64", dim_order=(1, 0), dynamism=1)
    b.kernel("aten::nonzero.out", x, places, places)
    b.kernel("aten::neg.out", places, out, out)
    b.output(out)
    assert verdict(build_program(b), "PTE151") == WRONG


@pytest.mark.parametrize(
    ("table", "indices", "out", "outcome"),
    [
        ((0, 1), (1, 0), (1, 0, 2), OK),
        ((0, 1), (0, 1), (0, 1, 2), OK),
        ((0, 1), (1, 0), (0, 1, 2), WRONG),
        ((0, 1), (0, 1), (1, 0, 2), WRONG),
        ((0, 1), (1, 0), (2, 1, 0), WRONG),
        ((1, 0), (0, 1), (0, 1, 2), WRONG),
    ],
)
def test_rows_of_tables_lie_as_their_indices(
    table: tuple[int, ...], indices: tuple[int, ...], out: tuple[int, ...], outcome: str
) -> None:
    for bits, width in (("4bit", 4), ("2bit", 2), ("byte", 8)):
        rows = (T((6, width), "uint8", table), T((6,)), T((6,)), 0, 255)
        args = (*rows, T((2, 3), "int64", indices), T((2, 3, 8), order=out))
        call = KernelCall(f"quantized_decomposed::embedding_{bits}.out", args)
        assert verdict(call.program(returned=True), "PTE151") == outcome


@pytest.mark.parametrize(("divided", "outcome"), [(True, OK), (False, WRONG)])
def test_numbers_that_are_put_everywhere_are_known(divided: bool, outcome: str) -> None:
    """What a slice mixed up is written over, what a layer does is 1 divided by itself."""
    b = MethodBuilder("forward")
    x = b.input((1, 4, 2, 2), dim_order=LAST)
    cut, put, out = (b.tensor((1, 3, 2, 2), dim_order=LAST) for _ in range(3))
    everywhere = b.constant([0] * 12, (1, 3, 2, 2), "int64", dim_order=LAST)
    weight = b.constant([1.0, 0.5, 0.25, 1.0], (2, 2))
    ends = b.int_value(0), b.int_value(3), b.int_value(1)
    b.kernel("aten::slice_copy.Tensor_out", x, b.int_value(1), *ends, cut, cut)
    filling = b.int_value(0), everywhere, b.double_value(2.0)
    b.kernel("aten::scatter.value_out", cut, *filling, put, put)
    made = b.tensor((1, 3, 2, 2), dim_order=LAST)
    b.kernel("aten::linear.out", put, weight, b.null(), made, made)
    b.kernel("aten::div.out", made, made, out, out)
    b.output(out if divided else made)
    assert verdict(build_program(b), "PTE151") == outcome
