"""What the kernels of operators that rearrange one tensor refuse.

Sources: kernels/portable/cpu/util/copy_ops_util.cpp, slice_util.cpp, select_copy_util.cpp,
transpose_util.h, and the kernels that call them.
"""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.ops.checks.call import Call, End, Operand, Size, product
from pte_lint.ops.checks.conditions import (
    axis,
    broadcasts_to,
    default_order,
    need,
    need_order,
    need_type,
    of_types,
    one_order,
    resize,
    same,
    same_types,
    size_at,
    support,
)
from pte_lint.ops.checks.paths import is_flat
from pte_lint.ops.promotion import ALL, BFLOAT16, COMPLEX, FLOATING, REAL_OR_BOOL
from pte_lint.schema.enums import dtype_name


def permute(call: Call) -> None:
    """permute_copy.out(self, dims, *, out)."""
    source, out, dims = call.tensor(0), call.out(), call.numbers(1)
    if source is None or dims is None:
        same_types(source, out)
        return
    need(source.rank == len(dims), f"{source.name} has {source.rank} dimensions, not {len(dims)}")
    same_types(source, out)
    order = [axis(source, dim) for dim in dims]
    need(len(set(order)) == len(order), "a dimension is named twice")
    one_order(source, out)
    resize(out, [size_at(source, dim) for dim in order])
    of_types(ALL, source)


def transpose(call: Call) -> None:
    """transpose_copy.int_out(self, dim0, dim1, *, out)."""
    source, out = call.tensor(0), call.out()
    same_types(source, out)
    first, second = axis(source, call.number(1)), axis(source, call.number(2))
    if source is None or first is None or second is None:
        return
    sizes = list(source.sizes)
    if sizes:
        sizes[first], sizes[second] = sizes[second], sizes[first]
    resize(out, sizes)
    one_order(source, out)
    of_types(ALL, source)


def matrix_transpose(call: Call) -> None:
    """t_copy.out(self, *, out)."""
    source, out = call.tensor(0), call.out()
    if source is None:
        return
    same_types(source, out)
    need(source.rank <= 2, f"{source.name} has {source.rank} dimensions, more than 2")
    if source.rank == 2:
        one_order(source, out)
        default_order(source)
    resize(out, tuple(reversed(source.sizes)))
    of_types(ALL, source)


def view(call: Call) -> None:
    """view_copy.out(self, size, *, out)."""
    source, out, sizes = call.tensor(0), call.out(), call.numbers(1)
    if out is not None and sizes is not None:
        need(len(sizes) == out.rank, f"{len(sizes)} sizes are given, and {out.name} has {out.rank}")
        need(sizes.count(-1) <= 1, "several sizes are -1")
        rest = _unsigned_product([size for size in sizes if size != -1])
        need(-1 not in sizes or rest != 0, "a size beside -1 is 0", End.DIVISION)
    one_order(source, out)
    default_order(source)
    same_types(source, out)
    if out is None or sizes is None:
        return
    numel = source.numel if source is not None else None
    inferred: Size = None
    if -1 in sizes and numel is not None:
        inferred = numel // rest
    result = [inferred if size == -1 else size for size in sizes]
    resize(out, result)
    if out.capacity is None or None not in result:
        count = out.numel if out.capacity is None else product(result)
        need(same(numel, count), f"{numel} elements are shown as {count}")


def _unsigned_product(sizes: Sequence[int]) -> int:
    """The product as the kernel has it, in 64 bits without a sign."""
    count = 1
    for size in sizes:
        count = count * size % 2**64
    return count


def unsqueeze(call: Call) -> None:
    """unsqueeze_copy.out(self, dim, *, out)."""
    source, out, dim = call.tensor(0), call.out(), call.number(1)
    if source is None or out is None:
        return
    need(source.rank + 1 == out.rank, f"{out.name} must have {source.rank + 1} dimensions")
    if dim is not None:
        dim = dim + out.rank if dim < 0 else dim
        need(0 <= dim <= source.rank, f"{out.name} has no dimension {dim}")
        resize(out, (*source.sizes[:dim], 1, *source.sizes[dim:]))
    same_types(source, out)


