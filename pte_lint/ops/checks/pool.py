"""What the kernels of pooling and upsampling refuse.

Sources: kernels/portable/cpu/util/kernel_ops_util.cpp, upsample_util.cpp, and the kernels that call
them.
"""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.ops.checks.call import Call, End, Operand, Size, product
from pte_lint.ops.checks.conditions import (
    default_order,
    int32,
    need,
    of_types,
    one_order,
    plain_or_channels_last,
    rank,
    resize,
    same_types,
    shown,
)
from pte_lint.ops.checks.windows import Movement, check_parameters, nth, positive, windows
from pte_lint.ops.promotion import FLOATING, INT64, REAL


def average_pool(call: Call) -> None:
    """avg_pool2d.out(self, kernel_size, stride, padding, ceil_mode, ..., *, out)."""
    source, out = call.tensor(0), call.out()
    check_pool(call, source, out)
    need(call.number(6) != 0, "the divisor is 0")
    one_order(source, out)
    default_order(source)
    result = pooled(call, source, (1,), call.flag(4))
    resize(out, result)
    of_types(FLOATING | {INT64}, source)


def max_pool(call: Call) -> None:
    """max_pool2d_with_indices.out(self, kernel_size, stride, padding, dilation, ceil_mode, ...)."""
    source, out, indices = call.tensor(0), call.out(), call.out(1)
    of_types({INT64}, indices)
    check_pool(call, source, out)
    result = pooled(call, source, call.numbers(4), call.flag(5))
    resize(out, result)
    resize(indices, result)
    of_types(REAL, source)


def check_pool(call: Call, source: Operand | None, out: Operand | None, *, first: int = 1) -> None:
    """Types, orders and parameters, of which `first` is the position of the window's size."""
    same_types(source, out)
    plain_or_channels_last(source, out)
    if source is None:
        return
    rank(source, 3, 4)
    need(0 not in source.sizes[-3:], f"{source.name} has no elements")
    window, padding = call.numbers(first), call.numbers(first + 2)
    check_parameters(window, 2, 1)
    check_parameters(padding, 2, 0)
    for n, border in enumerate(padding or ()):
        size = nth(window, n)
        need(None if size is None else border <= size // 2, f"the padding {border} is too large")


def pooled(
    call: Call,
    source: Operand | None,
    dilation: Sequence[int] | None,
    ceil: bool | None,
    *,
    first: int = 1,
) -> list[Size] | None:
    """The sizes of the result; None when they are not known."""
    window, stride, padding = (call.numbers(first + n) for n in range(3))
    if source is None or ceil is None or stride is None or window is None:
        return None
    need(0 not in stride, "the stride is 0", End.DIVISION)
    result: list[Size] = list(source.sizes[:-2])
    for n in range(2):
        step = nth(stride or window, n)
        movement = Movement(step, nth(padding, n), nth(dilation, n))
        result.append(windows(source.sizes[-2 + n], nth(window, n), movement, ceil=ceil))
    positive(result, 2)
    return result


def adaptive_average_pool(call: Call) -> None:
    """_adaptive_avg_pool2d.out(self, output_size, *, out)."""
    source, out, sizes = call.tensor(0), call.out(), call.numbers(1)
    same_types(source, out)
    plain_or_channels_last(source, out)
    if source is None:
        return
    rank(source, 3, 4)
    need(0 not in source.sizes[-3:], f"{source.name} has no elements")
    if sizes is not None:
        good = len(sizes) == 2 and all(size > 0 and int32(size) > 0 for size in sizes)
        need(good, f"the output size is {shown(sizes)}")
    one_order(source, out)
    default_order(source)
    if sizes is not None:
        resize(out, (*source.sizes[:-2], *sizes))
    of_types(FLOATING | {INT64}, source)


# -- upsampling -----------------------------------------------------------------------------------


def nearest_upsample(call: Call) -> None:
    """upsample_nearest2d.vec_out(input, output_size, scale_factors, *, out)."""
    _upsample(call, 2)


def bilinear_upsample(call: Call) -> None:
    """upsample_bilinear2d.vec_out(input, output_size, align_corners, scale_factors, *, out)."""
    _upsample(call, 3)


def _scaled(size: int, factor: float) -> int:
    """The size times a factor as the kernel has it, in 32 bits: too large ones become negative."""
    scaled = size * factor
    return int(scaled) if abs(scaled) < 2**31 else -(2**31)


def _upsample(call: Call, factors_at: int) -> None:
    source, out = call.tensor(0), call.out()
    same_types(source, out)
    one_order(source, out)
    rank(source, 4)
    rank(out, 4)
    plain_or_channels_last(source, out)
    absent = call.is_none(1), call.is_none(factors_at)
    if None not in absent:
        need(absent[0] != absent[1], "it wants either sizes or factors")
    sizes, factors = call.numbers(1), call.doubles(factors_at)
    for numbers in (sizes, factors):
        if numbers is not None:
            need(
                len(numbers) == 2 and min(numbers) > 0, "sizes or factors are not two positive ones"
            )
    if source is None:
        return
    result: list[Size] | None = None
    if absent[0] is False:
        result = None if sizes is None else [*source.sizes[:2], *sizes]
    elif absent[0] and factors is not None:
        pairs = zip(source.sizes[2:], factors, strict=True)
        scaled = [None if size is None else _scaled(size, factor) for size, factor in pairs]
        result = [*source.sizes[:2], *scaled]
    if result is not None:
        positive(result, 2)
        resize(out, result)
    of_types(REAL, source)
    has_pixels(source, result)


def has_pixels(source: Operand, result: Sequence[Size] | None) -> None:
    """There is something to read for each pixel of the result."""
    if result is not None and 0 in source.sizes[2:] and product(result):
        need(False, f"{source.name} has no pixels", End.UNCHECKED)
