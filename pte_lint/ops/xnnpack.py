"""Sizes through an XNNPACK graph: what the backend computes for the sizes that it is given.

`XNNExecutor::prepare_args` (backends/xnnpack/runtime/XNNExecutor.cpp) gives the graph the sizes of
its inputs, has it work out all others (`xnn_reshape_runtime`), and resizes the outputs to what
comes out. Sources for the nodes: the reshape functions of XNNPACK's src/subgraph/*.c, and
src/subgraph/reshape-helpers.c; for what a node is told XNNCompiler.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, Final

from pte_lint.ops.checks.conditions import broadcast, same
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.xnnpack_checks import tensor_of
from pte_lint.schema.xnnpack_graph import (
    EXTERNAL_INPUT,
    EXTERNAL_OUTPUT,
    Graph,
    Node,
    TensorValue,
    operator_names,
)
from pte_lint.schema.xnnpack_nodes import (
    Cat,
    Convolution,
    FullyConnected,
    Node1x1,
    Node2x1,
    Pad,
    Pooling,
    Reshape,
    Resize,
    Slice,
    Transpose,
)

Sizes = tuple[int, ...]

_SECOND_LAST_FIRST: Final = 1
"""XNN_FLAG_TRANSPOSE_WEIGHTS and XNN_FLAG_TRANSPOSE_B."""
_SAME_PADDING: Final = 4
"""XNN_FLAG_TENSORFLOW_SAME_PADDING."""
_KEEP_DIMS: Final = 0x40


class Refused(Exception):  # noqa: N818 - a result, not an error
    """A node cannot take the sizes; the text says why.

    `is_new`: runtimes before 1.5 do not look, and read past a tensor.
    """

    def __init__(self, message: str, *, is_new: bool = False) -> None:
        super().__init__(message)
        self.is_new = is_new


class _Unknown(Exception):  # noqa: N818 - the answer "cannot tell"
    """A node whose sizes are not followed."""


@dataclass(frozen=True, slots=True)
class External:
    """A tensor that the graph takes or gives: its argument position and the sizes it was made for.

    Sizes are in memory order, as everywhere in a graph.
    """

    argument: int
    sizes: Sizes


def externals(graph: Graph, flag: int) -> Iterator[External]:
    """The inputs (`EXTERNAL_INPUT`) or outputs (`EXTERNAL_OUTPUT`), by argument position."""
    found = (tensor for tensor in _tensors(graph) if tensor.flags & flag)
    for tensor in sorted(found, key=lambda tensor: tensor.external_id):
        yield External(tensor.external_id, tuple(tensor.dims or ()))


def reshaped(graph: Graph, given: Mapping[int, Sizes]) -> Mapping[int, Sizes | None]:
    """Sizes of the graph's outputs, by argument position; None where they cannot be told.

    Args:
        graph: The graph.
        given: Sizes of the inputs, by argument position.

    Raises:
        Refused: A node cannot take the sizes; the backend returns Internal.
    """
    sizes: dict[int, Sizes] = {}
    outputs: dict[int, int] = {}
    for tensor in _tensors(graph):
        if tensor.flags & EXTERNAL_INPUT:
            if tensor.external_id in given:
                sizes[tensor.id_out] = given[tensor.external_id]
        elif tensor.constant_buffer_idx:
            sizes[tensor.id_out] = tuple(tensor.dims or ())
        if tensor.flags & EXTERNAL_OUTPUT:
            outputs[tensor.external_id] = tensor.id_out
    names = operator_names()
    for node in graph.xnodes or ():
        try:
            _play(names.get(node.xnode_union_type, ""), node, sizes)
        except (_Unknown, KeyError):
            continue  # Nothing is known of its result then, nor of what is made of that.
    return {argument: sizes.get(value) for argument, value in outputs.items()}


def _tensors(graph: Graph) -> Iterator[TensorValue]:
    for value in graph.xvalues or ():
        tensor = tensor_of(value)
        if tensor is not None:
            yield tensor


def _play(name: str, node: Node, sizes: dict[int, Sizes]) -> None:
    content: Any = node.xnode_union
    if any(0 in each for each in sizes.values()):
        raise _Unknown  # Empty tensors take ways of their own.
    special = _BY_NAME.get(name) or _BY_CLASS.get(type(content))
    if special is not None:
        sizes[content.output_id] = special(content, sizes)
    elif hasattr(content, "input_id"):
        sizes[content.output_id] = sizes[content.input_id]
    else:
        raise _Unknown


def _softmax(node: Node1x1, sizes: Mapping[int, Sizes]) -> Sizes:
    source = sizes[node.input_id]
    _need(len(source) >= 1, "a softmax gets a tensor without dimensions")
    return source


def _global_average(node: Node1x1, sizes: Mapping[int, Sizes]) -> Sizes:
    source = sizes[node.input_id]
    if len(source) != 4 or node.flags not in (0, _KEEP_DIMS):
        raise _Unknown
    return source[0], 1, 1, source[3]


def _binary(node: Node2x1, sizes: Mapping[int, Sizes]) -> Sizes:
    left, right = sizes[node.input1_id], sizes[node.input2_id]
    result = broadcast([left, right])
    _need(result is not None, f"{list(left)} and {list(right)} do not broadcast together")
    return _known(result)


def _matrix_product(node: Node2x1, sizes: Mapping[int, Sizes]) -> Sizes:
    left, right = sizes[node.input1_id], sizes[node.input2_id]
    if node.flags & ~_SECOND_LAST_FIRST:
        raise _Unknown
    _need(min(len(left), len(right)) >= 2, "a matrix product gets fewer than 2 dimensions")
    inner, columns = (-1, -2) if node.flags else (-2, -1)
    _need(
        same(left[-1], right[inner]),
        f"matrices with {left[-1]} columns and {right[inner]} rows are multiplied",
    )
    batch = broadcast([left[:-2], right[:-2]])
    _need(batch is not None, f"batches {list(left[:-2])} and {list(right[:-2])} differ")
    return (*_known(batch), left[-2], right[columns])


def _layer(node: FullyConnected, sizes: Mapping[int, Sizes]) -> Sizes:
    source, weight = sizes[node.input1_id], sizes[node.filter_id]
    if len(weight) < 2 or node.flags & ~_SECOND_LAST_FIRST:
        raise _Unknown
    _need(len(source) >= 1, "a fully connected layer gets a tensor without dimensions")
    wanted, made = (weight[0], weight[1]) if node.flags else (weight[-1], weight[0])
    _need(
        same(source[-1], wanted),
        f"a fully connected layer for rows of {wanted} gets rows of {source[-1]}",
        is_new=True,
    )
    return (*source[:-1], made)


def _convolution(node: Convolution, sizes: Mapping[int, Sizes]) -> Sizes:
    filters = node.groups * node.group_output_channels
    return _convolved(node, sizes, node.groups * node.group_input_channels, filters)


def _depthwise(node: Convolution, sizes: Mapping[int, Sizes]) -> Sizes:
    if not node.group_input_channels or node.group_output_channels % node.group_input_channels:
        raise _Unknown
    times = node.group_output_channels // node.group_input_channels
    return _convolved(node, sizes, node.groups, node.groups * times)


def _convolved(node: Convolution, sizes: Mapping[int, Sizes], channels: int, filters: int) -> Sizes:
    source = sizes[node.input1_id]
    _takes_images(source, channels)
    if node.flags & _SAME_PADDING:
        raise _Unknown
    padding = node.padding_top + node.padding_bottom, node.padding_left + node.padding_right
    reach = (
        (node.kernel_height - 1) * node.dilation_height + 1,
        (node.kernel_width - 1) * node.dilation_width + 1,
    )
    for size, more, window in zip(source[1:3], padding, reach, strict=True):
        message = f"a window of {window} is moved over {size + more}"
        _need(size + more >= window, message, is_new=True)
    steps = node.subsampling_height, node.subsampling_width
    height, width = _windows(source, padding, reach, steps)
    return source[0], height, width, filters


def _takes_images(source: Sizes, channels: int) -> None:
    _need(len(source) >= 3, f"a convolution gets {len(source)} dimensions")
    _need(
        same(source[-1], channels),
        f"a convolution of {channels} channels gets {source[-1]}",
        is_new=True,
    )
    if len(source) != 4:
        raise _Unknown


def _transposed(node: Convolution, sizes: Mapping[int, Sizes]) -> Sizes:
    source = sizes[node.input1_id]
    _takes_images(source, node.groups * node.group_input_channels)
    result = []
    for size, padding, kernel, dilation, stride, more in (
        (
            source[1],
            node.padding_top + node.padding_bottom,
            *(node.kernel_height, node.dilation_height),
            *(node.subsampling_height, node.adjustment_height),
        ),
        (
            source[2],
            node.padding_left + node.padding_right,
            *(node.kernel_width, node.dilation_width),
            *(node.subsampling_width, node.adjustment_width),
        ),
    ):
        whole = (size - 1) * stride + more + (kernel - 1) * dilation + 1
        if whole <= padding:
            raise _Unknown
        result.append(whole - padding)
    return source[0], *result, node.groups * node.group_output_channels


def _pooling(node: Pooling, sizes: Mapping[int, Sizes]) -> Sizes:
    source = sizes[node.input_id]
    if node.flags & _SAME_PADDING:
        raise _Unknown
    _need(len(source) >= 4, f"a pooling gets {len(source)} dimensions")
    if len(source) != 4:
        raise _Unknown
    padding = node.padding_top + node.padding_bottom, node.padding_left + node.padding_right
    reach = (
        (node.pooling_height - 1) * (node.dilation_height or 1) + 1,
        (node.pooling_width - 1) * (node.dilation_width or 1) + 1,
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
            raise _Unknown
        found.append(max(size + more - window, 0) // step + 1)
    return found


def _reshape(node: Reshape, sizes: Mapping[int, Sizes]) -> Sizes:
    source, wanted = sizes[node.input_id], tuple(node.new_shape or ())
    have, rest = prod(source), prod(size for size in wanted if size)
    holes = wanted.count(0)
    _need(holes <= 1, "several sizes of a reshape are to be inferred")
    if not holes:
        _need(same(have, rest), f"{have} elements are reshaped to {list(wanted)}")
        return wanted
    _need(have % rest == 0, f"{have} elements are reshaped to {list(wanted)}")
    return tuple([size or have // rest for size in wanted])


def _transpose(node: Transpose, sizes: Mapping[int, Sizes]) -> Sizes:
    source, order = sizes[node.input_id], node.perm or ()
    _need(len(source) == len(order), f"{len(source)} dimensions are put into {len(order)} places")
    if any(d >= len(source) for d in order):
        raise _Unknown
    return tuple([source[d] for d in order])


def _slice(node: Slice, sizes: Mapping[int, Sizes]) -> Sizes:
    source, offsets, wanted = sizes[node.input_id], node.offsets or (), node.sizes or ()
    if not len(source) == len(offsets) == len(wanted):
        raise _Unknown
    result = []
    for size, offset, length in zip(source, offsets, wanted, strict=True):
        left = max(size - offset, 0)
        result.append(min(length, left) if length else left)
    return tuple(result)


def _pad(node: Pad, sizes: Mapping[int, Sizes]) -> Sizes:
    source, before, after = sizes[node.input_id], node.pre_paddings or (), node.post_paddings or ()
    # Paddings of dimensions that the graph has not are 0, those of missing ones have no effect.
    added = [b + a for b, a in zip(before, after, strict=False)] + [0] * len(source)
    return tuple([size + more for size, more in zip(source, added, strict=False)])


def _resize(node: Resize, sizes: Mapping[int, Sizes]) -> Sizes:
    source = sizes[node.input_id]
    _need(len(source) == 4, f"a resize gets {len(source)} dimensions, not 4")
    return source[0], node.new_height, node.new_width, source[3]


def _cat(count: int) -> Callable[[Any, Mapping[int, Sizes]], Sizes]:
    def result(node: Cat, sizes: Mapping[int, Sizes]) -> Sizes:
        ids = (node.input1_id, node.input2_id, node.input3_id, node.input4_id, node.input5_id)
        parts = [sizes[value] for value in ids[:count]]
        first = parts[0]
        axis = node.axis if node.axis < 1 << 31 else node.axis - (1 << 32) + len(first)
        for part in parts[1:]:
            message = f"{list(first)} and {list(part)} are joined"
            _need(len(part) == len(first), message, is_new=True)
            for d, (one, other) in enumerate(zip(first, part, strict=True)):
                message = f"{list(first)} and {list(part)} are joined along dimension {axis}"
                _need(d == axis or same(one, other), message, is_new=True)
        if not 0 <= axis < len(first):
            raise _Unknown
        return (*first[:axis], sum(part[axis] for part in parts), *first[axis + 1 :])

    return result


def _need(condition: bool | None, message: str, *, is_new: bool = False) -> None:
    if condition is False:
        raise Refused(message, is_new=is_new)


def _known(sizes: Sequence[int | None] | None) -> Sizes:
    return tuple([size for size in sizes or () if size is not None])


_Rule = Callable[[Any, Mapping[int, Sizes]], Sizes]

_BY_NAME: Final[Mapping[str, _Rule]] = {
    "XNNBatchMatrixMultiply": _matrix_product,
    "XNNConcatenate2": _cat(2),
    "XNNConcatenate3": _cat(3),
    "XNNConcatenate4": _cat(4),
    "XNNConcatenate5": _cat(5),
    "XNNConvTranspose2d": _transposed,
    "XNNDepthwiseConv2d": _depthwise,
    "XNNGlobalAvgPooling2d": _global_average,
    "XNNSoftmax": _softmax,
}
_BY_CLASS: Final[Mapping[type, _Rule]] = {
    Convolution: _convolution,
    FullyConnected: _layer,
    Node2x1: _binary,
    Pad: _pad,
    Pooling: _pooling,
    Reshape: _reshape,
    Resize: _resize,
    Slice: _slice,
    Transpose: _transpose,
}
