"""How kernels find their way through memory, and when that leads them astray.

A pattern looks at one call and raises `Misread` where the kernel takes a tensor for something else
than it is. `flat` kernels take every tensor as row-major; such a call is right all the same where
the dimensions that the operator works along lie as in the default order and the others are
permuted in the same way in all tensors: they only number independent pieces then. Sources: the
kernels of kernels/portable/cpu, kernels/optimized/cpu and kernels/quantized/cpu named at each
pattern, and measurements (docs/values.md).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from pte_lint.kernels.checks.broadcast_path import Path, path, trimmed
from pte_lint.kernels.layouts.call import Misread, OrderRefused, PlacedCall, Unknown
from pte_lint.kernels.layouts.placed import (
    Match,
    Placed,
    aligned,
    is_displaced,
    leads_astray,
)

Pattern = Callable[[PlacedCall], None]

ROW_MAJOR = "takes {tensor} as row-major"
BROADCAST = "broadcasts its tensors as if all were row-major, and {tensor} is not"
BY_POSITION = "takes elements of {tensor} and {other} by their position in memory"


def _same(tensor: Placed) -> Match:
    return {d: d for d in range(tensor.rank)}


def flat(
    anchor: Placed,
    others: Sequence[Placed],
    active: Collection[int] = (),
    match: Match | None = None,
) -> None:
    """All tensors are taken as row-major; the operator works along `active` dimensions.

    Args:
        anchor: the tensor that is walked over; its other dimensions number the pieces.
        others: the tensors that go with it, of the same rank unless `match` says otherwise.
        active: dimensions, the same in all tensors; each is worked along on its own.
        match: dimensions of the others by those of the anchor, but for active ones.
    """
    live = [other for other in others if not other.is_uniform]
    if not live or anchor.numel == 0:
        return
    for tensor in (anchor, *live):
        for dim in active:
            if dim < tensor.rank and is_displaced(tensor, (dim,)):
                raise Misread(tensor, ROW_MAJOR)
    for other in live:
        pairs = match if match is not None else _same(anchor)
        if leads_astray(anchor, other, pairs, active):
            raise _misread(anchor, other)


def _misread(anchor: Placed, other: Placed) -> Misread:
    """Names the tensor that is out of order; both where they only disagree."""
    if other.is_default and not anchor.is_default:
        return Misread(anchor, BY_POSITION, other)
    return Misread(other, BY_POSITION, anchor)


def all_flat(*tensors: Placed) -> None:
    """Every dimension matters: no tensor may be in another order than the default."""
    for tensor in tensors:
        if not tensor.is_default and not tensor.is_uniform:
            raise Misread(tensor, ROW_MAJOR)


# -- elementwise ------------------------------------------------------------------------------


def elementwise(call: PlacedCall) -> None:
    """Tensors of one size are taken element by element in memory, others are broadcast.

    When any size differs, `BroadcastIndexesRange` (util/broadcast_indexes_range.h) reads inputs by
    their strides, but takes the output as row-major.
    """
    _broadcast(call, call.inputs(), strided=True)


def arithmetic(call: PlacedCall) -> None:
    """add, sub, mul, div: optimised paths that take broadcast inputs as row-major, too.

    Which of them is taken is told by `pte_lint.kernels.checks.broadcast_path`.
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
        match = {there: here for here, there in aligned(each, out).items()}
        if leads_astray(out, each, match, strided=strided and repeats):
            if not repeats:
                raise _misread(out, each)
            odd = next(t for t in (*live, out) if not t.is_default)
            raise Misread(odd, BROADCAST)


def by_position(call: PlacedCall) -> None:
    """Element by element in memory: input and output must lie alike.

    kernels/quantized/cpu/op_quantize.cpp, op_dequantize.cpp; copies of whole tensors.
    """
    flat(call.out(), [call.tensor(0)])


# -- reductions -------------------------------------------------------------------------------


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
        for out in call.outs():
            kept = [d for d in range(source.rank) if out.rank == source.rank or d not in reduced]
            match = dict(enumerate(kept))
            if leads_astray(out, source, match, strided=True):
                raise Misread(out, ROW_MAJOR, source)
        if not single and call.numbers.numbers(dims or 0):
            _carry(call, source, reduced)

    return judge


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


