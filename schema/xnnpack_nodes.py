"""The nodes of an XNNPACK graph: what each takes, gives and is told.

Conventions as in `pte_lint.schema.program`. Fields are named in `xnnpack.fbs`; a node names values
by their `id_out`.
"""

from __future__ import annotations

from pte_lint.schema.record import record


@record
class Node1x1:
    """A node of one input: element by element, softmax, global average."""

    input_id: int = 0
    output_id: int = 0
    flags: int = 0
    at: int = 0


@record
class Node2x1:
    """A node of two inputs."""

    input1_id: int = 0
    input2_id: int = 0
    output_id: int = 0
    flags: int = 0
    at: int = 0


@record
class Cat:
    """A concatenation of up to five values."""

    axis: int = 0
    input1_id: int = 0
    input2_id: int = 0
    input3_id: int = 0
    input4_id: int = 0
    output_id: int = 0
    flags: int = 0
    input5_id: int = 0
    at: int = 0


@record
class Convolution:
    """A convolution, depthwise or transposed too."""

    padding_top: int = 0
    padding_right: int = 0
    padding_bottom: int = 0
    padding_left: int = 0
    kernel_height: int = 0
    kernel_width: int = 0
    subsampling_height: int = 0
    subsampling_width: int = 0
    dilation_height: int = 0
    dilation_width: int = 0
    group_input_channels: int = 0
    group_output_channels: int = 0
    groups: int = 0
    adjustment_height: int = 0
    adjustment_width: int = 0
    input1_id: int = 0
    filter_id: int = 0
    bias_id: int = 0
    output_id: int = 0
    flags: int = 0
    at: int = 0


@record
class Pooling:
    """A pooling."""

    padding_top: int = 0
    padding_right: int = 0
    padding_bottom: int = 0
    padding_left: int = 0
    pooling_height: int = 0
    pooling_width: int = 0
    stride_height: int = 0
    stride_width: int = 0
    dilation_height: int = 0
    dilation_width: int = 0
    input_id: int = 0
    output_id: int = 0
    flags: int = 0
    at: int = 0


@record
class ArgMaxPooling:
    """A pooling that tells where the largest elements were."""

    padding_top: int = 0
    padding_right: int = 0
    padding_bottom: int = 0
    padding_left: int = 0
    pooling_height: int = 0
    pooling_width: int = 0
    input_id: int = 0
    output_value_id: int = 0
    output_index_id: int = 0
    flags: int = 0
    at: int = 0


@record
class FullyConnected:
    """A fully connected layer."""

    input1_id: int = 0
    filter_id: int = 0
    bias_id: int = 0
    output_id: int = 0
    flags: int = 0
    at: int = 0


@record
class Pad:
    """A padding with a constant."""

    pre_paddings: tuple[int, ...] | None = None
    post_paddings: tuple[int, ...] | None = None
    padding_value: float = 0.0
    input_id: int = 0
    output_id: int = 0
    flags: int = 0
    at: int = 0


@record
class Reshape:
    """A reshape; a size of 0 is inferred."""

    num_dims: int = 0
    new_shape: tuple[int, ...] | None = None
    input_id: int = 0
    output_id: int = 0
    flags: int = 0
    at: int = 0


@record
class Resize:
    """A bilinear resize."""

    new_height: int = 0
    new_width: int = 0
    input_id: int = 0
    output_id: int = 0
    flags: int = 0
    at: int = 0


@record
class Slice:
    """A slice."""

    num_dims: int = 0
    offsets: tuple[int, ...] | None = None
    sizes: tuple[int, ...] | None = None
    input_id: int = 0
    output_id: int = 0
    flags: int = 0
    at: int = 0


@record
class Transpose:
    """A transposition."""

    num_dims: int = 0
    perm: tuple[int, ...] | None = None
    input_id: int = 0
    output_id: int = 0
    flags: int = 0
    at: int = 0


@record
class Elu:
    """An ELU."""

    alpha: float = 0.0
    input_id: int = 0
    output_id: int = 0
    flags: int = 0
    at: int = 0


@record
class LeakyRelu:
    """A leaky ReLU."""

    negative_slope: float = 0.0
    input_id: int = 0
    output_id: int = 0
    flags: int = 0
    at: int = 0


NODES: dict[str, type] = {
    "_XNNNode1x1": Node1x1,
    "_XNNNode2x1": Node2x1,
    "_XNNCat": Cat,
    "_XNNNodeConv": Convolution,
    "_XNNPooling2D": Pooling,
    "XNNArgMaxPooling2d": ArgMaxPooling,
    "XNNFullyConnected": FullyConnected,
    "XNNStaticConstantPad": Pad,
    "XNNStaticReshape": Reshape,
    "XNNStaticResizeBilinear2D": Resize,
    "XNNStaticSlice": Slice,
    "XNNStaticTranspose": Transpose,
    "XNNELU": Elu,
    "XNNLeakyReLU": LeakyRelu,
}
"""By table; nodes of other tables are not kept."""
