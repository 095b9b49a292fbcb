"""What the kernels of operators that pick or replace elements by index refuse.

Sources: kernels/portable/cpu/util/index_util.cpp, advanced_index_util.cpp, slice_util.cpp, and the
kernels that call them. What indices hold is not known, only their sizes and types.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pte_lint.ops.checks.call import Call, Cause, End, Operand, Size, Sizes
from pte_lint.ops.checks.conditions import (
    axis,
    broadcasts_to,
    default_order,
    goes_into,
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
)
from pte_lint.ops.checks.views import slice_length
from pte_lint.ops.promotion import BOOL, INT32, INT64, REAL_OR_BOOL, UINT8

_HERE: Final = Cause.IN_PLACE


def embedding(call: Call) -> None:
    """embedding.out(weight, indices, padding_idx, scale_grad_by_freq, sparse, *, out)."""
    weight, indices, out = call.tensor(0), call.tensor(1), call.out()
    rank(weight, 2)
    if indices is not None and out is not None:
        need(out.rank == indices.rank + 1, f"{out.name} must have {indices.rank + 1} dimensions")
    same_types(weight, out)
    if indices is not None:
        resize(out, (*indices.sizes, size_at(weight, 1)))
    one_order(weight, indices, out)
    default_order(weight)
    if indices is not None:
        need_type(indices.dtype in {INT32, INT64}, "indices are neither int32 nor int64", End.ABORT)
        if size_at(weight, 0) == 0 and indices.numel is not None:
            need(indices.numel == 0, "rows are taken of a tensor that has none")


def gather(call: Call) -> None:
    """gather.out(self, dim, index, sparse_grad, *, out)."""
    source, index, out = call.tensor(0), call.tensor(2), call.out()
    _picked(source, call.number(1), index, out)
    resize(out, index.sizes if index is not None else None)
    of_types(REAL_OR_BOOL, source)


def scatter_value(call: Call) -> None:
    """scatter.value_out(self, dim, index, value, *, out)."""
    source, out = call.tensor(0), call.out()
    _picked(source, call.number(1), call.tensor(2), out)
    resize(out, source.sizes if source is not None else None)
    of_types(REAL_OR_BOOL, source)
    goes_into(call, 3, out)


def _picked(
    source: Operand | None, dim: int | None, index: Operand | None, out: Operand | None
) -> None:
    """`check_gather_args`: the index fits into the source, other dimensions than `dim` too."""
    same_types(source, out)
    at = axis(source, dim)
    of_types({INT64}, index)
    if source is None or index is None:
        return
    if index.numel:
        need(max(source.rank, 1) == max(index.rank, 1), f"{index.name} has another rank")
    if at is not None:
        _no_larger(index, source, at)
        _has_rows(source, at, index.numel)


def _has_rows(source: Operand, dim: int, count: Size) -> None:
    """There is a row to take, if any is taken."""
    if size_at(source, dim) == 0 and count:
        need(False, f"dimension {dim} of {source.name} has no rows, and {count} are asked for")


def _no_larger(index: Operand, other: Operand, but: int | None) -> None:
    for d, size in enumerate(other.sizes):
        mine = size_at(index, d) if index.rank else 1
        if d != but and mine is not None and size is not None:
            need(
                mine <= size,
                f"{index.name} has the sizes {shown(index.sizes)}, {other.name} only "
                f"{shown(other.sizes)}",
            )


def scatter(call: Call) -> None:
    """scatter.src_out(self, dim, index, src, *, out)."""
    _scatter(call, call.tensor(0), call.tensor(2), call.tensor(3))


def scatter_add(call: Call) -> None:
    """scatter_add.out(self, dim, index, src, *, out)."""
    source, index, values = call.tensor(0), call.tensor(2), call.tensor(3)
    _scatter(call, source, index, values)
    one_order(source, values, call.out())
    one_order(source, index)
    default_order(source)


def _scatter(
    call: Call, source: Operand | None, index: Operand | None, values: Operand | None
) -> None:
    out = call.out()
    same_types(source, out, values)
    of_types({INT64}, index)
    at = axis(source, call.number(1))
    if source is not None and index is not None and values is not None and index.numel:
        ranks = {max(operand.rank, 1) for operand in (source, index, values)}
        need(len(ranks) == 1, "its tensors differ in rank")
        _no_larger(index, values, None)
        if at is not None:
            _no_larger(index, source, at)
            _has_rows(source, at, index.numel)
    resize(out, source.sizes if source is not None else None)
    of_types(REAL_OR_BOOL, source)


def index_select(call: Call) -> None:
    """index_select.out(self, dim, index, *, out)."""
    source, index, out = call.tensor(0), call.tensor(2), call.out()
    at = axis(source, call.number(1))
    if source is not None and source.rank:
        need(size_at(source, at) != 0, f"dimension {at} of {source.name} has no rows")
    same_types(source, out)
    of_types({INT32, INT64}, index)
    if index is not None:
        need(index.rank <= 1, f"{index.name} has {index.rank} dimensions")
    one_order(source, out)
    default_order(source)
    if source is not None and at is not None and index is not None:
        resize(out, [index.numel if d == at else s for d, s in enumerate(source.sizes)])


def select_scatter(call: Call) -> None:
    """select_scatter.out(self, src, dim, index, *, out)."""
    source, values, out = call.tensor(0), call.tensor(1), call.out()
    resize(out, source.sizes if source is not None else None)
    one_order(source, values, out)
    dim, index = call.number(2), call.number(3)
    if source is None or dim is None:
        return
    dim = dim + source.rank if dim < 0 else dim
    need(0 <= dim < source.rank, f"{source.name} has no dimension {dim}")
    same_types(source, out)
    rows = size_at(source, dim)
    if rows is not None and index is not None:
        need(-rows <= index < rows, f"dimension {dim} has {rows} rows, none at {index}")
    if values is not None:
        _has_sizes(values, (*source.sizes[:dim], *source.sizes[dim + 1 :]))
    if source.numel:
        of_types(REAL_OR_BOOL, source, values)


def slice_scatter(call: Call) -> None:
    """slice_scatter.out(self, src, dim, start, end, step, *, out)."""
    source, values, out = call.tensor(0), call.tensor(1), call.out()
    resize(out, source.sizes if source is not None else None)
    one_order(source, out)
    dim, step = call.number(2), call.number(5)
    if source is None or dim is None or not source.numel:
        return
    dim = dim + source.rank if dim < 0 else dim
    need(0 <= dim < source.rank, f"{source.name} has no dimension {dim}")
    need(None if step is None else step > 0, f"the step is {step}")
    same_types(source, out)
    length = slice_length(call, (3, 4), size_at(source, dim), step)
    if values is not None:
        _has_sizes(values, (*source.sizes[:dim], length, *source.sizes[dim + 1 :]))
    of_types(REAL_OR_BOOL, source, values)


def _has_sizes(operand: Operand, sizes: Sizes, *, cause: Cause = Cause.SHAPES) -> None:
    message = f"{operand.name} has the sizes {shown(operand.sizes)}, not {shown(sizes)}"
    need(operand.rank == len(sizes), message, cause=cause)
    for mine, wanted in zip(operand.sizes, sizes, strict=True):
        need(same(mine, wanted), message, cause=cause)


# -- several indices ------------------------------------------------------------------------------


def index(call: Call) -> None:
    """index.Tensor_out(self, indices, *, out)."""
    source, indices, out = call.tensor(0), call.optional_tensors(1), call.out()
    one_order(source, out)
    default_order(source)
    if source is None or indices is None:
        return
    _check_indices(source, indices, out)
    resize(out, _indexed(source, indices))
    given = [operand for operand in indices if operand is not None]
    if given and (out is None or not out.numel):
        return
    _have_rows(source, indices)
    if len(given) != 1 or given[0].dtype not in {INT32, INT64} or given[0].rank != 1:
        # A single row of indices is followed without a look at what is copied.
        of_types(REAL_OR_BOOL, source)


def _have_rows(source: Operand, indices: Sequence[Operand | None]) -> None:
    """There are rows in every dimension that indices point into."""
    at = 0
    for operand in indices:
        if operand is not None and not _is_mask(operand):
            _has_rows(source, at, operand.numel)
        at += operand.rank if operand is not None and _is_mask(operand) else 1


def index_put(call: Call) -> None:
    """index_put.out(self, indices, values, accumulate, *, out)."""
    source, values, out = call.tensor(0), call.tensor(2), call.out()
    indices = call.optional_tensors(1)
    if source is None or indices is None:
        return
    _check_indices(source, indices, out)
    same_types(source, values)
    one_order(source, out)
    default_order(source)
    broadcasts_to(values, _indexed(source, indices))
    resize(out, source.sizes)
    if source.numel or not any(indices):
        of_types(REAL_OR_BOOL, source)


def index_put_in_place(call: Call) -> None:
    """index_put_(self, indices, values, accumulate), which takes one index of one dimension."""
    source, indices, values = call.tensor(0), call.optional_tensors(1), call.tensor(2)
    same_types(source, values)
    one_order(source, values)
    default_order(source)
    need(call.flag(3) in (False, None), "in place it cannot accumulate", cause=_HERE)
    if source is None or indices is None:
        return
    need(len(indices) <= source.rank, f"{source.name} has no {len(indices)} dimensions to index")
    given = [n for n, operand in enumerate(indices) if operand is not None]
    need(len(given) == 1, f"in place it takes one index, not {len(given)}", cause=_HERE)
    dim = given[0]
    operand = indices[dim]
    if operand is None:
        return
    whole = operand.dtype in {INT32, INT64}
    need(whole and operand.rank == 1, "in place the index is one row of whole numbers", cause=_HERE)
    _has_rows(source, dim, operand.numel)
    if values is None:
        return
    need(dim < values.rank, f"{values.name} has no dimension {dim}", End.ABORT)
    wanted = (*source.sizes[:dim], operand.sizes[0], *source.sizes[dim + 1 :])
    _has_sizes(values, wanted, cause=_HERE)


def _is_mask(index: Operand | None) -> bool:
    return index is not None and index.dtype in {BOOL, UINT8}


def _check_indices(source: Operand, indices: list[Operand | None], out: Operand | None) -> None:
    """`check_index_args`: a mask covers as many dimensions as it has."""
    same_types(source, out)
    of_types({INT32, INT64, UINT8, BOOL}, *indices)
    need(len(indices) <= source.rank, f"{source.name} has no {len(indices)} dimensions to index")
    at = 0
    for operand in indices:
        covered = operand.rank if operand is not None and _is_mask(operand) else 1
        if operand is not None and _is_mask(operand):
            need(operand.rank > 0, f"{operand.name} is a mask without dimensions")
            need(at + operand.rank <= source.rank, "masks cover too many dimensions", End.UNCHECKED)
            for d, size in enumerate(operand.sizes, at):
                need(same(size, source.sizes[d]), f"{operand.name} does not cover {source.name}")
        at += covered
    need(at <= source.rank, "indices cover too many dimensions")


def _indexed(source: Operand, indices: list[Operand | None]) -> list[Size] | None:
    """The sizes of `self[indices]` (`get_index_out_target_size`).

    Indices in adjacent places put their sizes there, others in front.
    """
    given = [n for n, operand in enumerate(indices) if operand is not None]
    if not given:
        return list(source.sizes)
    found = [indices[n] for n in given]
    common = _common([_index_sizes(operand) for operand in found if operand is not None])
    adjacent = given[-1] - given[0] + 1 == len(given)
    kept: list[Size] = []
    at = 0
    for operand in indices:
        if operand is None:
            kept.append(source.sizes[at])
        at += operand.rank if operand is not None and _is_mask(operand) else 1
    kept += source.sizes[at:]
    place = given[0] if adjacent else 0
    return None if common is None else [*kept[:place], *common, *kept[place:]]


def _index_sizes(operand: Operand) -> Sizes:
    return (None,) if _is_mask(operand) else operand.sizes


def _common(shapes: list[Sizes]) -> list[Size] | None:
    """The sizes that indices broadcast to; None when that depends on the run."""
    result: list[Size] = [1] * max(len(sizes) for sizes in shapes)
    for sizes in shapes:
        for at, size in enumerate(sizes, len(result) - len(sizes)):
            have = result[at]
            if size is None or have is None:
                return None
            need(1 in {size, have} or size == have, "indices do not broadcast together")
            result[at] = size if have == 1 else have
    return result
