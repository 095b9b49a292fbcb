"""Nodes of XNNPACK graphs that move elements.

Facts: XNNPACK's src/subgraph/{concatenate,copy,static-constant-pad,static-slice,static-transpose}.c
and src/subgraph/reshape-helpers.c.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import torch
from torch.nn import functional

from pte_lint.harness.reference.xnnpack.constants import NotComputed
from pte_lint.harness.reference.xnnpack.known import Known
from pte_lint.schema.xnnpack_nodes import Cat, Node1x1, Pad, Reshape, Slice, Transpose


def copy(node: Node1x1, known: Known) -> torch.Tensor:
    """The same again."""
    return known.numbers(node.input_id)


def reshape(node: Reshape, known: Known) -> torch.Tensor:
    """Other sizes, of which one may be 0: what is left for it."""
    x, sizes = known.numbers(node.input_id), list(node.new_shape or ())
    left = x.numel() // max(prod(size for size in sizes if size), 1)
    return x.reshape([size or left for size in sizes])


def transpose(node: Transpose, known: Known) -> torch.Tensor:
    """Dimensions in another order."""
    return known.numbers(node.input_id).permute(node.perm or ())


def cut(node: Slice, known: Known) -> torch.Tensor:
    """A part; a size of 0 is all that is left."""
    x, offsets, sizes = known.numbers(node.input_id), node.offsets or (), node.sizes or ()
    if not x.dim() == len(offsets) == len(sizes):
        raise NotComputed("a slice of other dimensions than its input's is not known")
    for dim, (offset, size) in enumerate(zip(offsets, sizes, strict=True)):
        left = max(x.shape[dim] - offset, 0)
        x = x.narrow(dim, min(offset, x.shape[dim]), min(size, left) if size else left)
    return x


def pad(node: Pad, known: Known) -> torch.Tensor:
    """A constant around."""
    x = known.numbers(node.input_id)
    before, after = node.pre_paddings or (), node.post_paddings or ()
    sides = [side for pair in list(zip(before, after, strict=False))[: x.dim()] for side in pair]
    pairs = [sides[i : i + 2] for i in range(0, len(sides), 2)] + [[0, 0]] * x.dim()
    last_first = [side for pair in reversed(pairs[: x.dim()]) for side in pair]
    return functional.pad(x, last_first, value=node.padding_value)


def concatenate(count: int) -> Callable[[Cat, Known], torch.Tensor]:
    """So many values in a row."""

    def compute(node: Cat, known: Known) -> torch.Tensor:
        ids = (node.input1_id, node.input2_id, node.input3_id, node.input4_id, node.input5_id)
        axis = node.axis if node.axis < 1 << 31 else node.axis - (1 << 32)
        return torch.cat(known.alike(*ids[:count]), axis)

    return compute
