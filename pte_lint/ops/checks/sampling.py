"""What the kernels refuse that take pixels from places that are computed.

Sources: kernels/portable/cpu/op_grid_sampler_2d.cpp, util/grid_sampler_2d_util.cpp,
op_upsample_bilinear2d_aa.cpp and op_max_pool2d_with_indices_backward.cpp.
"""

from __future__ import annotations

from pte_lint.ops.checks.call import Call, End
from pte_lint.ops.checks.conditions import (
    default_order,
    int32,
    need,
    of_types,
    rank,
    resize,
    same,
    same_size,
    same_types,
    shown,
    size_at,
)
from pte_lint.ops.checks.pool import check_pool, has_pixels, pooled
from pte_lint.ops.promotion import FLOATING, INT64, REAL


def grid_sampler(call: Call) -> None:
    """grid_sampler_2d.out(input, grid, interpolation_mode, padding_mode, align_corners, *, out)."""
    source, grid, out = call.tensor(0), call.tensor(1), call.out()
    rank(source, 4)
    default_order(source)
    rank(grid, 4)
    size = size_at(grid, 3)
    need(None if size is None else size == 2, f"the grid has {size} coordinates")
    same_size(source, 0, grid, 0)
    same_types(source, grid)
    same_types(source, out)
    if source is not None and grid is not None:
        resize(out, (*source.sizes[:2], *grid.sizes[1:3]))
    for place, what in ((2, "interpolation"), (3, "padding")):
        mode = call.number(place)
        need(None if mode is None else int32(mode) in (0, 1, 2), f"the {what} mode is {mode}")
    of_types(REAL, source)


def smooth_upsample(call: Call) -> None:
    """_upsample_bilinear2d_aa.out(self, output_size, align_corners, scales_h, scales_w, *, out)."""
    source, out, sizes = call.tensor(0), call.out(), call.numbers(1)
    rank(source, 4)
    rank(out, 4)
    same_types(source, out)
    if sizes is not None:
        good = len(sizes) == 2 and min(sizes) > 0
        need(good, f"the output size is {shown(sizes)}")
    if source is None or out is None:
        return
    for d in (0, 1):
        same_size(out, d, source, d)
    for d, size in enumerate(sizes or (), 2):
        message = f"dimension {d} of {out.name} is {out.sizes[d]}, not {size}"
        need(same(out.sizes[d], size), message)
    of_types(REAL, source)
    has_pixels(source, out.sizes)


def max_pool_gradient(call: Call) -> None:
    """max_pool2d_with_indices_backward.grad_input(grad_output, self, ..., indices, *, out)."""
    given, source, out, indices = (call.tensor(0), call.tensor(1), call.out(), call.tensor(7))
    same_types(given, source)
    same_types(out, source)
    of_types({INT64}, indices)
    check_pool(call, source, given, first=2)
    result = pooled(call, source, call.numbers(5), call.flag(6), first=2)
    if given is not None and source is not None:
        need(given.rank == source.rank, f"{given.name} and {source.name} differ in rank")
    if given is not None and result is not None:
        message = f"{given.name} has the sizes {shown(given.sizes)}, not {shown(result)}"
        for mine, wanted in zip(given.sizes, result, strict=True):
            need(same(mine, wanted), message)
    resize(out, source.sizes if source is not None else None)
    of_types(FLOATING, source)
    if given is not None and indices is not None and given.numel:
        good = indices.numel is None or indices.numel >= given.numel
        need(good, f"{indices.name} has {indices.numel} elements", End.UNCHECKED)
        if out is not None:
            need(False, f"it adds to {out.name}, which it does not clear before", End.UNCHECKED)
