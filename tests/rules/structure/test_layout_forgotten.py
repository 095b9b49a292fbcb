"""PTE151 and PTE152: what went wrong does not show in any output."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, verdict

LAST = (0, 2, 3, 1)
SIZES = (2, 3, 4, 5)
WRONG = "execute: wrong"
Build = Callable[[MethodBuilder, int], int]


def program(build: Build, dynamism: int = 0) -> BuiltProgram:
    b = MethodBuilder("forward")
    b.output(build(b, b.input(SIZES, dim_order=LAST, dynamism=dynamism)))
    return build_program(b)


def image(b: MethodBuilder, *sizes: int) -> int:
    return b.tensor(sizes or SIZES, dim_order=LAST)


def flip(b: MethodBuilder, x: int, dim: int) -> int:
    out = image(b)
    b.kernel("aten::flip.out", x, b.ints([dim]), out, out)
    return out


def permuted(b: MethodBuilder, x: int, dims: list[int], *sizes: int) -> int:
    out = b.tensor(sizes, dim_order=LAST)
    b.kernel("aten::permute_copy.out", x, b.ints(dims), out, out)
    return out


def sliced(b: MethodBuilder, x: int, dim: int, first: int, end: int, *sizes: int) -> int:
    out = image(b, *sizes)
    limits = b.int_value(first), b.int_value(end), b.int_value(1)
    b.kernel("aten::slice_copy.Tensor_out", x, b.int_value(dim), *limits, out, out)
    return out


def turned_back(b: MethodBuilder, x: int) -> int:
    return flip(b, flip(b, x, 1), 1)


def turned_twice(b: MethodBuilder, x: int) -> int:
    return flip(b, flip(b, x, 1), 2)


def swapped_back(b: MethodBuilder, x: int) -> int:
    once = permuted(b, x, [0, 1, 3, 2], 2, 3, 5, 4)
    return permuted(b, once, [0, 1, 3, 2], 2, 3, 4, 5)


def swapped_once(b: MethodBuilder, x: int) -> int:
    return permuted(b, x, [0, 1, 3, 2], 2, 3, 5, 4)


def forgotten(b: MethodBuilder, x: int) -> int:
    """Softmax over one element gives 1, whatever it is given."""
    mixed = sliced(b, flip(b, x, 1), 2, 0, 1, 2, 3, 1, 5)
    out = image(b, 2, 3, 1, 5)
    b.kernel("aten::_log_softmax.out", mixed, b.int_value(2), b.bool_value(False), out, out)
    return out


def remembered(b: MethodBuilder, x: int) -> int:
    mixed = sliced(b, flip(b, x, 1), 2, 0, 1, 2, 3, 1, 5)
    out = image(b, 2, 3, 1, 5)
    b.kernel("aten::_log_softmax.out", mixed, b.int_value(0), b.bool_value(False), out, out)
    return out


def left_out(b: MethodBuilder, x: int) -> int:
    """Both parts of a batch are joined in the wrong way, and one of them is right in the end."""
    out = image(b, 2, 6, 4, 5)
    b.kernel("aten::cat.out", b.tensor_list([x, x]), b.int_value(1), out, out)
    return sliced(b, out, 1, 0, 3)


def taken_in(b: MethodBuilder, x: int) -> int:
    out = image(b, 2, 6, 4, 5)
    b.kernel("aten::cat.out", b.tensor_list([x, x]), b.int_value(1), out, out)
    return sliced(b, out, 1, 1, 4)


def in_parts(b: MethodBuilder, x: int, as_before: bool) -> int:
    """Split by channels, which mixes elements, and joined in the same way."""
    parts = [image(b, 2, 1, 4, 5), image(b, 2, 2, 4, 5)]
    outs = b.tensor_list(parts)
    b.kernel("aten::split_with_sizes_copy.out", x, b.ints([1, 2]), b.int_value(1), outs, outs)
    out = image(b)
    order = parts if as_before else parts[::-1]
    b.kernel("aten::cat.out", b.tensor_list(order), b.int_value(1), out, out)
    return out


def joined_again(b: MethodBuilder, x: int) -> int:
    return in_parts(b, x, as_before=True)


def joined_otherwise(b: MethodBuilder, x: int) -> int:
    return in_parts(b, x, as_before=False)


def unlike_order(b: MethodBuilder, x: int) -> int:
    """To the default order by position and back."""
    plain, out = b.tensor(SIZES), image(b)
    b.kernel("aten::exp.out", x, plain, plain)
    b.kernel("aten::exp.out", plain, out, out)
    return out


def unlike_once(b: MethodBuilder, x: int) -> int:
    plain = b.tensor(SIZES)
    b.kernel("aten::exp.out", x, plain, plain)
    return plain


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (turned_back, turned_twice),
        (swapped_back, swapped_once),
        (forgotten, remembered),
        (left_out, taken_in),
        (unlike_order, unlike_once),
        (joined_again, joined_otherwise),
    ],
    ids=lambda build: build.__name__,
)
def test_what_does_not_show_is_no_error(right: Build, wrong: Build) -> None:
    assert verdict(program(right), "PTE151") == OK
    assert found(program(right), "PTE151") == ()
    assert verdict(program(wrong), "PTE151") == WRONG


def test_sizes_that_may_change_are_the_largest() -> None:
    assert verdict(program(turned_back, dynamism=1), "PTE151") == OK
    assert verdict(program(turned_twice, dynamism=1), "PTE151") == WRONG


def test_elements_that_are_equal_may_be_exchanged() -> None:
    def mirrored(numbers: list[float]) -> BuiltProgram:
        b = MethodBuilder("forward")
        x = b.constant(numbers, (1, 2, 1, 2), dim_order=LAST)
        out = b.tensor((1, 2, 1, 2), dim_order=LAST)
        b.kernel("aten::flip.out", x, b.ints([1]), out, out)
        b.output(out)
        return build_program(b)

    # In memory: channel 0 and 1 of the first pixel, then of the second.
    assert verdict(mirrored([1, 2, 3, 1]), "PTE151") == WRONG
    assert verdict(mirrored([1, 2, 2, 1]), "PTE151") == OK
    assert verdict(mirrored([3, 7, 3, 7]), "PTE151") == WRONG


def test_a_view_that_is_turned_back() -> None:
    def viewed(back: bool) -> BuiltProgram:
        b = MethodBuilder("forward")
        x = b.input(SIZES, dim_order=LAST)
        base = b.tensor(SIZES, dim_order=LAST, offset=0)
        view, out = b.tensor((6, 20), offset=0), b.tensor((6, 20), offset=512)
        b.kernel("aten::neg.out", x, base, base)
        b.kernel("aten::exp.out", view, out, out)
        again = b.tensor(SIZES, dim_order=LAST, offset=512)
        last = b.tensor(SIZES, dim_order=LAST, offset=1024)
        b.kernel("aten::neg.out", again, last, last)
        b.output(last if back else out)
        return build_program(b)

    assert verdict(viewed(back=False), "PTE152") == WRONG
    assert verdict(viewed(back=True), "PTE152") == OK


def test_many_elements_are_not_played() -> None:
    def twice(channels: int) -> BuiltProgram:
        b = MethodBuilder("forward")
        sizes = (1, channels, 64, 64)
        value = b.input(sizes, dim_order=LAST)
        for _ in range(2):
            out = b.tensor(sizes, dim_order=LAST)
            b.kernel("aten::flip.out", value, b.ints([1]), out, out)
            value = out
        b.output(value)
        return build_program(b)

    assert verdict(twice(3), "PTE151") == OK
    assert verdict(twice(8), "PTE151") == WRONG


def test_state_that_is_written_is_an_output_too() -> None:
    b = MethodBuilder("forward")
    x, state = b.input(SIZES, dim_order=LAST), b.state(SIZES, dim_order=LAST)
    b.kernel("aten::copy_", state, flip(b, x, 1), b.bool_value(False), state)
    b.output(turned_back(b, x))
    assert verdict(build_program(b), "PTE151") == WRONG
