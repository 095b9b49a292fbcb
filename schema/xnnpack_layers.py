"""Which layers of an XNNPACK graph are refused: fully connected ones and convolutions.

Facts: XNNPACK's src/subgraph/fully-connected.c, convolution-2d.c, depthwise-convolution-2d.c and
deconvolution-2d.c.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final

from pte_lint.schema.xnnpack_graph import Node
from pte_lint.schema.xnnpack_refusals import (
    BF16,
    F16,
    F32,
    Q8,
    Q32,
    QB4,
    QC4,
    QC8,
    QC32,
    QD8,
    QU8,
    SAME_PADDING,
    TRANSIENT,
    RefusedNodeError,
    UnknownNodeError,
    Values,
    check_flags,
    check_limits,
    check_padding,
    need,
    types,
)
from pte_lint.schema.xnnpack_values import MISREADS, Defined, Dtype

_TRANSPOSED: Final = 1
_MOST_FACTOR: Final = 256.0

# Input, weights, bias and output of layers; without bias the same without it.
_LAYERS: Final = {
    (BF16, BF16, F32, F32), (F32, F32, F32, F32), (F16, F32, F32, F16), (F16, F16, F16, F16),
    (F16, F16, F32, F16), (F32, F16, F16, F32), (F32, F16, F32, F32), (F32, QC4, F32, F32),
    (QD8, QC4, F32, F32), (QD8, QC4, F32, F16), (Q8, QC4, QC32, Q8), (Q8, QC4, Q32, Q8),
    (QD8, QB4, F32, F32), (QD8, QB4, F32, F16), (QD8, QB4, F32, BF16), (F32, QC8, F32, F32),
    (QD8, QC8, F32, F32), (QD8, QC8, F32, F16), (Q8, QC8, QC32, Q8), (Q8, QC8, Q32, Q8),
    (Q8, Q8, Q32, Q8), (QU8, QU8, Q32, QU8),
}  # fmt: skip

_CONVOLUTIONS: Final = {
    (F32, F32, F32, F32), (F16, F32, F32, F16), (F32, F16, F16, F32), (F32, F16, F32, F32),
    (F16, F16, F16, F16), (F16, F16, F32, F16), (Q8, Q8, Q32, Q8), (Q8, QC8, QC32, Q8),
    (QD8, QC8, F32, F32), (QD8, QC8, F32, F16), (QU8, QU8, Q32, QU8),
}  # fmt: skip

_DEPTHWISE: Final = {row for row in _CONVOLUTIONS if row[0] is not QD8}

_TRANSPOSED_ONES: Final = {
    row for row in _CONVOLUTIONS if row not in ((F16, F16, F16, F16), (F16, F16, F32, F16))
} - {(QD8, QC8, F32, F16)}


_Row = tuple[Dtype, Dtype, Dtype, Dtype]


def _typed(
    rows: set[_Row], source: Defined, kernel: Defined, bias: Defined | None, made: Defined
) -> None:
    have = source.dtype, kernel.dtype, made.dtype
    if bias is None:
        is_taken = have in {(row[0], row[1], row[3]) for row in rows}
    else:
        is_taken = (source.dtype, kernel.dtype, bias.dtype, made.dtype) in rows
    need(is_taken, f"has no kernel for {types(source, kernel, bias, made)}")
    if kernel.dtype in (QC8, QC4) and not kernel.is_divided:
        # The one scale is taken for the address of the others.
        raise RefusedNodeError(
            "wants a scale for each channel of its weights, which have one", MISREADS, is_late=True
        )


def fully_connected(node: Node, content: Any, values: Values) -> None:
    """Passes where a fully connected layer is defined and made; raises as `check_node` does."""
    values.mapped(content.input1_id, content.filter_id, content.bias_id, content.output_id)
    check_limits(node)
    source = values.get(content.input1_id, "input")
    kernel = values.get(content.filter_id, "weights")
    need(kernel.is_static or kernel.dtype in (F16, F32), "has weights that are no constant")
    bias = values.maybe(content.bias_id, "bias")
    made = values.get(content.output_id, "output")
    if kernel.dtype in (Q8,):
        need(kernel.zero_point == 0, f"has weights of zero point {kernel.zero_point}")
    if kernel.dtype in (QC4, QB4):
        need(kernel.zero_point in (0, 8), f"has weights of zero point {kernel.zero_point}")
    dim = 1 if content.flags & _TRANSPOSED else 0
    if kernel.dtype in (QC8, QC4, QB4):
        need(kernel.channel_dim == dim, f"has weights with scales for dimension {dim ^ 1}")
    if kernel.dtype is QB4:
        if not kernel.is_divided:
            raise RefusedNodeError(
                "divides by the size of groups, which its weights lack", MISREADS
            )
        need(
            kernel.sizes[1] % kernel.block_size == 0,
            f"has groups of {kernel.block_size} in rows of {kernel.sizes[1]}",
        )
    if bias is not None and not bias.is_static:
        need(
            bias.dtype in (F16, F32) and kernel.dtype not in (QC8, QC4),
            "has a bias that is no constant",
        )
    if source.dtype is BF16 and kernel.dtype is BF16 and made.dtype is BF16:
        raise UnknownNodeError
    _typed(_LAYERS, source, kernel, bias, made)
    _create_layer(source, kernel, bias, made)
    _requantized(source, kernel, made)
    if bias is not None and kernel.is_static and not bias.is_static:
        # The operator is made with a bias that has no numbers yet.
        raise RefusedNodeError(
            "has constant weights, and a bias that is none", MISREADS, is_late=True
        )
    if len(kernel.sizes) > 1:
        _enough(bias, kernel.sizes[dim], "bias")


def _create_layer(source: Defined, kernel: Defined, bias: Defined | None, made: Defined) -> None:
    """Follows only what every platform has."""
    if not kernel.sizes:
        raise RefusedNodeError(
            "looks for sizes of weights without dimensions", MISREADS, is_late=True
        )
    is_sized = 0 not in (kernel.sizes[0], kernel.sizes[-1])
    need(
        is_sized or not (kernel.is_static or kernel.dtype is F32),
        f"has weights of sizes {list(kernel.sizes)}",
        is_late=True,
    )
    if {source.dtype, kernel.dtype, made.dtype} != {F32}:
        if (source.dtype, kernel.dtype) not in ((QD8, QC8), (Q8, QC8), (Q8, Q8), (QU8, QU8)):
            raise UnknownNodeError
        if made.dtype is F16:
            raise UnknownNodeError


def convolution(node: Node, content: Any, values: Values) -> None:
    """Passes where a convolution is defined; raises as `check_node` does."""
    values.mapped(content.input1_id, content.filter_id, content.bias_id, content.output_id)
    _windows(content)
    for name in ("groups", "group_input_channels", "group_output_channels"):
        need(getattr(content, name) != 0, f"has no {name.replace('_', ' ')}")
    check_limits(node)
    check_flags(content.flags, SAME_PADDING | TRANSIENT)
    check_padding(content)
    source, kernel, bias, made = _parts(content, values)
    if kernel.dtype is Q8:
        need(kernel.zero_point == 0, f"has weights of zero point {kernel.zero_point}")
    if source.dtype is QD8 and source.nonbatch_dims >= len(source.sizes):
        raise RefusedNodeError("has an input without a batch")
    channels = content.groups * content.group_output_channels
    have = kernel.sizes[0] if kernel.sizes else 0
    need(have == channels, f"of {channels} output channels has weights for {have}")
    _typed(_CONVOLUTIONS, source, kernel, bias, made)
    _requantized(source, kernel, made)
    _channels(kernel, bias, 0)
    _enough(kernel, channels * _area(content) * content.group_input_channels, "weights")
    _enough(bias, channels, "bias")


def _requantized(source: Defined, kernel: Defined, made: Defined) -> None:
    """Integer layers scale their sums by a number that kernels want below 256."""
    if made.dtype in (Q8, QU8) and made.scale:
        factor = source.scale * kernel.scale / made.scale
        need(factor < _MOST_FACTOR, f"scales its sums by {factor:g}", is_late=True)


def _enough(part: Defined | None, wanted: int, role: str) -> None:
    """XNNPACK takes as many numbers as the node says, however many there are."""
    if part is not None and prod(part.sizes) < wanted:
        message = f"takes {wanted} numbers of its {role}, which has {prod(part.sizes)}"
        raise RefusedNodeError(message, MISREADS, is_late=True)


def _windows(content: Any) -> None:
    need(content.kernel_height * content.kernel_width != 0, "has a window of no size")
    need(content.subsampling_height * content.subsampling_width != 0, "has steps of 0")
    need(content.dilation_height * content.dilation_width != 0, "has a dilation of 0")


def _area(content: Any) -> int:
    return int(content.kernel_height * content.kernel_width)


def _parts(content: Any, values: Values) -> tuple[Defined, Defined, Defined | None, Defined]:
    source = values.get(content.input1_id, "input")
    kernel = values.get(content.filter_id, "weights")
    need(kernel.is_static, "has weights that are no constant")
    bias = values.maybe(content.bias_id, "bias")
    need(bias is None or bias.is_static, "has a bias that is no constant")
    return source, kernel, bias, values.get(content.output_id, "output")


def _channels(kernel: Defined, bias: Defined | None, dim: int) -> None:
    if kernel.dtype is QC8:
        need(
            kernel.channel_dim == dim, f"has weights with scales for dimension {kernel.channel_dim}"
        )
        if bias is not None and bias.dtype is QC32:
            need(bias.channel_dim == 0, f"has a bias with scales for dimension {bias.channel_dim}")


def depthwise(node: Node, content: Any, values: Values) -> None:
    """Passes where a depthwise convolution is defined; raises as `check_node` does."""
    values.mapped(content.input1_id, content.filter_id, content.bias_id, content.output_id)
    if content.group_input_channels == 0:
        raise RefusedNodeError("divides by its group input channels, which are 0", MISREADS)
    _windows(content)
    times = content.group_output_channels // content.group_input_channels
    need(times != 0, "has no output channels for an input channel")
    need(content.groups != 0, "has no groups")
    check_limits(node)
    check_flags(content.flags, SAME_PADDING | TRANSIENT)
    check_padding(content)
    source, kernel, bias, made = _parts(content, values)
    if kernel.dtype is Q8:
        need(kernel.zero_point == 0, f"has weights of zero point {kernel.zero_point}")
    _typed(_DEPTHWISE, source, kernel, bias, made)
    _requantized(source, kernel, made)
    _channels(kernel, bias, len(kernel.sizes) - 1)
    _enough(kernel, content.groups * times * _area(content), "weights")
    _enough(bias, content.groups * times, "bias")


def transposed(node: Node, content: Any, values: Values) -> None:
    """Passes where a transposed convolution is defined; raises as `check_node` does."""
    values.mapped(content.input1_id, content.filter_id, content.bias_id, content.output_id)
    _windows(content)
    for name in ("groups", "group_input_channels", "group_output_channels"):
        need(getattr(content, name) != 0, f"has no {name.replace('_', ' ')}")
    check_limits(node)
    source, kernel, bias, made = _parts(content, values)
    if source.dtype is QD8 and source.nonbatch_dims >= len(source.sizes):
        raise RefusedNodeError("has an input without a batch")
    _typed(_TRANSPOSED_ONES, source, kernel, bias, made)
    _requantized(source, kernel, made)
    _channels(kernel, bias, 0)
    channels = content.groups * content.group_output_channels
    _enough(kernel, channels * _area(content) * content.group_input_channels, "weights")
    _enough(bias, channels, "bias")
