"""Which way the optimised kernels of add, sub, mul, div and le go about tensors of other sizes.

Follows `select_optimized_path`, `select_broadcast_optimized_path` and `get_broadcast_dim`
(kernels/optimized/cpu/binary_ops.h) and the kernels that ask them (op_add.cpp, op_sub.cpp,
op_mul.cpp, op_div.cpp, op_le.cpp).
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from pte_lint.ops.checks.call import Call, Refused, Sizes, product
from pte_lint.ops.promotion import BFLOAT16, FLOAT16

OPERATORS: Final = frozenset(
    {"aten::add.out", "aten::div.out", "aten::le.Tensor_out", "aten::mul.out", "aten::sub.out"}
)


class Path(Enum):
    """What the kernel does."""

    PORTABLE = "portable"
    """As the portable kernels do: inputs by their strides, the output as row-major."""
    TOGETHER = "together"
    """Element by element in memory; one of the tensors may have a single element."""
    OVER_LEFT = "over left"
    """Every tensor as row-major; the left one has the sizes of the result."""
    OVER_RIGHT = "over right"
    """The same, and the right one has them."""


def path(sizes: tuple[Sizes, Sizes, Sizes], dtypes: tuple[int, int, int]) -> Path | None:
    """What the kernel does with two inputs and an output; None where a size is not known.

    Args:
        sizes: of both inputs and the output.
        dtypes: their element types.
    """
    if any(None in each for each in sizes):
        return None
    if len(set(dtypes)) > 1 or dtypes[0] in (FLOAT16, BFLOAT16):
        return Path.PORTABLE
    left, right, _ = sizes
    counts = [product(each) for each in sizes]
    if left == right or 1 in counts[:2]:
        return Path.TOGETHER
    one, other = trimmed(left), trimmed(right)
    if counts[0] == counts[1] and (counts[0] == counts[2] or one == other):
        return Path.TOGETHER
    if (len(one), len(other)) == (2, 1) and one[1] == other[0]:
        return Path.OVER_LEFT
    if (len(one), len(other)) == (1, 2) and other[1] == one[0]:
        return Path.OVER_RIGHT
    dim = _single_dimension(one, other)
    if dim is None:
        return Path.PORTABLE
    if dim < -1:
        return Path.OVER_LEFT if other.count(1) == 1 else Path.OVER_RIGHT
    return Path.OVER_RIGHT if one.count(1) == 1 else Path.OVER_LEFT


def trimmed(sizes: Sizes) -> Sizes:
    """Sizes without leading ones."""
    first = next((n for n, size in enumerate(sizes) if size != 1), len(sizes))
    return sizes[first:]


def _single_dimension(one: Sizes, other: Sizes) -> int | None:
    """The only dimension behind the first in which one of both has size 1, counted from the end."""
    found: int | None = None
    if len(one) != len(other):
        return None
    for n in range(1, len(one)):
        if 1 in (one[n], other[n]):
            if found is not None:
                return None
            found = n - len(one)
        elif one[n] != other[n]:
            return None
    return found


def rank_kept(call: Call) -> None:
    """Until 1.4 the result must have the rank of the input that is not repeated.

    `plan_broadcast_elementwise` and `handle_last_dim_broadcast_elementwise` resized the output to
    the sizes of that input, after it had been resized to the result's.
    """
    left, right, out = call.tensor(0), call.tensor(1), call.out()
    if left is None or right is None or out is None:
        return
    way = path((left.sizes, right.sizes, out.sizes), (left.dtype, right.dtype, out.dtype))
    whole = {Path.OVER_LEFT: left, Path.OVER_RIGHT: right}.get(way or Path.PORTABLE)
    if whole is not None and whole.rank != out.rank and not call.since("1.5"):
        raise Refused(
            f"its result has {out.rank} dimensions, {whole.name} only {whole.rank}, and until 1.4 "
            "both must have as many"
        )
