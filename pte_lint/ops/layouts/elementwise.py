"""Patterns of kernels that work element by element, with and without broadcasting."""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.ops.checks.broadcast_path import Path, path, trimmed
from pte_lint.ops.layouts.call import Misread, PlacedCall
from pte_lint.ops.layouts.flat import BROADCAST, disagreement, flat
from pte_lint.ops.layouts.placed import Placed, aligned, leads_astray


def elementwise(call: PlacedCall) -> None:
    """Tensors of one size are taken element by element in memory, others are broadcast.

    When any size differs, `BroadcastIndexesRange` (util/broadcast_indexes_range.h) reads inputs by
    their strides, but takes the output as row-major.
    """
    _broadcast(call, call.inputs(), strided=True)


def arithmetic(call: PlacedCall) -> None:
    """add, sub, mul, div: optimised paths that take broadcast inputs as row-major, too.

    Which of them is taken is told by `pte_lint.ops.checks.broadcast_path`.
    """
    left, right, out = call.tensor(0), call.tensor(1), call.out()
    way = path((left.sizes, right.sizes, out.sizes), (left.dtype, right.dtype, out.dtype))
    _broadcast(call, [left, right], strided=way is Path.PORTABLE)


def _broadcast(call: PlacedCall, inputs: Sequence[Placed], *, strided: bool) -> None:
    out = call.out()
    live = [each for each in inputs if not each.is_uniform]
    if not out.numel:
        return
    repeats = any(trimmed(each.sizes) != trimmed(out.sizes) for each in inputs)
    for each in live:
        if leads_astray(out, each, aligned(each, out), strided=strided and repeats):
            if not repeats:
                raise disagreement(out, each)
            odd = next(t for t in (*live, out) if not t.is_default)
            raise Misread(odd, BROADCAST)


def by_position(call: PlacedCall) -> None:
    """Element by element in memory: input and output must lie alike.

    kernels/quantized/cpu/op_quantize.cpp, op_dequantize.cpp; copies of whole tensors.
    """
    flat(call.out(), [call.tensor(0)])