def squeeze(call: Call) -> None:
    """squeeze_copy.dims_out(self, dim[], *, out) and squeeze_copy.dim_out(self, dim, *, out)."""
    source, out = call.tensor(0), call.out()
    same_types(source, out)
    one_order(source, out)
    default_order(source)
    one = call.number(1)
    dims = (one,) if one is not None else call.numbers(1)
    if source is None or dims is None:
        return
    if one is None:
        dims = _from_the_start(source, dims)
    axes = [axis(source, dim) for dim in dims]
    if any(size_at(source, dim) is None for dim in axes if source.rank):
        return
    resize(out, [s for d, s in enumerate(source.sizes) if d not in axes or s != 1])


def _from_the_start(source: Operand, dims: Sequence[int]) -> tuple[int, ...]:
    """Dimensions of a list, which the kernel counts from the start before it tests them."""
    found = tuple(dim + max(source.rank, 1) if dim < 0 else dim for dim in dims)
    for dim in found:
        axis(source, dim)
    need(len(set(found)) == len(found), "a dimension is named twice")
    good = min(found, default=0) >= 0 or not source.rank
    need(good, f"{source.name} has no such dimension", End.ABORT)
    return found


def select(call: Call) -> None:
    """select_copy.int_out(self, dim, index, *, out)."""
    source, out, index = call.tensor(0), call.out(), call.number(2)
    if source is None:
        return
    need(source.rank >= 1, f"{source.name} is a scalar")
    dim = axis(source, call.number(1))
    size = size_at(source, dim)
    if size is not None and index is not None:
        need(-size <= index < size, f"dimension {dim} has {size} rows, none at {index}")
    same_types(source, out)
    if dim is not None:
        resize(out, (*source.sizes[:dim], *source.sizes[dim + 1 :]))
    one_order(source, out)


def slice_(call: Call) -> None:
    """slice_copy.Tensor_out(self, dim, start=None, end=None, step=1, *, out)."""
    source, out, step = call.tensor(0), call.out(), call.number(4)
    if source is None:
        return
    need(source.rank > 0, f"{source.name} is a scalar")
    same_types(source, out)
    dim = axis(source, call.number(1))
    need(None if step is None else step > 0, f"the step is {step}")
    one_order(source, out)
    if dim is None:
        return
    sizes = list(source.sizes)
    sizes[dim] = slice_length(call, (2, 3), size_at(source, dim), step)
    resize(out, sizes)


