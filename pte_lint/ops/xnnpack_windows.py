"""Sizes that come out of XNNPACK nodes with windows: convolutions and poolings.

Sources: XNNPACK's src/subgraph/{convolution,depthwise-convolution,deconvolution}-2d.c,
{max,average}-pooling-2d.c, and the reshape functions of src/operators that they call.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from pte_lint.ops.checks.conditions import same
from pte_lint.ops.xnnpack_sizes import KnownSizes, Refused, Sizes, Unknown, need
from pte_lint.schema.xnnpack_nodes import Convolution, Pooling

_SAME_PADDING: Final = 4
"""XNN_FLAG_TENSORFLOW_SAME_PADDING."""

_MOST_ELEMENTS: Final = 1 << 30


def needs_much_memory(node: Convolution | Pooling, result: Sizes) -> bool:
    """Whether tables of places in the input may be larger than the memory there is."""
    area = (
        node.pooling_height * node.pooling_width
        if isinstance(node, Pooling)
        else (node.kernel_height * node.kernel_width)
    )
    return max(prod(result) * (area + 1), *_cut(node)) > _MOST_ELEMENTS


def _cut(node: Convolution | Pooling) -> tuple[int, int]:
    """Paddings of both sides together, in 32 bits, as a transposed convolution adds them."""
    return (
        (node.padding_top + node.padding_bottom) % (1 << 32),
        (node.padding_left + node.padding_right) % (1 << 32),
    )


def convolution(node: Convolution, sizes: KnownSizes) -> Sizes:
    """Sizes of a convolution's result."""
    filters = node.groups * node.group_output_channels
    return _convolved(node, sizes, node.groups * node.group_input_channels, filters)


def depthwise(node: Convolution, sizes: KnownSizes) -> Sizes:
    """Sizes of a depthwise convolution's result."""
    if not node.group_input_channels:
        raise Unknown
    times = node.group_output_channels // node.group_input_channels
    return _convolved(node, sizes, node.groups, node.groups * times)


def _convolved(node: Convolution, sizes: KnownSizes, channels: int, filters: int) -> Sizes:
    source = sizes[node.input1_id]
    _takes_images(source, channels)
    if node.flags & _SAME_PADDING:
        raise Unknown
    padding = node.padding_top + node.padding_bottom, node.padding_left + node.padding_right
    reach = (
        (node.kernel_height - 1) * node.dilation_height + 1,
        (node.kernel_width - 1) * node.dilation_width + 1,
    )
    for size, more, window in zip(source[1:3], padding, reach, strict=True):
        message = f"a window of {window} is moved over {size + more}"
        need(size + more >= window, message, is_new=True)
    steps = node.subsampling_height, node.subsampling_width
    height, width = _windows(source, padding, reach, steps)
    return source[0], height, width, filters


def _takes_images(source: Sizes, channels: int) -> None:
    need(len(source) >= 3, f"a convolution gets {len(source)} dimensions")
    need(
        same(source[-1], channels),
        f"a convolution of {channels} channels gets {source[-1]}",
        is_new=True,
    )
    if len(source) != 4:
        raise Unknown


def transposed(node: Convolution, sizes: KnownSizes) -> Sizes:
    """Sizes of a transposed convolution's result."""
    source = sizes[node.input1_id]
    _takes_images(source, node.groups * node.group_input_channels)
    for more, step in (
        (node.adjustment_height, node.subsampling_height),
        (node.adjustment_width, node.subsampling_width),
    ):
        message = f"a transposed convolution adds {more} to steps of {step}"
        need(more < step, message)
    result = []
    down, across = _cut(node)
    for size, padding, kernel, dilation, stride, more in (
        (
            source[1],
            down,
            *(node.kernel_height, node.dilation_height),
            *(node.subsampling_height, node.adjustment_height),
        ),
        (
            source[2],
            across,
            *(node.kernel_width, node.dilation_width),
            *(node.subsampling_width, node.adjustment_width),
        ),
    ):
        whole = (size - 1) * stride + more + (kernel - 1) * dilation + 1
        message = f"a transposed convolution cuts {padding} off {whole}"
        if whole <= padding:
            raise Refused(message, signal="SIGFPE")
        result.append(whole - padding)
    return source[0], *result, node.groups * node.group_output_channels


def average_pooling(node: Pooling, sizes: KnownSizes) -> Sizes:
    """The backend hands no dilation on."""
    return _pooled(node, sizes, 1, 1)


def max_pooling(node: Pooling, sizes: KnownSizes) -> Sizes:
    """Sizes of the largest elements."""
    return _pooled(node, sizes, node.dilation_height, node.dilation_width)


def _pooled(node: Pooling, sizes: KnownSizes, down: int, across: int) -> Sizes:
    source = sizes[node.input_id]
    if node.flags & _SAME_PADDING:
        raise Unknown
    need(len(source) >= 4, f"a pooling gets {len(source)} dimensions")
    if len(source) != 4:
        raise Unknown
    padding = node.padding_top + node.padding_bottom, node.padding_left + node.padding_right
    reach = (
        (node.pooling_height - 1) * (down or 1) + 1,
        (node.pooling_width - 1) * (across or 1) + 1,
    )
    steps = node.stride_height, node.stride_width
    height, width = _windows(source, padding, reach, steps)
    return source[0], height, width, source[3]


def _windows(
    source: Sizes, padding: Sequence[int], reach: Sequence[int], steps: Sequence[int]
) -> list[int]:
    """How many windows there are, along height and width of images [batch, height, width, ...].

    Args:
        source: The images' sizes.
        padding: How much wider they count, on both sides together.
        reach: How many elements a window covers.
        steps: How far windows are apart.
    """
    found = []
    for size, more, window, step in zip(source[1:3], padding, reach, steps, strict=True):
        if step == 0:
            raise Unknown
        found.append(max(size + more - window, 0) // step + 1)
    return found
