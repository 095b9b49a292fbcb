"""Nodes of XNNPACK graphs that look at images, [batch, height, width, channels], through windows.

Facts: XNNPACK's src/operators/average-pooling-nhwc.c (padding is not counted),
max-pooling-nhwc.c, src/subgraph/deprecated.c (global averages) and src/indirection.c (resizing).
"""

from __future__ import annotations

import torch
from torch.nn import functional

from pte_lint.harness.reference.xnnpack.constants import NotComputed
from pte_lint.harness.reference.xnnpack.known import Known
from pte_lint.schema.xnnpack_nodes import Node1x1, Pooling, Resize

_SAME_PADDING = 4
_LEGACY, _ALIGNED = 4, 8
_KEEP_DIMS = 0x40


def max_pooling(node: Pooling, known: Known) -> torch.Tensor:
    """The largest of each window; padding is less than all."""
    images = _padded(node, _images(node, known), -torch.inf)
    found = functional.max_pool2d(
        images,
        (node.pooling_height, node.pooling_width),
        (node.stride_height, node.stride_width),
        dilation=(node.dilation_height, node.dilation_width),
    )
    return found.permute(0, 2, 3, 1)


def average_pooling(node: Pooling, known: Known) -> torch.Tensor:
    """The mean of those elements of each window that are in the image."""
    images = _images(node, known)
    window = (node.pooling_height, node.pooling_width)
    steps = (node.stride_height, node.stride_width)
    sums = functional.avg_pool2d(_padded(node, images, 0.0), window, steps)
    shares = functional.avg_pool2d(_padded(node, torch.ones_like(images), 0.0), window, steps)
    return (sums / shares).permute(0, 2, 3, 1)


def global_average(node: Node1x1, known: Known) -> torch.Tensor:
    """The mean over the third and second last of the dimensions that the graph was made with."""
    x, rank = known.numbers(node.input_id), len(known.place(node.input_id).sizes)
    return x.mean((rank - 3, rank - 2), keepdim=bool(node.flags & _KEEP_DIMS))


def resize(node: Resize, known: Known) -> torch.Tensor:
    """Resizing with weights for the two nearest rows and columns."""
    x = known.numbers(node.input_id)
    rows = _mixed(x, 1, node.new_height, node.flags)
    return _mixed(rows, 2, node.new_width, node.flags)


def _mixed(x: torch.Tensor, dim: int, made: int, flags: int) -> torch.Tensor:
    have = x.shape[dim]
    at = torch.arange(made, dtype=torch.float32)
    if flags & _ALIGNED and made > 1:
        at = at * ((have - 1) / (made - 1))
    elif flags & (_LEGACY | _ALIGNED):
        at = at * (have / made)
    else:
        at = ((at + 0.5) * (have / made) - 0.5).clamp(0, have - 1)
    low = at.floor().long().clamp(max=have - 1)
    high = (low + 1).clamp(max=have - 1)
    shape = [1] * x.dim()
    shape[dim] = made
    share = (at - low).to(x.dtype).reshape(shape)
    first, second = x.index_select(dim, low), x.index_select(dim, high)
    return first + (second - first) * share


def _images(node: Pooling, known: Known) -> torch.Tensor:
    x = known.numbers(node.input_id)
    if x.dim() != 4:
        raise NotComputed(f"a pooling of {x.dim()} dimensions is not known")
    if node.flags & _SAME_PADDING:
        raise NotComputed("padding that the backend works out is not known")
    return x.permute(0, 3, 1, 2)


def _padded(node: Pooling, images: torch.Tensor, filling: float) -> torch.Tensor:
    sides = (node.padding_left, node.padding_right, node.padding_top, node.padding_bottom)
    return functional.pad(images, sides, value=filling)