def slice_length(call: Call, places: tuple[int, int], size: Size, step: int | None) -> Size:
    """The number of elements that a slice takes; None when that depends on the run.

    `places` are the argument positions of start and end, which may be None.
    """
    first, last = places
    start = 0 if call.is_none(first) else call.number(first)
    end = size if call.is_none(last) else call.number(last)
    if size is None or start is None or end is None or step is None:
        return None
    start = min(max(start + size if start < 0 else start, 0), size)
    end = min(max(end + size if end < 0 else end, 0), size)
    return -(-(end - start) // step) if end > start else 0


def expand(call: Call) -> None:
    """expand_copy.out(self, size, *, implicit=False, out)."""
    source, out, sizes = call.tensor(0), call.out(), call.numbers(1)
    support(call.flag(2) in (False, None), "implicit expansion is asked for")
    same_types(source, out)
    default_order(source)
    if source is None or sizes is None:
        return
    need(len(sizes) >= source.rank, f"{len(sizes)} sizes are given for {source.rank} dimensions")
    extra = len(sizes) - source.rank
    need(all(size >= 0 for size in sizes[:extra]), "a new dimension has a negative size")
    result: list[Size] = list(sizes[:extra])
    for mine, wanted in zip(source.sizes, sizes[extra:], strict=True):
        if wanted != -1 and mine != 1:
            need(same(mine, wanted), f"a dimension of {mine} is expanded to {wanted}")
        result.append(mine if wanted == -1 else wanted)
    resize(out, result)
    one_order(source, out)


def clone(call: Call) -> None:
    """clone.out(self, *, memory_format=None, out)."""
    source, out = call.tensor(0), call.out()
    resize(out, source.sizes if source is not None else None)
    same_types(source, out)
    one_order(source, out)
    _contiguous_format(call.number(1))


def _contiguous_format(number: int | None) -> None:
    """The memory format, of which kernels keep the lowest byte, is contiguous_format."""
    support(number is None or number % 256 == 0, "the memory format is not contiguous")


def copy_whole(call: Call) -> None:
    """alias_copy.out, detach_copy.out and lift_fresh_copy.out(self, *, out)."""
    source, out = call.tensor(0), call.out()
    resize(out, source.sizes if source is not None else None)
    same_types(source, out)
    one_order(source, out)


def copy(call: Call) -> None:
    """copy.out(self, src, non_blocking, *, out)."""
    target, source, out = call.tensor(0), call.tensor(1), call.out()
    support(call.flag(2) in (False, None), "a non-blocking copy is asked for")
    same_types(target, out)
    sizes = target.sizes if target is not None else None
    broadcasts_to(source, sizes)
    resize(out, sizes)
    one_order(target, out)
    _copied_types(target, source)


def _copied_types(target: Operand | None, source: Operand | None) -> None:
    """Bytes are copied as they are where types and sizes are equal."""
    if target is None or source is None:
        return
    if target.dtype == source.dtype and source.numel != 0:
        flat = is_flat(target, source)
        if flat or flat is None:
            return
    of_types(REAL_OR_BOOL, target, source)


def copy_in_place(call: Call) -> None:
    """copy_(self, src, non_blocking=False)."""
    target, source = call.tensor(0), call.tensor(1)
    support(call.flag(2) in (False, None), "a non-blocking copy is asked for")
    broadcasts_to(source, target.sizes if target is not None else None)
    one_order(target, source)
    _copied_types(target, source)


def to_copy(call: Call) -> None:
    """_to_copy.out(self, *, non_blocking=False, memory_format=None, out)."""
    source, out = call.tensor(0), call.out()
    support(call.flag(1) in (False, None), "a non-blocking copy is asked for")
    _contiguous_format(call.number(2))
    resize(out, source.sizes if source is not None else None)
    one_order(source, out)
    default_order(source)
    of_types(REAL_OR_BOOL, source, out)


def clone_dim_order(call: Call) -> None:
    """_clone_dim_order.out(self, *, non_blocking=False, dim_order=None, out)."""
    source, order = call.tensor(0), call.numbers(2)
    same_types(source, call.out())
    _same_or_asked_order(call)
    if source is not None and source.numel and order is not None and order != source.order:
        of_types(REAL_OR_BOOL, source)


def to_dim_order(call: Call) -> None:
    """_to_dim_order_copy.out(self, *, non_blocking=False, dim_order=None, out)."""
    _same_or_asked_order(call)
    source, out = call.tensor(0), call.out()
    if source is None or out is None or not source.numel:
        return
    complexes = source.dtype in COMPLEX, out.dtype in COMPLEX
    if all(complexes):
        message = f"{dtype_name(source.dtype)} is copied as it is into {dtype_name(out.dtype)}"
        need_type(source.dtype == out.dtype, message, End.UNCHECKED)
    elif any(complexes):
        of_types(FLOATING - {BFLOAT16}, source if complexes[1] else out)
    else:
        of_types(REAL_OR_BOOL, source, out)


def _same_or_asked_order(call: Call) -> None:
    source, out, order = call.tensor(0), call.out(), call.numbers(2)
    support(call.flag(1) in (False, None), "a non-blocking copy is asked for")
    if source is not None and out is not None:
        if call.is_none(2):
            need_order(source.order == out.order, "input and output differ in dimension order")
        elif order is not None:
            _check_order(source, out, order)
    resize(out, source.sizes if source is not None else None)


def _check_order(source: Operand, out: Operand, order: tuple[int, ...]) -> None:
    need(len(order) == source.rank, f"the dimension order has {len(order)} entries")
    rank = len(order)
    good = order == tuple(range(rank)) or (rank in (4, 5) and order == (0, *range(2, rank), 1))
    need_order(good, "the dimension order is neither contiguous nor channels-last")
    need_order(order == out.order, f"{out.name} has another dimension order than is asked for")
