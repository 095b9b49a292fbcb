"""What the kernels refuse that take parts of a tensor out, or show it in other sizes.

Sources: kernels/portable/cpu/util/slice_util.cpp, copy_ops_util.cpp and the kernels that call them.
A negative dimension that passes a check and is then asked for its size ends the process.
"""

from __future__ import annotations

from pte_lint.ops.checks.call import Call, End, Operand, Size, product
from pte_lint.ops.checks.conditions import (
    axis,
    broadcast,
    default_order,
    need,
    need_type,
    of_types,
    one_order,
    rank,
    resize,
    same,
    same_types,
    shown,
    size_at,
    support,
)
from pte_lint.ops.checks.scalars import int64
from pte_lint.ops.promotion import (
    ALL,
    BFLOAT16,
    BOOL,
    COMPLEX,
    FLOATING,
    INT32,
    INT64,
    REAL_OR_BOOL,
)
from pte_lint.schema.enums import dtype_name, element_size


def narrow(call: Call) -> None:
    """narrow_copy.out(self, dim, start, length, *, out): it counts nothing from the end."""
    source, out = call.tensor(0), call.out()
    dim, start, length = (call.number(n) for n in (1, 2, 3))
    if source is not None:
        need(source.rank > 0, f"{source.name} is a scalar")
    same_types(source, out)
    axis(source, dim)
    need(None if length is None else length >= 0, f"the length is {length}")
    if source is None or dim is None:
        return
    need(dim >= 0, f"the size of dimension {dim} is asked for", End.ABORT)
    size = source.sizes[dim]
    if size is not None and start is not None and length is not None:
        need(-size <= start <= size, f"dimension {dim} has {size} elements, and {start} is out")
        end = int64((start + size if start < 0 else start) + length)
        need(end <= size, f"{length} elements from {start} on are wanted of {size}")
    resize(out, [length if d == dim else s for d, s in enumerate(source.sizes)])
    if length and start is not None:
        support(start >= 0, f"it starts at {start}, which the kernel does not count from the end")


def unfold(call: Call) -> None:
    """unfold_copy.out(self, dimension, size, step, *, out)."""
    source, out = call.tensor(0), call.out()
    dim, length, step = (call.number(n) for n in (1, 2, 3))
    if source is None or dim is None:
        return
    count = max(source.rank, 1)
    dim = dim + count if dim < 0 else dim
    need(-count <= dim < count, f"{source.name} has no dimension {dim}")
    need(None if length is None else length >= 0, f"the size is {length}")
    need(0 <= dim < source.rank, f"the size of dimension {dim} is asked for", End.ABORT)
    size = source.sizes[dim]
    if size is not None and length is not None:
        need(length <= size, f"{length} elements are wanted of {size} in dimension {dim}")
    need(None if step is None else step > 0, f"the step is {step}")
    pieces: Size = None
    if size is not None and length is not None and step is not None:
        room = int64(size - length + step)
        pieces = room // step if room >= 0 else -(-room // step)
    resize(out, [*(pieces if d == dim else s for d, s in enumerate(source.sizes)), length])
    if call.since("1.5"):
        one_order(source, out)
        default_order(source)
    of_types(REAL_OR_BOOL, source, out)


def diagonal(call: Call) -> None:
    """diagonal_copy.out(self, offset, dim1, dim2, *, out)."""
    source, out, offset = call.tensor(0), call.out(), call.number(1)
    same_types(source, out)
    if source is not None:
        need(source.rank >= 2, f"{source.name} has {source.rank} dimensions, fewer than 2")
    one, other = (axis(source, call.number(n)) for n in (2, 3))
    if one is not None:
        need(one != other if other is not None else None, f"dimension {one} is named twice")
    one_order(source, out)
    default_order(source)
    if source is None or one is None or other is None:
        return
    kept: list[Size] = [s for d, s in enumerate(source.sizes) if d not in (one, other)]
    rows, columns = source.sizes[one], source.sizes[other]
    if offset is None or rows is None or columns is None:
        resize(out, [*kept, None])
        return
    if offset >= 0:
        length = 0 if columns <= offset else min(rows, columns - offset)
    elif offset == -(2**63):
        length = columns  # its opposite does not fit into 64 bits
    else:
        length = 0 if rows <= -offset else min(rows + offset, columns)
    resize(out, [*kept, length])
    if offset == -(2**63) and product([*kept, length]) != 0:
        need(False, f"the diagonal {offset} lies outside of {source.name}", End.UNCHECKED)
    of_types(ALL, source)


