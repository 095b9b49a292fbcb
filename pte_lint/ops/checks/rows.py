"""What the kernels of operators that work along dimensions refuse.

Sources: op_cumsum.cpp, op_constant_pad_nd.cpp, op_repeat.cpp, op_flip.cpp, op_roll.cpp,
op_tril.cpp, op_topk.cpp, op_glu.cpp and op_pixel_shuffle.cpp of kernels/portable/cpu, and the
checks in util that they call.
"""

from __future__ import annotations

from pte_lint.ops.checks.call import Call, Cause, End, Size, product
from pte_lint.ops.checks.conditions import (
    axis,
    default_order,
    goes_into,
    need,
    need_type,
    of_types,
    one_order,
    resize,
    same,
    same_types,
    size_at,
    support,
)
from pte_lint.ops.promotion import FLOATING, INT64, REAL, REAL_OR_BOOL
from pte_lint.schema.enums import dtype_name


def cumulative_sum(call: Call) -> None:
    """cumsum.out(self, dim, *, dtype, out)."""
    source, out, wanted = call.tensor(0), call.out(), call.number(2)
    if source is not None:
        need(source.rank >= 1, f"{source.name} is a scalar")
    axis(source, call.number(1))
    if wanted is not None and out is not None:
        need_type(out.dtype == wanted, f"{out.name} is {dtype_name(out.dtype)}")
    one_order(source, out)
    resize(out, source.sizes if source is not None else None)
    of_types(REAL_OR_BOOL, out)
    if source is not None and source.numel is not None:
        # The function that converts elements is null for other types.
        good = source.dtype in REAL_OR_BOOL
        end = End.NULL if source.numel else End.REFUSED
        need_type(good, f"{source.name} is {dtype_name(source.dtype)}", end)


def constant_pad(call: Call) -> None:
    """constant_pad_nd.out(self, pad, value, *, out)."""
    source, out, pad = call.tensor(0), call.out(), call.numbers(1)
    same_types(source, out)
    if source is None:
        return
    if out is not None:
        need(source.rank == out.rank, f"{source.name} and {out.name} differ in rank")
    if pad is None:
        return
    need(len(pad) % 2 == 0, f"{len(pad)} paddings are given, not two for each dimension")
    need(len(pad) // 2 <= source.rank, f"{source.name} has no {len(pad) // 2} dimensions to pad")
    support(all(n >= 0 for n in pad), "a padding is negative")
    one_order(source, out)
    sizes = list(source.sizes)
    for n in range(len(pad) // 2):
        size = sizes[-1 - n]
        sizes[-1 - n] = None if size is None else size + pad[2 * n] + pad[2 * n + 1]
    resize(out, sizes)
    of_types(REAL_OR_BOOL, source)
    goes_into(call, 2, out)


def repeat(call: Call) -> None:
    """repeat.out(self, repeats, *, out)."""
    source, out, counts = call.tensor(0), call.out(), call.numbers(1)
    if source is not None and counts is not None:
        need(len(counts) >= source.rank, f"{len(counts)} counts for {source.rank} dimensions")
    one_order(source, out)
    default_order(source)
    if source is None or counts is None:
        return
    need(all(n >= 0 for n in counts), "a count is negative")
    sizes: list[Size] = [1] * (len(counts) - source.rank)
    sizes += source.sizes
    pairs = zip(sizes, counts, strict=True)
    resize(out, [0 if n == 0 else None if size is None else size * n for size, n in pairs])
    same_types(source, out)


def flip(call: Call) -> None:
    """flip.out(self, dims, *, out)."""
    source, out, dims = call.tensor(0), call.out(), call.numbers(1)
    resize(out, source.sizes if source is not None else None)
    one_order(source, out)
    same_types(source, out)
    axes = [axis(source, dim) for dim in dims or ()]
    need(source is None or len(set(axes)) == len(axes), "a dimension is named twice")
    of_types(REAL_OR_BOOL, source)


def roll(call: Call) -> None:
    """roll.out(self, shifts, dims, *, out)."""
    source, out, shifts, dims = call.tensor(0), call.out(), call.numbers(1), call.numbers(2)
    resize(out, source.sizes if source is not None else None)
    if source is not None:
        need(source.rank >= 1, f"{source.name} is a scalar")
    if source is not None and source.numel:
        for dim in dims or ():
            axis(source, dim)
    if shifts is not None:
        need(len(shifts) > 0, "no shifts are given")
        need(dims is None or len(dims) == len(shifts), f"{len(shifts)} shifts for other dimensions")
    same_types(source, out)
    one_order(source, out)
    if source is not None and source.numel:
        of_types(REAL_OR_BOOL, source)


def lower_triangle(call: Call) -> None:
    """tril.out(self, diagonal, *, out)."""
    source, out = call.tensor(0), call.out()
    same_types(source, out)
    if source is None:
        return
    need(source.rank >= 2, f"{source.name} has {source.rank} dimensions, fewer than 2")
    resize(out, source.sizes)
    one_order(source, out)
    default_order(source)
    if source.numel:
        of_types(REAL_OR_BOOL, out)


def top(call: Call) -> None:
    """topk.values(self, k, dim, largest, sorted, *, values, indices)."""
    source, count = call.tensor(0), call.number(1)
    values, indices = call.out(0), call.out(1)
    same_types(source, values)
    of_types({INT64}, indices)
    dim = axis(source, call.number(2))
    if source is None or dim is None or count is None:
        return
    size = size_at(source, dim) if source.rank else 1
    need(
        None if size is None else 0 <= count <= size,
        f"{count} elements are wanted of {size} in dimension {dim}",
    )
    result = [count if d == dim else s for d, s in enumerate(source.sizes)]
    resize(values, result)
    resize(indices, result)
    if source.numel and (count or not source.rank):
        of_types(REAL, source)
        if source.rank:
            # Places in the result are counted by the strides of the input.
            step = source.strides[dim]
            good = same(step, product(source.sizes[dim + 1 :]))
            message = f"{source.name} is not in the default dimension order"
            need(good, message, End.UNCHECKED, Cause.ORDER)


def gated_linear_unit(call: Call) -> None:
    """glu.out(self, dim, *, out)."""
    source, out, dim = call.tensor(0), call.out(), call.number(1)
    if source is None or dim is None:
        return
    need(source.rank > 0, f"{source.name} is a scalar")
    dim = axis(source, dim)
    size = size_at(source, dim)
    if size is not None:
        resize(out, [s if d != dim else size // 2 for d, s in enumerate(source.sizes)])
    one_order(source, out)
    need(
        None if size is None else size % 2 == 0, f"dimension {dim} has {size} elements, an odd one"
    )
    of_types(FLOATING, source, out)


def pixel_shuffle(call: Call) -> None:
    """pixel_shuffle.out(self, upscale_factor, *, out)."""
    source, out, factor = call.tensor(0), call.out(), call.number(1)
    same_types(source, out)
    for operand in (source, out):
        if operand is not None:
            need(operand.rank >= 3, f"{operand.name} has {operand.rank} dimensions, fewer than 3")
    if source is None or factor is None:
        return
    need(factor > 0, f"the factor is {factor}")
    *outer, channels, height, width = source.sizes
    if channels is not None:
        need(channels % factor**2 == 0, f"{channels} channels do not divide by {factor} x {factor}")
    one_order(source, out)
    default_order(source)
    if channels is None:
        return
    scaled = [None if size is None else size * factor for size in (height, width)]
    resize(out, (*outer, channels // factor**2, *scaled))