# -- along dimensions -------------------------------------------------------------------------


def along(position: int) -> Pattern:
    """Flat kernels with one dimension: cumsum, _log_softmax; `position` is where it stands."""

    def judge(call: PlacedCall) -> None:
        source = call.tensor(0)
        flat(call.out(), [source], (call.axis(position, source),))

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
    if not source.is_uniform and leads_astray(out, source, _same(out), strided=True):
        raise Misread(out, ROW_MAJOR, source)


def softmax(call: PlacedCall) -> None:
    """_softmax: steps by the stride of its dimension, but counts pieces as if row-major.

    `apply_over_dim` (util/reduce_util.h): with a stride that is too large it leaves the tensor.
    """
    source, out = call.tensor(0), call.out()
    dim = call.axis(1, source)
    if source.rank and source.numel and source.sizes[dim] > 1:
        true, flat_stride = source.strides[dim], source.row_major[dim]
        if true != flat_stride:
            how = "walks past {tensor}" if true > flat_stride else "leaves out parts of {tensor}"
            raise Misread(source, how, outside=true > flat_stride)
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


def reversal(call: PlacedCall) -> None:
    """flip: dimensions that are turned round together may lie as they like among themselves."""
    source, out = call.tensor(0), call.out()
    dims = call.numbers.numbers(1)
    if dims is None:
        raise Unknown
    turned = {d + source.rank if d < 0 else d for d in dims}
    _together(out, [source], turned)


def _together(anchor: Placed, others: Sequence[Placed], group: Collection[int]) -> None:
    """Flat, for an operator that does not tell the dimensions of a group from each other."""
    live = [other for other in others if not other.is_uniform]
    if not live or not anchor.numel:
        return
    for tensor in (anchor, *live):
        if is_displaced(tensor, group):
            raise Misread(tensor, ROW_MAJOR)
    rest = set(range(anchor.rank)) - set(group)
    for other in live:
        pairs = _same(anchor)
        if leads_astray(anchor, other, pairs, group) or leads_astray(anchor, other, pairs, rest):
            raise _misread(anchor, other)


def rotation(call: PlacedCall) -> None:
    """roll: each dimension that moves is worked along."""
    source, out = call.tensor(0), call.out()
    shifts, dims = call.numbers.numbers(1), call.numbers.numbers(2)
    if shifts is None or dims is None:
        raise Unknown
    total: dict[int, int] = {}
    for shift, d in zip(shifts, dims, strict=False):
        d = d + source.rank if d < 0 else d
        total[d] = total.get(d, 0) + shift
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
    _together(out, [source], normalised)
    for position in (2, 3):
        if call.has_tensor(position):
            weight = call.tensor(position)
            match = {d: d - first for d in normalised}
            if not weight.is_uniform and leads_astray(out, weight, match, range(first)):
                raise _misread(out, weight)


# -- rearranging ------------------------------------------------------------------------------


def insertion(call: PlacedCall) -> None:
    """unsqueeze_copy: the memory is copied as it is (kernels/portable/cpu/op_unsqueeze_copy.cpp)."""
    source, out = call.tensor(0), call.out()
    at = call.axis(1, out)
    match = {d: d - (d > at) for d in range(out.rank) if d != at}
    flat(out, [source], (), match)


def permutation(call: PlacedCall) -> None:
    """permute_copy: input and output as row-major."""
    source, out = call.tensor(0), call.out()
    dims = call.axes(1, source)
    flat(out, [source], (), dict(enumerate(dims)))


def transposition(call: PlacedCall) -> None:
    """transpose_copy, t_copy: the input by strides, the output as row-major."""
    source, out = call.tensor(0), call.out()
    match = dict(enumerate(range(source.rank)))
    if source.rank > 1:
        a, b = (0, 1)
        if call.operator != "aten::t_copy.out":
            a, b = call.axis(1, source), call.axis(2, source)
        match[a], match[b] = b, a
    if not source.is_uniform and leads_astray(out, source, match, strided=True):
        raise Misread(out, ROW_MAJOR, source)


# -- indices ----------------------------------------------------------------------------------


