"""What the kernels of operators on lists of tensors refuse.

Source: kernels/portable/cpu/util/copy_ops_util.cpp and the kernels that call it.
"""

from __future__ import annotations

from pte_lint.ops.checks.call import Call, End, Operand, Size, product
from pte_lint.ops.checks.conditions import (
    axis,
    default_order,
    need,
    need_type,
    of_types,
    one_order,
    resize,
    same,
    same_types,
    shown,
    size_at,
)
from pte_lint.ops.promotion import COMPLEX, REAL_OR_BOOL, can_cast
from pte_lint.schema.enums import dtype_name


def cat(call: Call) -> None:
    """cat.out(tensors, dim=0, *, out)."""
    parts, out, dim = call.tensors(0), call.out(), call.number(1)
    if parts is None or out is None:
        return
    need(bool(parts), "the list of tensors is empty")
    for part in parts:
        _castable(part, out)
        one_order(part, out)
    if dim is None or any(part.numel is None for part in parts):
        return
    dim = dim + out.rank if dim < 0 else dim
    full = [part for part in parts if part.numel]
    first = full[0] if full else parts[0]
    for part in full:
        need(part.rank == first.rank, f"{part.name} and {first.name} differ in rank")
        for d in range(part.rank):
            if d != dim:
                need(part.sizes[d] == first.sizes[d], f"{part.name} differs in dimension {d}")
    need(dim >= 0 and (not full or dim < first.rank), f"there is no dimension {dim}")
    shape = next((p for p in reversed(parts) if p.rank != 1 or p.numel), parts[0])
    sizes = list(shape.sizes)
    if dim < len(sizes):
        sizes[dim] = sum(size_at(part, dim) or 0 for part in full)
    resize(out, sizes)
    if any(p.rank != 1 or p.numel for p in parts):
        # Along a dimension that empty tensors lack `getTrailingDims` stops the process.
        need(dim < out.rank, f"there is no dimension {dim}", End.ABORT)
        _joined_types(parts, out, is_empty=not product(out.sizes[:dim]))


def _joined_types(parts: list[Operand], out: Operand, *, is_empty: bool) -> None:
    if out.dtype in COMPLEX:
        same_types(out, *parts)
        if not is_empty and any(part.numel == 0 for part in parts) and out.numel:
            need(False, "an empty tensor among complex ones ends the copying", End.UNCHECKED)
        return
    of_types(REAL_OR_BOOL, out)
    if not is_empty:
        of_types(REAL_OR_BOOL, *parts)


def stack(call: Call) -> None:
    """stack.out(tensors, dim=0, *, out)."""
    parts, out, dim = call.tensors(0), call.out(), call.number(1)
    if parts is None or out is None:
        return
    need(bool(parts), "the list of tensors is empty")
    first = parts[0]
    for part in parts:
        _castable(part, out)
        need(part.rank == first.rank, f"{part.name} and {first.name} differ in rank")
        for d in range(part.rank):
            need(same(part.sizes[d], first.sizes[d]), f"{part.name} differs in dimension {d}")
    for part in parts:
        one_order(part, out)
    default_order(out)
    if dim is not None:
        dim = dim + out.rank if dim < 0 else dim
        need(0 <= dim <= first.rank, f"there is no dimension {dim}")
        resize(out, (*first.sizes[:dim], len(parts), *first.sizes[dim:]))
        of_types(REAL_OR_BOOL, out)
        if product(out.sizes[:dim]):
            of_types(REAL_OR_BOOL, *parts)


def _castable(part: Operand, out: Operand) -> None:
    need_type(
        can_cast(part.dtype, out.dtype),
        f"{dtype_name(part.dtype)} does not become {dtype_name(out.dtype)}",
    )


def split_with_sizes(call: Call) -> None:
    """split_with_sizes_copy.out(self, split_sizes, dim=0, *, out)."""
    source, outs, lengths = call.tensor(0), call.outs(), call.numbers(1)
    if source is None:
        return
    need(source.rank >= 1, f"{source.name} is a scalar")
    dim = _axis(source, call.number(2))
    if outs is None or lengths is None or dim is None:
        return
    need(len(lengths) == len(outs), f"{len(lengths)} sizes are given for {len(outs)} outputs")
    need(all(length >= 0 for length in lengths), "a size is negative")
    whole = size_at(source, dim)
    total = sum(lengths)
    need(same(whole, total), f"sizes add up to {total}, not to {whole}")
    for out, length in zip(outs, lengths, strict=True):
        one_order(source, out)
        resize(out, _replaced(source, dim, length))
    if outs:
        of_types(REAL_OR_BOOL, source, outs[0])


def split(call: Call) -> None:
    """split_copy.Tensor_out(self, split_size, dim=0, *, out)."""
    source, outs, length = call.tensor(0), call.outs(), call.number(1)
    if source is None:
        return
    need(source.rank >= 1, f"{source.name} is a scalar")
    dim = axis(source, call.number(2))
    whole = size_at(source, dim)
    if outs is None or length is None or dim is None or whole is None:
        return
    need(length >= 0, f"the split size is {length}")
    need(length > 0 or whole == 0, "the split size is 0")
    count = 1 if length >= whole else -(-whole // length)
    need(len(outs) == count, f"{count} parts go into {len(outs)} outputs")
    for number, out in enumerate(outs):
        rest = whole - number * length if number == count - 1 else length
        _exactly(out, _replaced(source, dim, rest))
    _of_outs(source, outs)


def unbind(call: Call) -> None:
    """unbind_copy.int_out(self, dim=0, *, out)."""
    source, outs = call.tensor(0), call.outs()
    if source is None:
        return
    need(source.rank >= 1, f"{source.name} is a scalar")
    dim = _axis(source, call.number(1))
    if outs is None or dim is None:
        return
    whole = size_at(source, dim)
    need(same(whole, len(outs)), f"{whole} rows go into {len(outs)} outputs")
    for out in outs:
        _exactly(out, (*source.sizes[:dim], *source.sizes[dim + 1 :]))
    _of_outs(source, outs)
    default_order(source)


def _axis(source: Operand, dim: int | None) -> int | None:
    """The dimension counted from the start, by kernels that do so before they test it."""
    if dim is None:
        return None
    dim = dim + source.rank if dim < 0 else dim
    found = axis(source, dim)
    need(dim >= 0, f"{source.name} has no dimension {dim - source.rank}", End.ABORT)
    return found


def _exactly(out: Operand, sizes: tuple[Size, ...]) -> None:
    """The output already has these sizes: these kernels do not resize."""
    if out.resized is not None:
        out.resized.append(sizes)
    need(out.rank == len(sizes), f"{out.name} has {out.rank} dimensions, not {len(sizes)}")
    for mine, wanted in zip(out.sizes, sizes, strict=True):
        need(same(mine, wanted), f"{out.name} has the sizes {shown(out.sizes)}, not {shown(sizes)}")


def _of_outs(source: Operand, outs: list[Operand]) -> None:
    same_types(*outs)
    for out in outs:
        one_order(source, out)
    of_types(REAL_OR_BOOL, source, *outs)


def _replaced(source: Operand, dim: int, size: Size) -> tuple[Size, ...]:
    return (*source.sizes[:dim], size, *source.sizes[dim + 1 :])
