"""Patterns of kernels that move elements: permutations, indices, images."""

from __future__ import annotations

from pte_lint.ops.layouts.call import Misread, PlacedCall
from pte_lint.ops.layouts.flat import (
    ROW_MAJOR,
    Pattern,
    all_flat,
    disagreement,
    flat,
    same_dimensions,
)
from pte_lint.ops.layouts.placed import is_displaced, leads_astray


def insertion(call: PlacedCall) -> None:
    """unsqueeze_copy: the memory is copied as it is (op_unsqueeze_copy.cpp)."""
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


def one_known_order(call: PlacedCall) -> None:
    """_upsample_bilinear2d_aa: default or channels-last, read off the input for both tensors."""
    source, out = call.tensor(0), call.out()
    if source.is_uniform:
        return
    for tensor in (source, out):
        if not tensor.is_default and not tensor.is_channels_last:
            raise Misread(tensor, ROW_MAJOR)
    if leads_astray(out, source, same_dimensions(out)) and source.sizes == out.sizes:
        raise disagreement(out, source)
    if source.is_channels_last != out.is_channels_last and not (
        source.is_default and out.is_default
    ):
        raise disagreement(out, source)


def gradients(call: PlacedCall) -> None:
    """convolution_backward: gradients by the strides of what they are gradients of."""
    asked = call.numbers.bools(10) or (True, True, True)
    for number, position in ((0, 1), (1, 2)):
        if asked[number]:
            of, out = call.tensor(position), call.out(number)
            if of.sizes == out.sizes and leads_astray(out, of, same_dimensions(out)):
                raise disagreement(out, of)


def unfolding(call: PlacedCall) -> None:
    """unfold_copy: row-major; since 1.5 its checks let only the default order through."""
    source, out = call.tensor(0), call.out()
    flat(out, [source], (call.axis(1, source), out.rank - 1), same_dimensions(source))
