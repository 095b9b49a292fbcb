"""Parameters of sliding windows: kernel size, stride, padding, dilation.

Source: kernels/portable/cpu/util/kernel_ops_util.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pte_lint.ops.checks.call import Size
from pte_lint.ops.checks.conditions import int32, need, shown
from pte_lint.ops.checks.scalars import int64


def check_parameters(numbers: Sequence[int] | None, count: int, least: int) -> None:
    """One number is given, or one for each dimension; none is below `least`."""
    if numbers is not None:
        need(len(numbers) in {1, count}, f"{len(numbers)} numbers are given for {count} dimensions")
        need(all(n >= least for n in numbers), f"{shown(numbers)} holds a number below {least}")


def nth(numbers: Sequence[int] | None, n: int) -> int | None:
    """The number for a dimension: a single one is for all."""
    if not numbers:
        return None
    return numbers[n] if len(numbers) > n else numbers[0]


class Movement(NamedTuple):
    """How windows move along a dimension; None for what is not known."""

    stride: int | None
    padding: int | None
    dilation: int | None


def windows(size: Size, window: Size, movement: Movement, *, ceil: bool = False) -> Size:
    """How many windows fit into a dimension; None when that is not known.

    With `ceil` a last window may reach over the edge, if it starts inside.
    """
    stride, padding, dilation = movement
    if size is None or window is None or stride is None or padding is None or dilation is None:
        return None
    room = int64(size + 2 * padding - dilation * (window - 1) - 1 + (stride - 1 if ceil else 0))
    whole = abs(room) // abs(stride)
    count = (whole if (room < 0) == (stride < 0) else -whole) + 1  # C++ rounds towards zero
    return int32(count - 1 if ceil and (count - 1) * stride >= size + padding else count)


def transposed_size(size: Size, window: Size, movement: Movement, extra: int | None) -> Size:
    """The size of a dimension after a transposed convolution; `extra` is the output padding."""
    stride, padding, dilation = movement
    if size is None or window is None or stride is None or padding is None or dilation is None:
        return None
    if extra is None:
        return None
    return int32((size - 1) * stride - 2 * padding + dilation * (window - 1) + extra + 1)


def positive(sizes: Sequence[Size], spatial: int) -> None:
    """The result has elements in the dimensions that windows move along."""
    need(
        all(size is None or size > 0 for size in sizes[-spatial:]),
        f"the windows give a result of sizes {shown(sizes)}",
    )