def strided(call: Call) -> None:
    """as_strided_copy.out(self, size, stride, storage_offset, *, out)."""
    source, out = call.tensor(0), call.out()
    sizes, strides = call.numbers(1), call.numbers(2)
    offset = 0 if call.is_none(3) else call.number(3)
    same_types(source, out)
    if sizes is not None and strides is not None:
        need(len(sizes) == len(strides), f"{len(strides)} strides for {len(sizes)} sizes")
    need(strides is None or min(strides, default=0) >= 0, f"{shown(strides or ())} are strides")
    need(None if offset is None else offset >= 0, f"the offset is {offset}")
    if source is not None and sizes is not None and strides is not None and offset is not None:
        _within(source, sizes, strides, offset)
    resize(out, sizes)
    one_order(source, out)
    default_order(source)
    if source is not None and source.numel:
        of_types(ALL, source)


def _within(source: Operand, sizes: tuple[int, ...], strides: tuple[int, ...], offset: int) -> None:
    """The last element that is read is in the tensor, as 64 bits have the sum."""
    have, width = source.numel, element_size(source.dtype)
    if have is None or width is None or 0 in sizes:
        return
    wanted = 1 + sum(step * (size - 1) for size, step in zip(sizes, strides, strict=True))
    room = (wanted * width) % 2**64
    end = (room + offset * width) % 2**64
    message = f"{wanted} elements from {offset} on are wanted of {have}"
    need(room == 0 or end <= have * width, message)


def pixel_unshuffle(call: Call) -> None:
    """pixel_unshuffle.out(self, downscale_factor, *, out)."""
    source, out, factor = call.tensor(0), call.out(), call.number(1)
    same_types(source, out)
    for operand in (source, out):
        if operand is not None:
            need(operand.rank >= 3, f"{operand.name} has {operand.rank} dimensions, fewer than 3")
    need(None if factor is None else factor > 0, f"the factor is {factor}")
    if source is None or factor is None:
        return
    *outer, channels, height, width = source.sizes
    for size in (width, height):
        good = None if size is None else size % factor == 0
        need(good, f"{size} pixels do not divide by {factor}")
    if factor >= 2**31:
        return  # it is cut off to 32 bits before it divides
    scaled = [None if size is None else size // factor for size in (height, width)]
    resize(out, (*outer, None if channels is None else channels * factor**2, *scaled))


def as_real(call: Call) -> None:
    """view_as_real_copy.out(self, *, out): sizes are compared as far as the output has them."""
    source, out = call.tensor(0), call.out()
    if source is None or out is None:
        return
    need(source.rank < 16, f"{source.name} has {source.rank} dimensions")
    wanted = (*source.sizes, 2)
    if out.rank > len(wanted):
        for mine, its in zip(out.sizes, wanted, strict=False):
            need(same(mine, its), f"{out.name} has the sizes {shown(out.sizes)}")
        message = f"{out.name} of rank {out.rank} is compared with what nobody wrote"
        need(False, message, End.UNCHECKED)
    resize(out, wanted[: out.rank])
    complex_ = source.dtype in COMPLEX
    need_type(complex_, f"{source.name} is {dtype_name(source.dtype)}")
    one_order(source, out)
    of_types(FLOATING - {BFLOAT16}, out)
    if out.rank < len(wanted) and source.numel:
        message = f"it writes {source.numel} pairs into {out.name} of sizes {shown(out.sizes)}"
        need(False, message, End.UNCHECKED)


def masked_scatter(call: Call) -> None:
    """masked_scatter.out(self, mask, source, *, out)."""
    target, mask, source, out = call.tensor(0), call.tensor(1), call.tensor(2), call.out()
    of_types(REAL_OR_BOOL, target)
    of_types({BOOL}, mask)
    same_types(target, source)
    same_types(target, out)
    one_order(target, mask, out)
    if target is None or mask is None:
        return
    together = broadcast([target.sizes, mask.sizes])
    sizes = f"sizes {shown(target.sizes)} and {shown(mask.sizes)}"
    need(None if together is not None else False, f"{sizes} do not broadcast together")
    resize(out, together)


def repeat_interleave(call: Call) -> None:
    """repeat_interleave.Tensor_out(repeats, *, output_size, out): what it gives is in `repeats`."""
    repeats, out = call.tensor(0), call.out()
    of_types({INT32, INT64}, repeats)
    rank(repeats, 1)
    same_types(repeats, out)
    one_order(repeats, out)
    default_order(repeats)
    if size_at(repeats, 0) == 0:
        need(call.number(1) in (None, 0), "no elements are repeated")
        resize(out, (0,))
    else:
        resize(out, (None,))
