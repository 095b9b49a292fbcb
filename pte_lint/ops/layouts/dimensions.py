"""Patterns of kernels that take tensors as row-major and work along some dimensions."""

from __future__ import annotations

from pte_lint.ops.layouts.call import Misread, PlacedCall, Unknown
from pte_lint.ops.layouts.flat import (
    ROW_MAJOR,
    Pattern,
    all_flat,
    disagreement,
    flat,
    same_dimensions,
    together,
)
from pte_lint.ops.layouts.placed import is_displaced, leads_astray


def along(position: int) -> Pattern:
    """Flat kernels with one dimension: cumsum, _log_softmax; `position` is where it stands."""

    def judge(call: PlacedCall) -> None:
        source = call.tensor(0)
        dim = call.axis(position, source)
        if call.operator == "aten::_log_softmax.out" and source.rank and source.sizes[dim] == 1:
            return  # a single one is certain, whatever it is
        flat(call.out(), [source], (dim,))

    return judge


def pieces(position: int) -> Pattern:
    """Flat kernels that copy parts along one dimension: slice_copy, narrow_copy, split_copy."""

    def judge(call: PlacedCall) -> None:
        source = call.tensor(0)
        dim = call.axis(position, source)
        for out in call.outs():
            flat(out, [source], () if out.sizes == source.sizes else (dim,))

    return judge


def slice_scatter(call: PlacedCall) -> None:
    """slice_scatter: a copy of the tensor, then rows of another one over parts of it."""
    source, rows_of, out = call.tensor(0), call.tensor(1), call.out()
    dim = call.axis(2, source)
    if rows_of.sizes == source.sizes:
        flat(out, [rows_of])
        return
    for tensor in (out, rows_of):
        if is_displaced(tensor, (dim,)) and tensor.numel and not tensor.is_uniform:
            raise Misread(tensor, ROW_MAJOR)
    flat(out, [source, rows_of], (dim,))


def concatenation(call: PlacedCall) -> None:
    """cat: pieces of all inputs one after the other (kernels/portable/cpu/op_cat.cpp)."""
    out = call.out()
    pieces = [piece for piece in call.list_at(0) if piece is not None and piece.numel]
    dim = call.axis(1, out)
    alone = len(pieces) == 1
    flat(out, [piece for piece in pieces if piece.rank == out.rank], () if alone else (dim,))


def halves(call: PlacedCall) -> None:
    """glu: both halves by strides, the output as row-major."""
    source, out = call.tensor(0), call.out()
    if not source.is_uniform and leads_astray(out, source, same_dimensions(out), strided=True):
        raise Misread(out, ROW_MAJOR, source)


def reversal(call: PlacedCall) -> None:
    """flip: dimensions that are turned round together may lie as they like among themselves."""
    source, out = call.tensor(0), call.out()
    dims = call.numbers.numbers(1)
    if dims is None:
        raise Unknown
    turned = {d + source.rank if d < 0 else d for d in dims}
    together(out, [source], turned)


def rotation(call: PlacedCall) -> None:
    """roll: each dimension that moves is worked along."""
    source, out = call.tensor(0), call.out()
    shifts, dims = call.numbers.numbers(1), call.numbers.numbers(2)
    if shifts is None or dims is None:
        raise Unknown
    total: dict[int, int] = {}
    for shift, dim in zip(shifts, dims, strict=False):
        d = dim + source.rank if dim < 0 else dim
        total[d] = total.get(d, 0) + shift
    if any(not 0 <= d < source.rank for d in total):
        raise Unknown
    moved = {d for d, shift in total.items() if source.sizes[d] and shift % source.sizes[d]}
    flat(out, [source], moved)


def padding(call: PlacedCall) -> None:
    """constant_pad_nd: two numbers a dimension, the last dimension first."""
    source, out = call.tensor(0), call.out()
    pad = call.numbers.numbers(1)
    if pad is None:
        raise Unknown
    padded = {source.rank - 1 - n // 2 for n, count in enumerate(pad) if count}
    if not padded:
        flat(out, [source])
        return
    # What is filled in differs from the content, even where that is all the same.
    for tensor in (out, source):
        for dim in padded:
            if is_displaced(tensor, (dim,)) and not tensor.is_uniform:
                raise Misread(tensor, ROW_MAJOR)
    flat(out, [source], padded)


def last(count: int, *positions: int) -> Pattern:
    """Flat kernels that work along the last dimensions: pads, pooling backwards, pixel_unshuffle.

    Args:
        count: how many dimensions.
        positions: of the tensors that are read; the first one by default.
    """

    def judge(call: PlacedCall) -> None:
        inputs = [call.tensor(n) for n in positions or (0,)]
        for out in call.outs():
            flat(out, inputs, range(out.rank - count, out.rank))

    return judge


def layer_norm(call: PlacedCall) -> None:
    """native_layer_norm: rows of memory are normalised, weights and biases go with positions."""
    source, out = call.tensor(0), call.out()
    shape = call.numbers.numbers(1)
    if shape is None:
        raise Unknown
    first = source.rank - len(shape)
    normalised = range(first, source.rank)
    together(out, [source], normalised)
    for position in (2, 3):
        if call.has_tensor(position):
            weight = call.tensor(position)
            match = {d: d - first for d in normalised}
            if not weight.is_uniform and leads_astray(out, weight, match, range(first)):
                raise disagreement(out, weight)


def rows(*whole: int) -> Pattern:
    """Rows along the last dimension of the first tensor; the tensors at `whole` entirely.

    linear, and the quantised kernels that work by token.
    """

    def judge(call: PlacedCall) -> None:
        source, out = call.tensor(0), call.out()
        all_flat(*(call.tensor(n) for n in whole if call.has_tensor(n)))
        if source.is_uniform or not out.numel:
            return
        flat(out, [source], (out.rank - 1,))

    return judge


def table_rows(call: PlacedCall) -> None:
    """Quantised embeddings: the table as row-major, a row for each index where that lies."""
    all_flat(*(call.tensor(n) for n in range(3) if call.has_tensor(n)))
    indices, out = call.tensor(5), call.out()
    if not out.numel or out.is_uniform:
        return
    if out.rank != indices.rank + 1:
        raise Unknown
    if is_displaced(out, (indices.rank,)):
        raise Misread(out, ROW_MAJOR)
    flat(out, [indices], (indices.rank,), same_dimensions(indices))


def batches(call: PlacedCall) -> None:
    """bmm: matrices of a batch, each as row-major."""
    tensors = [call.tensor(0), call.tensor(1), call.out()]
    for tensor in tensors:
        for dim in (1, 2):
            if is_displaced(tensor, (dim,)):
                raise Misread(tensor, ROW_MAJOR)
