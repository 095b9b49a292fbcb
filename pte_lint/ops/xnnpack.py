"""Sizes through an XNNPACK graph: what the backend computes for the sizes that it is given.

`XNNExecutor::prepare_args` (backends/xnnpack/runtime/XNNExecutor.cpp) gives the graph the sizes of
its inputs, has it work out all others (`xnn_reshape_runtime`), and resizes the outputs to what
comes out. Sources for the nodes: the reshape functions of XNNPACK's src/subgraph/*.c, and
src/subgraph/reshape-helpers.c; for what a node is told XNNCompiler.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any, Final

from pte_lint.ops.checks.conditions import broadcast, same
from pte_lint.ops.xnnpack_sizes import KnownSizes, Refused, Sizes, Unknown, known, need
from pte_lint.ops.xnnpack_windows import (
    average_pooling,
    convolution,
    depthwise,
    max_pooling,
    needs_much_memory,
    transposed,
)
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.xnnpack_flow import (
    live_nodes,
    merged_reshapes,
    places,
    read_ids,
    unwritten,
    writes_over_itself,
    written,
)
from pte_lint.schema.xnnpack_graph import (
    EXTERNAL_INPUT,
    EXTERNAL_OUTPUT,
    Graph,
    Node,
    TensorValue,
    operator_names,
    tensor_of,
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
from pte_lint.schema.xnnpack_values import NO_ID

_SECOND_LAST_FIRST: Final = 1
"""XNN_FLAG_TRANSPOSE_WEIGHTS and XNN_FLAG_TRANSPOSE_B."""
_KEEP_DIMS: Final = 0x40


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
    numbers, held = places(graph)
    # What no node writes keeps the sizes that it was defined with.
    defined = {place: tuple(tensor.dims or ()) for place, tensor in held.items()}
    sizes = KnownSizes(numbers, defined, written(graph))
    inputs, outputs = set(), []
    for tensor in _tensors(graph):
        place = tensor.external_id
        if place not in held:
            continue
        if tensor.flags and not held[place].flags:
            raise Refused(f"argument {place} is no external value: a later value has its place")
        if tensor.flags & EXTERNAL_INPUT:
            sizes.put(place, given.get(place))
            inputs.add(place)
        if tensor.flags & EXTERNAL_OUTPUT:
            outputs.append(place)
    if (
        not inputs.isdisjoint(outputs)
        or writes_over_itself(graph)
        or any(found.node is not None for found in unwritten(graph))
    ):
        return dict.fromkeys(outputs)
    names, alive, may_lack_memory = operator_names(), live_nodes(graph), False
    merged = merged_reshapes(graph)
    for index, node in enumerate(graph.xnodes or ()):
        if index not in alive:
            continue
        try:
            if index in merged:
                content: Any = node.xnode_union
                sizes[content.output_id] = sizes[content.input_id]
                continue
            may_lack_memory |= _play(names.get(node.xnode_union_type, ""), node, sizes)
        except (Unknown, KeyError):
            # Nothing is known of its result then, nor of what is made of that.
            sizes.pop(getattr(node.xnode_union, "output_id", NO_ID), None)
        except Refused as refused:
            # Without memory it is Internal, too.
            if may_lack_memory and refused.signal:
                break
            raise
    return {place: None if may_lack_memory else sizes.at(place) for place in outputs}


def _tensors(graph: Graph) -> Iterator[TensorValue]:
    for value in graph.xvalues or ():
        tensor = tensor_of(value)
        if tensor is not None:
            yield tensor


def _play(name: str, node: Node, sizes: KnownSizes) -> bool:
    """Notes the sizes of a node's result; whether more memory is asked for than there may be."""
    content: Any = node.xnode_union
    special = _BY_NAME.get(name) or _BY_CLASS.get(type(content))
    if not isinstance(content, Cat) and any(map(sizes.is_empty, read_ids(node))):
        raise Unknown  # Empty tensors take ways of their own.
    if special is not None:
        sizes[content.output_id] = special(content, sizes)
    elif hasattr(content, "input_id"):
        sizes[content.output_id] = sizes[content.input_id]
    else:
        raise Unknown
    return isinstance(content, Convolution | Pooling) and needs_much_memory(
        content, sizes[content.output_id]
    )


def _softmax(node: Node1x1, sizes: KnownSizes) -> Sizes:
    source = sizes[node.input_id]
    need(len(source) >= 1, "a softmax gets a tensor without dimensions")
    return source


def _global_average(node: Node1x1, sizes: KnownSizes) -> Sizes:
    source, rank = sizes[node.input_id], sizes.rank(node.input_id)
    # The third and second last of the dimensions that it was defined with; below 0 from behind.
    axes = {axis + len(source) * (axis < 0) for axis in (rank - 3, rank - 2)}
    fits = all(0 <= axis < len(source) for axis in axes)
    need(fits, f"a mean over the dimensions {sorted(axes)} gets {len(source)}")
    if node.flags & _KEEP_DIMS:
        return tuple([1 if axis in axes else size for axis, size in enumerate(source)])
    return tuple([size for axis, size in enumerate(source) if axis not in axes])


def _binary(node: Node2x1, sizes: KnownSizes) -> Sizes:
    left, right = sizes[node.input1_id], sizes[node.input2_id]
    result = broadcast([left, right])
    need(result is not None, f"{list(left)} and {list(right)} do not broadcast together")
    return known(result)


