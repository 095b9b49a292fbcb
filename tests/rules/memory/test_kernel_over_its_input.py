"""PTE204."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.harness.batch import run_batch
from pte_lint.harness.options import ProbeOptions
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, only, verdict
from tests.support.runtime import need_runtime

RULE = "PTE204"
WRONG = "execute: undefined"


def over(operator: str, offset: int, sizes: Sequence[int] = (16, 16)) -> BuiltProgram:
    """y = operator(x, w) with x at byte 4096 and y at another; both of `sizes`."""
    b = MethodBuilder("forward")
    x = b.input(sizes, memory_id=1, offset=4096)
    weight = b.constant([1.0] * 256, (16, 16))
    b.output(b.call(operator, x, weight, out=b.tensor(sizes, memory_id=1, offset=offset)))
    return build_program(b)


@pytest.mark.parametrize("offset", [4096, 4032, 4160])
def test_a_matrix_product_comes_back_to_its_input(offset: int) -> None:
    assert verdict(over("aten::mm.out", offset), RULE) == WRONG


def test_apart() -> None:
    assert found(over("aten::mm.out", 8192), RULE) == ()


def test_element_by_element() -> None:
    assert found(over("aten::mul.out", 4096), RULE) == ()
    assert verdict(over("aten::mul.out", 4160), RULE) == WRONG
    behind = over("aten::mul.out", 4032)
    assert only(behind, RULE).severity is Severity.WARNING
    assert verdict(behind, RULE) == OK


def test_a_vector_is_read_before_it_is_written() -> None:
    program = over("aten::mul.out", 4100, (1, 8))
    assert only(program, RULE).severity is Severity.WARNING
    assert verdict(over("aten::mul.out", 4100, (1, 12)), RULE) == WRONG


def alone(operator: str, offset: int, sizes: Sequence[int]) -> BuiltProgram:
    """y = operator(x) with x at byte 4096."""
    b = MethodBuilder("forward")
    x = b.input(sizes, memory_id=1, offset=4096)
    b.output(b.call(operator, x, out=b.tensor(sizes, memory_id=1, offset=offset)))
    return build_program(b)


def test_one_element_at_a_time() -> None:
    assert verdict(alone("aten::tanh.out", 4100, (2,)), RULE) == WRONG
    assert only(alone("aten::neg.out", 4100, (2,)), RULE).severity is Severity.WARNING


@pytest.mark.runtime
@pytest.mark.parametrize("operator", ["abs", "cos", "erf", "log", "relu", "sqrt", "tanh", "neg"])
@pytest.mark.parametrize("count", [2, 8, 12])
def test_what_is_an_error_shows(operator: str, count: int) -> None:
    programs = [alone(f"aten::{operator}.out", offset, (count,)) for offset in (4100, 8192)]
    differs = results_differ(*programs)
    assert differs or only(programs[0], RULE).severity is Severity.WARNING


def results_differ(*programs: BuiltProgram) -> bool:
    """Whether the runtime gets different results from two programs."""
    need_runtime()
    options = ProbeOptions(variants=("rising",), describe=False)
    runs = run_batch([program.bytes() for program in programs], options=options)
    one, other = (run.methods[0].runs[0].outputs for run in runs)
    return one != other


def test_operators_nobody_knows() -> None:
    assert found(over("custom::thing.out", 4096), RULE) == ()
    assert only(over("custom::thing.out", 4160), RULE).severity is Severity.WARNING


def splitting(first: int) -> BuiltProgram:
    """Splits x, of 2 x 4 at byte 4096, into two of 2 x 2."""
    b = MethodBuilder("forward")
    x = b.input((2, 4), memory_id=1, offset=4096)
    parts = [b.tensor((2, 2), memory_id=1, offset=at) for at in (first, 8192)]
    outs = b.tensor_list(parts)
    b.kernel("aten::split_copy.Tensor_out", x, b.int_value(2), b.int_value(1), outs, outs)
    b.output(*parts)
    return build_program(b)


def test_parts_over_the_whole() -> None:
    # The second row of the first part lies where the second part is read from later.
    assert verdict(splitting(4096), RULE) == WRONG
    assert found(splitting(256), RULE) == ()


def last_columns(first: int, dtype: str = "float32") -> BuiltProgram:
    """Splits x, of 2 x 6 at byte 4096, into columns of 3 and 3; the last ones lie at a byte."""
    b = MethodBuilder("forward")
    x = b.input((2, 6), memory_id=1, offset=4096)
    parts = [b.tensor((2, 3), dtype, memory_id=1, offset=at) for at in (8192, first)]
    outs = b.tensor_list(parts)
    b.kernel("aten::split_copy.Tensor_out", x, b.int_value(3), b.int_value(1), outs, outs)
    b.output(*parts)
    return build_program(b)


@pytest.mark.runtime
@pytest.mark.parametrize("first", [4096, 4100, 4104, 4108, 4112, 4116, 4120, 4124])
def test_parts_are_copied_element_by_element(first: int) -> None:
    """A part that lies a little behind its source is read where its own start was written."""
    expected = WRONG if first in {4112, 4116, 4124} else OK
    assert verdict(last_columns(first), RULE) == expected
    assert results_differ(last_columns(first), last_columns(12288)) is (expected == WRONG)


def test_parts_of_another_type_are_left_open() -> None:
    severities = {each.severity for each in found(last_columns(4112, "float64"), RULE)}
    assert severities == {Severity.WARNING}


def converting(source: str, target: str, at: int) -> BuiltProgram:
    """Converts x, of 2 x 2 at byte 4096; the result lies at a byte."""
    b = MethodBuilder("forward")
    x = b.input((2, 2), source, memory_id=1, offset=4096)
    out = b.tensor((2, 2), target, memory_id=1, offset=at)
    order = b.ints([0, 1])
    b.kernel("dim_order_ops::_to_dim_order_copy.out", x, b.bool_value(False), order, out, out)
    b.output(out)
    return build_program(b)


@pytest.mark.runtime
@pytest.mark.parametrize("at", [4080, 4096, 4104, 4112])
@pytest.mark.parametrize(
    ("source", "target"),
    [("float32", "float64"), ("float64", "float32"), ("float32", "float16")],
)
def test_conversions_go_element_by_element(source: str, target: str, at: int) -> None:
    program = converting(source, target, at)
    differs = results_differ(program, converting(source, target, 8192))
    assert (verdict(program, RULE) == WRONG) is differs


def turning(at: int, orders: tuple[Sequence[int], Sequence[int]]) -> BuiltProgram:
    """Copies x, of 1 x 2 x 2 x 3 at byte 4096, into another order of dimensions at a byte."""
    b = MethodBuilder("forward")
    sizes, (one, other) = (1, 2, 2, 3), orders
    x = b.input(sizes, dim_order=one, memory_id=1, offset=4096)
    out = b.tensor(sizes, dim_order=other, memory_id=1, offset=at)
    b.kernel(
        "dim_order_ops::_to_dim_order_copy.out", x, b.bool_value(False), b.ints(other), out, out
    )
    b.output(out)
    return build_program(b)


@pytest.mark.runtime
@pytest.mark.parametrize("at", [4056, 4080, 4096, 4100, 4112, 4140])
@pytest.mark.parametrize("orders", list(product(((0, 1, 2, 3), (0, 2, 3, 1)), repeat=2)))
def test_orders_of_dimensions(at: int, orders: tuple[Sequence[int], Sequence[int]]) -> None:
    program = turning(at, orders)
    differs = results_differ(program, turning(8192, orders))
    assert (verdict(program, RULE) == WRONG) is differs


def test_kernels_nobody_has_looked_at_are_doubtful_in_place() -> None:
    b = MethodBuilder("forward")
    x, weight = b.input((1, 3, 2, 2)), b.input((3,))
    bias = b.input((3,), memory_id=1, offset=8192)
    outs = [
        b.tensor((1, 3, 2, 2)),
        b.tensor((3,)),
        b.tensor((3,), memory_id=1, offset=8192),
    ]
    numbers = b.bool_value(True), b.double_value(0.1), b.double_value(1e-5)
    result = b.tensor_list(outs)
    name = "aten::_native_batch_norm_legit.no_stats_out"
    b.kernel(name, x, weight, bias, *numbers, *outs, result)
    b.output(outs[0])
    assert only(build_program(b), RULE).severity is Severity.WARNING


def enlarging(at: int, factors: tuple[float, float] | None) -> BuiltProgram:
    """Enlarges an image of 3 x 4 at byte 4096 to 6 x 6; the result lies at a byte."""
    b = MethodBuilder("forward")
    x = b.input((1, 1, 3, 4), memory_id=1, offset=4096)
    out = b.tensor((1, 1, 6, 6), memory_id=1, offset=at)
    sizes, scales = (
        (b.ints([6, 6]), b.null()) if factors is None else (b.null(), b.doubles(factors))
    )
    b.kernel("aten::upsample_nearest2d.vec_out", x, sizes, scales, out, out)
    b.output(out)
    return build_program(b)


@pytest.mark.runtime
@pytest.mark.parametrize("at", [3952, 4000, 4024, 4048, 4092, 4096, 4100, 4140])
@pytest.mark.parametrize("factors", [None, (2.0, 1.5)])
def test_pixels_are_taken_one_after_the_other(at: int, factors: tuple[float, float] | None) -> None:
    program = enlarging(at, factors)
    differs = results_differ(program, enlarging(8192, factors))
    assert (verdict(program, RULE) == WRONG) is differs


def spreading(operator: str, small: tuple[int, ...], at: int) -> BuiltProgram:
    """Combines x, of 3 x 4, with a smaller tensor at byte 4096; the result lies at a byte."""
    b = MethodBuilder("forward")
    x = b.input((3, 4), memory_id=1, offset=0)
    y = b.input(small, memory_id=1, offset=4096)
    out = b.tensor((3, 4), memory_id=1, offset=at)
    extra = (b.int_value(1),) if operator in {"add", "sub"} else ()
    b.output(b.call(f"aten::{operator}.out", x, y, *extra, out=out))
    return build_program(b)


@pytest.mark.runtime
@pytest.mark.parametrize("operator", ["add", "sub", "mul", "div"])
@pytest.mark.parametrize("small", [(3, 1), (4,), (1,), (1, 4)])
def test_rows_are_computed_one_after_the_other(operator: str, small: tuple[int, ...]) -> None:
    apart = spreading(operator, small, 8192)
    for at in (4056, 4064, 4080, 4092, 4096, 4100, 4104, 4108):
        program = spreading(operator, small, at)
        if verdict(program, RULE) == WRONG:
            assert results_differ(program, apart)


def test_what_is_broadcast_to_later_rows() -> None:
    assert verdict(spreading("add", (3, 1), 4096), RULE) == WRONG
    assert verdict(spreading("add", (4,), 4096), RULE) == WRONG
    assert verdict(spreading("add", (3, 1), 4108), RULE) == OK
    assert verdict(spreading("add", (1, 1), 4096), RULE) == OK


@pytest.mark.runtime
def test_conditions_are_read_one_after_the_other() -> None:
    """The condition has a byte an element, the result four."""
    programs = []
    for at in (8192, 4096, 4072, 4060):
        b = MethodBuilder("forward")
        x, y = b.input((12,), memory_id=1, offset=0), b.input((12,), memory_id=1, offset=256)
        which = b.input((12,), "bool", memory_id=1, offset=4096)
        out = b.tensor((12,), memory_id=1, offset=at)
        b.output(b.call("aten::where.self_out", which, x, y, out=out))
        programs.append(build_program(b))
    said = [verdict(program, RULE) == WRONG for program in programs]
    assert said[:2] == [False, True]
    assert results_differ(programs[1], programs[0])


def meaning(offset: int, dim: int) -> BuiltProgram:
    """The mean of x, of 2 x 4 at byte 4096, along a dimension."""
    b = MethodBuilder("forward")
    x = b.input((2, 4), memory_id=1, offset=4096)
    sizes = (4,) if dim == 0 else (2,)
    out = b.tensor(sizes, memory_id=1, offset=offset)
    args = x, b.ints([dim]), b.bool_value(False), b.null()
    b.output(b.call("aten::mean.out", *args, out=out))
    return build_program(b)


def test_reductions() -> None:
    # An element of the result is written when all that it is made of has been read.
    assert only(meaning(4096, 0), RULE).severity is Severity.WARNING
    assert only(meaning(4096, 1), RULE).severity is Severity.WARNING
    assert verdict(meaning(4100, 0), RULE) == WRONG


def test_a_tensor_that_is_joined_to_itself() -> None:
    def joined(offset: int) -> BuiltProgram:
        b = MethodBuilder("forward")
        x = b.input((4,), memory_id=1, offset=4096)
        pair = b.tensor_list([x, x])
        out = b.tensor((8,), memory_id=1, offset=offset)
        b.output(b.call("aten::cat.out", pair, b.int_value(0), out=out))
        return build_program(b)

    assert verdict(joined(4100), RULE) == WRONG
    assert only(joined(4096), RULE).severity is Severity.WARNING


def test_two_elements_are_enough() -> None:
    def transposed(sizes: Sequence[int]) -> BuiltProgram:
        b = MethodBuilder("forward")
        x = b.input(sizes, memory_id=1, offset=4096)
        out = b.tensor(tuple(reversed(sizes)), memory_id=1, offset=4100)
        b.output(b.call("aten::flip.out", x, b.ints([0]), out=out))
        return build_program(b)

    assert verdict(transposed((2, 1)), RULE) == WRONG
    assert only(over("aten::mm.out", 4096, (1, 1)), RULE).severity is Severity.WARNING


def product(rows: int, offset: int) -> BuiltProgram:
    """out = bias + a @ b, with b of 4 x 12 at byte 4096, which out lies over from an offset on."""
    b = MethodBuilder("forward")
    right = b.input((4, 12), memory_id=1, offset=4096)
    left = b.input((rows, 4), memory_id=1, offset=0)
    bias, one = b.constant([1.0] * 12, (12,)), b.int_value(1)
    out = b.tensor((rows, 12), memory_id=1, offset=4096 + offset)
    b.output(b.call("aten::addmm.out", bias, left, right, one, one, out=out))
    return build_program(b)


@pytest.mark.parametrize("offset", [128, 4, 188])
def test_a_row_of_a_product_over_columns_still_needed(offset: int) -> None:
    assert verdict(product(1, offset), RULE) == WRONG


@pytest.mark.parametrize("offset", [-4, 0, 48, 144])
def test_a_row_of_a_product_over_columns_that_are_done(offset: int) -> None:
    assert verdict(product(1, offset), RULE) == OK
    assert verdict(product(2, offset), RULE) == WRONG


def transformed(lines: int, offset: int) -> BuiltProgram:
    """The spectrum of lines of 16 numbers at byte 4096, written from an offset on."""
    b = MethodBuilder("forward")
    x = b.input((lines, 16), memory_id=1, offset=4096)
    out = b.tensor((lines, 9), "complex64", memory_id=1, offset=4096 + offset)
    args = x, b.ints([1]), b.int_value(0), b.bool_value(True)
    b.output(b.call("aten::_fft_r2c.out", *args, out=out))
    return build_program(b)


def test_a_spectrum_over_lines_still_needed() -> None:
    assert verdict(transformed(2, 0), RULE) == WRONG
    assert verdict(transformed(1, 0), RULE) == OK
    assert verdict(transformed(2, 128), RULE) == OK


@pytest.mark.runtime
@pytest.mark.parametrize("offset", [-4, 0, 4, 48, 128, 144, 188])
def test_products_on_the_runtime(offset: int) -> None:
    for rows in (1, 2):
        program = product(rows, offset)
        assert results_differ(program, product(rows, 4096)) == (verdict(program, RULE) == WRONG)


@pytest.mark.runtime
@pytest.mark.parametrize(("lines", "offset"), [(1, 0), (2, 0), (2, 128), (3, 0), (3, -64)])
def test_spectra_on_the_runtime(lines: int, offset: int) -> None:
    program = transformed(lines, offset)
    differs = results_differ(program, transformed(lines, 4096))
    assert differs == (verdict(program, RULE) == WRONG)


def test_a_fill_reads_no_more_than_the_sizes() -> None:
    b = MethodBuilder("forward")
    x = b.input((4,), memory_id=1, offset=4096)
    b.output(
        b.call(
            "aten::fill.Scalar_out", x, b.int_value(1), out=b.tensor((4,), memory_id=1, offset=4100)
        )
    )
    assert found(build_program(b), RULE) == ()