def gather(call: PlacedCall) -> None:
    """gather: tensor, index and output as row-major, along one dimension."""
    source, index, out = call.tensor(0), call.tensor(2), call.out()
    if source.is_uniform or not source.rank:
        return
    dim = call.axis(1, source)
    flat(out, [source, index], (dim,))
    if is_displaced(index, (dim,)):
        raise Misread(index, ROW_MAJOR)


def scatter(call: PlacedCall) -> None:
    """scatter: a copy of the tensor, then as `gather`."""
    source, index, out = call.tensor(0), call.tensor(2), call.out()
    flat(out, [source])
    if not source.rank:
        return
    dim = call.axis(1, source)
    others = [out, *([call.tensor(3)] if call.has_tensor(3) else ())]
    flat(index, others, (dim,))


def masks(position: int) -> Pattern:
    """index, index_put: masks among the indices as row-major; the rest by strides."""

    def judge(call: PlacedCall) -> None:
        for index in call.list_at(position):
            if index is not None and index.dtype in (0, 11):
                all_flat(index)

    return judge


def everything(call: PlacedCall) -> None:
    """Every tensor as row-major, along all dimensions."""
    all_flat(*call.inputs(), *call.outs())


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


def batches(call: PlacedCall) -> None:
    """bmm: matrices of a batch, each as row-major."""
    tensors = [call.tensor(0), call.tensor(1), call.out()]
    for tensor in tensors:
        for dim in (1, 2):
            if is_displaced(tensor, (dim,)):
                raise Misread(tensor, ROW_MAJOR)


# -- images -----------------------------------------------------------------------------------


def one_known_order(call: PlacedCall) -> None:
    """_upsample_bilinear2d_aa: default or channels-last, read off the input for both tensors."""
    source, out = call.tensor(0), call.out()
    if source.is_uniform:
        return
    if not source.is_default and not source.is_channels_last:
        raise Misread(source, ROW_MAJOR)
    if leads_astray(out, source, _same(out)) and source.sizes == out.sizes:
        raise _misread(out, source)
    if source.is_channels_last != out.is_channels_last and not (
        source.is_default and out.is_default
    ):
        raise _misread(out, source)


def gradients(call: PlacedCall) -> None:
    """convolution_backward: gradients by the strides of what they are gradients of."""
    asked = call.numbers.bools(10) or (True, True, True)
    for number, position in ((0, 1), (1, 2)):
        if asked[number]:
            of, out = call.tensor(position), call.out(number)
            if of.sizes == out.sizes and leads_astray(out, of, _same(out)):
                raise _misread(out, of)


# -- refusals ---------------------------------------------------------------------------------


def need_default(*positions: int) -> Pattern:
    """Tensors at these positions must be in the default order (`tensor_is_default_dim_order`).

    Orders count as they are written down, whatever the sizes.
    """

    def judge(call: PlacedCall) -> None:
        for tensor in (call.tensor(n) for n in positions if call.has_tensor(n)):
            if tensor.order != tuple(range(tensor.rank)):
                raise OrderRefused(tensor, "only the default order")

    return judge


def need_one_order(*positions: int, outs: bool = True) -> Pattern:
    """All in the default order or all channels-last (`tensors_have_same_dim_order`)."""

    def judge(call: PlacedCall) -> None:
        tensors = [call.tensor(n) for n in positions if call.has_tensor(n)]
        tensors += call.outs() if outs else []
        plain = all(each.order == tuple(range(each.rank)) for each in tensors)
        if plain or all(each.is_channels_last for each in tensors):
            return
        odd = next(each for each in tensors if each.order != tuple(range(each.rank)))
        raise OrderRefused(odd, "its tensors all in the default order, or all channels-last")

    return judge


def need_known_order(*positions: int) -> Pattern:
    """Each in the default order or channels-last (`tensor_is_default_or_channels_last_...`)."""

    def judge(call: PlacedCall) -> None:
        tensors = [call.tensor(n) for n in positions if call.has_tensor(n)]
        for tensor in (*tensors, *call.outs()):
            if tensor.order != tuple(range(tensor.rank)) and not tensor.is_channels_last:
                raise OrderRefused(tensor, "only the default order and channels-last")

    return judge


def both(*patterns: Pattern) -> Pattern:
    """Several patterns, in the order in which the kernel meets them."""

    def judge(call: PlacedCall) -> None:
        for pattern in patterns:
            pattern(call)

    return judge