def _matrix_product(node: Node2x1, sizes: KnownSizes) -> Sizes:
    left, right = sizes[node.input1_id], sizes[node.input2_id]
    if node.flags & ~_SECOND_LAST_FIRST:
        raise Unknown
    need(min(len(left), len(right)) >= 2, "a matrix product gets fewer than 2 dimensions")
    inner, columns = (-1, -2) if node.flags else (-2, -1)
    need(
        same(left[-1], right[inner]),
        f"matrices with {left[-1]} columns and {right[inner]} rows are multiplied",
    )
    batch = broadcast([left[:-2], right[:-2]])
    need(batch is not None, f"batches {list(left[:-2])} and {list(right[:-2])} differ")
    return (*known(batch), left[-2], right[columns])


def _layer(node: FullyConnected, sizes: KnownSizes) -> Sizes:
    source, weight = sizes[node.input1_id], sizes[node.filter_id]
    if node.flags & ~_SECOND_LAST_FIRST:
        raise Unknown
    need(len(source) >= 1, "a fully connected layer gets a tensor without dimensions")
    need(len(weight) >= 2, f"a fully connected layer has weights of sizes {list(weight)}")
    wanted, made = (weight[0], weight[1]) if node.flags else (weight[-1], weight[0])
    need(
        same(source[-1], wanted),
        f"a fully connected layer that takes {wanted} features gets {source[-1]}",
        is_new=True,
    )
    return (*source[:-1], made)


def _reshape(node: Reshape, sizes: KnownSizes) -> Sizes:
    source, wanted = sizes[node.input_id], tuple(node.new_shape or ())
    have, rest = prod(source), prod(size for size in wanted if size)
    holes = wanted.count(0)
    need(holes <= 1, "several sizes of a reshape are to be inferred")
    if not holes:
        need(same(have, rest), f"{have} elements are reshaped to {list(wanted)}")
        return wanted
    need(have % rest == 0, f"{have} elements are reshaped to {list(wanted)}")
    return tuple([size or have // rest for size in wanted])


def _transpose(node: Transpose, sizes: KnownSizes) -> Sizes:
    source, order = sizes[node.input_id], node.perm or ()
    need(len(source) == len(order), f"{len(source)} dimensions are put into {len(order)} places")
    if any(d >= len(source) for d in order):
        raise Unknown
    return tuple([source[d] for d in order])


def _slice(node: Slice, sizes: KnownSizes) -> Sizes:
    source, offsets, wanted = sizes[node.input_id], node.offsets or (), node.sizes or ()
    if not len(source) == len(offsets) == len(wanted):
        raise Unknown
    result = []
    for size, offset, length in zip(source, offsets, wanted, strict=True):
        left = max(size - offset, 0)
        result.append(min(length, left) if length else left)
    return tuple(result)


def _pad(node: Pad, sizes: KnownSizes) -> Sizes:
    source, rank = sizes[node.input_id], sizes.rank(node.input_id)
    before, after = (node.pre_paddings or ())[:rank], (node.post_paddings or ())[:rank]
    # Paddings of dimensions that the graph has not are 0, those of missing ones have no effect.
    added = [b + a for b, a in zip(before, after, strict=False)] + [0] * len(source)
    return tuple([size + more for size, more in zip(source, added, strict=False)])


def _resize(node: Resize, sizes: KnownSizes) -> Sizes:
    source = sizes[node.input_id]
    need(len(source) == 4, f"a resize gets {len(source)} dimensions, not 4")
    if 0 not in source:
        need(max(source[1:3]) < 1 << 24, f"a resize gets images of {source[1]} x {source[2]}")
    return source[0], node.new_height, node.new_width, source[3]


def _cat(count: int) -> Callable[[Any, KnownSizes], Sizes]:
    def result(node: Cat, sizes: KnownSizes) -> Sizes:
        ids = (node.input1_id, node.input2_id, node.input3_id, node.input4_id, node.input5_id)
        parts = [sizes[value] for value in ids[:count]]
        first = parts[0]
        axis = node.axis if node.axis < 1 << 31 else node.axis - (1 << 32) + len(first)
        for part in parts[1:]:
            message = f"{list(first)} and {list(part)} are joined"
            need(len(part) == len(first), message, is_new=True)
            for d, (one, other) in enumerate(zip(first, part, strict=True)):
                message = f"{list(first)} and {list(part)} are joined along dimension {axis}"
                need(d == axis or same(one, other), message, is_new=True)
        need(0 <= axis < len(first), f"{len(first)} dimensions are joined along dimension {axis}")
        return (*first[:axis], sum(part[axis] for part in parts), *first[axis + 1 :])

    return result


_Rule = Callable[[Any, KnownSizes], Sizes]

_BY_NAME: Final[Mapping[str, _Rule]] = {
    "XNNAvgPooling2d": average_pooling,
    "XNNBatchMatrixMultiply": _matrix_product,
    "XNNConcatenate2": _cat(2),
    "XNNConcatenate3": _cat(3),
    "XNNConcatenate4": _cat(4),
    "XNNConcatenate5": _cat(5),
    "XNNConvTranspose2d": transposed,
    "XNNDepthwiseConv2d": depthwise,
    "XNNGlobalAvgPooling2d": _global_average,
    "XNNMaxPooling2d": max_pooling,
    "XNNSoftmax": _softmax,
}
_BY_CLASS: Final[Mapping[type, _Rule]] = {
    Convolution: convolution,
    FullyConnected: _layer,
    Node2x1: _binary,
    Pad: _pad,
    Reshape: _reshape,
    Resize: _resize,
    Slice: _slice,
    Transpose: _transpose,
}
