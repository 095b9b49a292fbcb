"""Multiply-adds of a method: of convolutions and matrix products, on the host and in delegates.

Counted at the serialised (largest) sizes. Of delegates only XNNPACK's graphs tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from pte_lint.data.delegate_blobs import Blob
from pte_lint.ir.steps import Step
from pte_lint.questions.method import Method
from pte_lint.schema.program import Bool
from pte_lint.schema.xnnpack_graph import Graph, operator_names, tensor_of
from pte_lint.schema.xnnpack_nodes import Convolution, FullyConnected, Node2x1

_PRODUCTS: Final = {
    "aten::mm.out": 0,
    "aten::bmm.out": 0,
    "aten::addmm.out": 1,
    "aten::linear.out": 0,
}
"""The argument whose last dimension is summed over."""
_CONVOLUTION: Final = "aten::convolution.out"
_TRANSPOSED: Final = 6
_TRANSPOSED_NODE: Final = "XNNConvTranspose2d"
_DEPTHWISE_NODE: Final = "XNNDepthwiseConv2d"
_PRODUCT_NODE: Final = "XNNBatchMatrixMultiply"


def host_multiply_adds(method: Method) -> int:
    """Multiply-adds of one run's kernel calls, each call counted once."""
    return sum(_of_call(method, step) for step in method.kernel_calls())


def delegated_multiply_adds(method: Method, described: Sequence[Blob]) -> int | None:
    """The same of its delegate calls; None where a blob does not tell what is inside."""
    graphs = {blob.index: blob.facts.graph for blob in described}
    total = 0
    for step in method.delegate_calls():
        graph = graphs.get(step.target)
        if graph is None:
            return None
        total += _of_graph(graph)
    return total


def _of_call(method: Method, step: Step) -> int:
    def sizes(position: int) -> tuple[int, ...]:
        tensor = method.tensor(step.args[position]) if position < len(step.args) else None
        return (tensor.sizes or ()) if tensor is not None else ()

    inner = _PRODUCTS.get(step.operator)
    out = step.first_output
    if inner is not None:
        return prod(sizes(out)) * prod(sizes(inner)[-1:])
    if step.operator != _CONVOLUTION or len(step.args) <= _TRANSPOSED:
        return 0
    flag = method.value(step.args[_TRANSPOSED])
    is_back = flag is not None and isinstance(flag.val, Bool) and flag.val.bool_val
    return prod(sizes(0) if is_back else sizes(out)) * prod(sizes(1)[1:])


def _of_graph(graph: Graph) -> int:
    sizes: dict[int, tuple[int, ...]] = {}
    for value in graph.xvalues or ():
        tensor = tensor_of(value)
        if tensor is not None:
            sizes[tensor.id_out] = tensor.dims or ()
    names, total = operator_names(), 0
    for node in graph.xnodes or ():
        content, name = node.xnode_union, names.get(node.xnode_union_type, "")
        if isinstance(content, FullyConnected):
            reach = prod(sizes.get(content.input1_id, ())[-1:])
            total += prod(sizes.get(content.output_id, ())) * reach
        elif isinstance(content, Convolution):
            is_back = name == _TRANSPOSED_NODE
            window = content.kernel_height * content.kernel_width
            if is_back:
                window *= content.group_output_channels
            elif name != _DEPTHWISE_NODE:
                window *= content.group_input_channels
            where = content.input1_id if is_back else content.output_id
            total += prod(sizes.get(where, ())) * window
        elif isinstance(content, Node2x1) and name == _PRODUCT_NODE:
            reach = prod(sizes.get(content.input1_id, ())[-1:])
            total += prod(sizes.get(content.output_id, ())) * reach
    return total
