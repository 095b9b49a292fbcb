"""Patterns of kernels that step through memory along dimensions (util/reduce_util.h)."""

from __future__ import annotations

from collections.abc import Collection

from pte_lint.ops.layouts.call import Misread, PlacedCall
from pte_lint.ops.layouts.flat import ROW_MAJOR, Pattern, flat
from pte_lint.ops.layouts.placed import Placed, element_count, leads_astray


def reduction(dims: int | None, *, single: bool = False) -> Pattern:
    """Reads its input by strides and takes its output as row-major (util/reduce_util.h).

    Args:
        dims: position of the dimensions; None for those of an operator over all of the input.
        single: whether that is one number rather than a list.
    """

    def judge(call: PlacedCall) -> None:
        source = call.tensor(0)
        if source.is_uniform or not source.numel:
            return
        reduced = set(range(source.rank))
        if call.operator == "aten::any.dims_out" and call.numbers.numbers(1) == ():
            flat(call.out(), [source])
            return
        if dims is not None and not (single and call.numbers.is_none(dims)):
            reduced = {call.axis(dims, source)} if single else set(call.axes(dims, source))
        elif single and call.operator.startswith("aten::arg") and not source.is_default:
            # Without a dimension the answer is a position in memory (argmax, argmin).
            raise Misread(source, ROW_MAJOR)
        if call.operator == "aten::var.correction_out" and _is_undefined(call, source, reduced):
            return
        for out in call.outs():
            kept = [d for d in range(source.rank) if out.rank == source.rank or d not in reduced]
            match = dict(enumerate(kept))
            if leads_astray(out, source, match, strided=True):
                raise Misread(out, ROW_MAJOR, source)
        if not single and call.numbers.numbers(dims or 0):
            _carry(call, source, reduced)

    return judge


def _is_undefined(call: PlacedCall, source: Placed, reduced: Collection[int]) -> bool:
    """Whether a variance is NaN everywhere: of no more elements than the correction."""
    count = element_count([source.sizes[d] for d in reduced])
    correction = call.numbers.scalar(2)
    return count <= (1 if correction is None else correction)


def _carry(call: PlacedCall, source: Placed, dims: Collection[int]) -> None:
    """Until 1.4 a step back along one dimension was the stride of the dimension before it.

    `apply_on_flat_ix_with_dim_mask_and_base` (util/reduce_util.h); it comes to that where several
    dimensions are named.
    """
    strides = source.strides
    steps = sorted(dims)[1:]
    if all(strides[d - 1] == source.sizes[d] * strides[d] for d in steps):
        return
    if not call.since("1.5"):
        raise Misread(source, "until 1.4 loses its way in {tensor}")


def by_channel(call: PlacedCall) -> None:
    """dequantize_per_channel: all dimensions but one are stepped over for each channel."""
    source, out = call.tensor(0), call.out()
    flat(out, [source])
    if not source.is_uniform and source.rank:
        axis = call.axis(3, source)
        _carry(call, source, [d for d in range(source.rank) if d != axis])


def quantised_by_channel(call: PlacedCall) -> None:
    """quantize_per_channel: the channel follows from the position in memory."""
    source, out = call.tensor(0), call.out()
    flat(out, [source], (call.axis(3, source),) if source.rank else ())


def softmax(call: PlacedCall) -> None:
    """_softmax: steps by the stride of its dimension, but counts pieces as if row-major.

    `apply_over_dim` (util/reduce_util.h): with a stride that is too large it leaves the tensor.
    """
    source, out = call.tensor(0), call.out()
    dim = call.axis(1, source)
    if source.rank and source.numel:
        # Strides count even where the dimension has one element.
        true, flat_stride = source.strides[dim], source.row_major[dim]
        if true != flat_stride:
            how = "walks past {tensor}" if true > flat_stride else "leaves out parts of {tensor}"
            raise Misread(source, how, outside=true > flat_stride)
    if source.rank and source.sizes[dim] == 1:
        return  # a single one is certain, whatever it is
    flat(out, [source], (dim,))


def top(call: PlacedCall) -> None:
    """topk: as `softmax`, with outputs that are as long as asked for."""
    softmax_like = call.tensor(0)
    dim = call.axis(2, softmax_like)
    source = softmax_like
    if source.numel and source.sizes and source.sizes[dim] > 1:
        true, flat_stride = source.strides[dim], source.row_major[dim]
        if true != flat_stride:
            how = "walks past {tensor}" if true > flat_stride else "leaves out parts of {tensor}"
            raise Misread(source, how, outside=true > flat_stride)
    for out in call.outs():
        flat(out, [source], (dim,))
