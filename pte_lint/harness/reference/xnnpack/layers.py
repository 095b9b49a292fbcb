"""Nodes of XNNPACK graphs that multiply by weights: layers, convolutions, matrix products.

Images are [batch, height, width, channels], weights of convolutions [output channels, height,
width, input channels], of depthwise ones [1, height, width, channels]. XNNPACK takes as many
weights as a node says, whatever sizes they have. Facts: XNNPACK's src/subgraph/{fully-connected,
convolution-2d,depthwise-convolution-2d,deconvolution-2d,batch-matrix-multiply}.c and src/packing.c.
"""

from __future__ import annotations

from math import prod

import torch
from torch.nn import functional

from pte_lint.harness.reference.xnnpack.constants import NotComputed
from pte_lint.harness.reference.xnnpack.known import Known
from pte_lint.harness.reference.xnnpack.values import wide
from pte_lint.schema.xnnpack_nodes import Convolution, FullyConnected, Node2x1
from pte_lint.schema.xnnpack_values import NO_ID, Dtype

_TRANSPOSED = 1
_SAME_PADDING = 4


def fully_connected(node: FullyConnected, known: Known) -> torch.Tensor:
    """Rows times weights, which are [outputs, inputs] or the other way round."""
    x, weights = known.numbers(node.input1_id), _weights(node, known)
    if weights.dim() != 2:
        raise NotComputed(f"weights of sizes {list(weights.shape)} are not known")
    is_turned = bool(node.flags & _TRANSPOSED)
    x, weights = wide(x, weights.T if is_turned else weights)
    return _biased(x @ weights.T, node, known, 1 if is_turned else 0)


def matrix_product(node: Node2x1, known: Known) -> torch.Tensor:
    """Matrices of equal batches."""
    a, b = known.alike(node.input1_id, node.input2_id)
    return a @ (b.transpose(-1, -2) if node.flags & _TRANSPOSED else b)


def convolution(node: Convolution, known: Known) -> torch.Tensor:
    """A convolution, grouped or not."""
    filters = node.groups * node.group_output_channels
    size = (filters, node.kernel_height, node.kernel_width, node.group_input_channels)
    weights = _shaped(_weights(node, known), size).permute(0, 3, 1, 2)
    return _convolved(node, known, weights, 0)


def depthwise(node: Convolution, known: Known) -> torch.Tensor:
    """A convolution of each channel by itself."""
    if not node.group_input_channels:
        raise NotComputed("a depthwise convolution has no input channels")
    filters = node.groups * (node.group_output_channels // node.group_input_channels)
    size = (1, node.kernel_height, node.kernel_width, filters)
    weights = _shaped(_weights(node, known), size).permute(3, 0, 1, 2)
    return _convolved(node, known, weights, -1)


def transposed(node: Convolution, known: Known) -> torch.Tensor:
    """A transposed convolution: all of what it gives, less the padding."""
    groups, made, taken = node.groups, node.group_output_channels, node.group_input_channels
    size = (groups, made, node.kernel_height, node.kernel_width, taken)
    weights = _shaped(_weights(node, known), size).permute(0, 4, 1, 2, 3)
    weights = weights.reshape(groups * taken, made, node.kernel_height, node.kernel_width)
    x, weights = wide(_images(known.numbers(node.input1_id)), weights)
    whole = functional.conv_transpose2d(
        x,
        weights,
        stride=(node.subsampling_height, node.subsampling_width),
        dilation=(node.dilation_height, node.dilation_width),
        groups=groups,
    )
    more = (0, node.adjustment_width, 0, node.adjustment_height)
    cut = (-node.padding_left, -node.padding_right, -node.padding_top, -node.padding_bottom)
    made_images = functional.pad(functional.pad(whole, more), cut)
    return _biased(made_images.permute(0, 2, 3, 1), node, known, 0)


def _convolved(
    node: Convolution, known: Known, weights: torch.Tensor, channels: int
) -> torch.Tensor:
    if node.flags & _SAME_PADDING:
        raise NotComputed("padding that the backend works out is not known")
    x, weights = wide(_images(known.numbers(node.input1_id)), weights)
    sides = (node.padding_left, node.padding_right, node.padding_top, node.padding_bottom)
    images = functional.conv2d(
        functional.pad(x, sides),
        weights,
        stride=(node.subsampling_height, node.subsampling_width),
        dilation=(node.dilation_height, node.dilation_width),
        groups=node.groups,
    )
    return _biased(images.permute(0, 2, 3, 1), node, known, channels)


def _images(x: torch.Tensor) -> torch.Tensor:
    if x.dim() != 4:
        raise NotComputed(f"a convolution of {x.dim()} dimensions is not known")
    return x.permute(0, 3, 1, 2)


def _weights(node: Convolution | FullyConnected, known: Known) -> torch.Tensor:
    """Weights as the kernel takes them: those of float16 calls are rounded to float16."""
    weights = known.numbers(node.filter_id)
    is_half = known.place(node.input1_id).dtype is Dtype.FP16
    if is_half and known.place(node.filter_id).dtype is Dtype.FP32:
        return weights.half().float()
    return weights


def _shaped(weights: torch.Tensor, sizes: tuple[int, ...]) -> torch.Tensor:
    if weights.numel() < prod(sizes):
        raise NotComputed(f"a node takes {prod(sizes)} weights of {weights.numel()}")
    return weights.reshape(-1)[: prod(sizes)].reshape(sizes)


def _biased(
    product: torch.Tensor, node: Convolution | FullyConnected, known: Known, channels: int
) -> torch.Tensor:
    """With the bias: whole numbers count in steps of input times weights, whatever scale they have.

    Args:
        product: Channels last.
        node: What is computed.
        known: Its values.
        channels: The weights' dimension of the output channels.
    """
    if node.bias_id == NO_ID:
        return product
    place, count = known.place(node.bias_id), product.shape[-1]
    if place.dtype in (Dtype.QINT32, Dtype.QCINT32):
        scales = known.place(node.filter_id).scales
        bias = place.wholes().reshape(-1)[:count] * (known.place(node.input1_id).scale * scales)
    else:
        bias = known.numbers(node.bias_id).reshape(-1)[:count]
    product, bias = wide(product, bias)
    return product + bias
