"""Weights of linear and convolution layers: in XNNPACK graphs, and constants of host kernels."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

from pte_lint.data.blobs import called_graphs
from pte_lint.data.context import Context
from pte_lint.ir.steps import Step
from pte_lint.ops.promotion import FLOAT32
from pte_lint.questions.method import Method
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.xnnpack_graph import TensorValue, operator_names, tensor_of
from pte_lint.schema.xnnpack_nodes import Convolution, FullyConnected
from pte_lint.schema.xnnpack_values import Dtype

_OF_KERNELS: Final = {
    "aten::mm.out": 1,
    "aten::addmm.out": 2,
    "aten::linear.out": 1,
    "aten::convolution.out": 1,
}
"""The argument that is the weight."""
_REARRANGED: Final = frozenset(
    ("aten::permute_copy.out", "aten::t_copy.out", "aten::transpose_copy.int_out")
)
"""What exporters put between a constant and the product that takes it."""
_MOST_RANK: Final = 4
"""Convolutions over more than two dimensions are not what delegates quantise."""

_QUANTISED: Final = frozenset((Dtype.QINT8, Dtype.QUINT8, Dtype.QCINT8, Dtype.QCINT4, Dtype.QBINT4))
"""What the weights of a quantised layer are stored as."""


@dataclass(frozen=True, slots=True)
class Weight:
    """A weight that a reachable instruction uses, told once however often it is used.

    Attributes:
        name: Where it is: `delegate 0, value 4`, `value 7`.
        step: The first instruction that uses it.
        elements: How many it has.
    """

    name: str
    step: Step
    elements: int
    is_quantised: bool = False
    is_float32: bool = False
    is_on_host: bool = False


def delegated_weights(method: Method, ctx: Context) -> Iterator[Weight]:
    """The weights in the XNNPACK graphs that a method calls."""
    shared: set[str] = set()
    for blob, graph, step in called_graphs(method, ctx):
        tensors: dict[int, TensorValue] = {}
        for value in graph.xvalues or ():
            tensor = tensor_of(value)
            if tensor is not None and tensor.constant_buffer_idx:
                tensors[tensor.id_out] = tensor
        places = graph.constant_data or ()
        for node in graph.xnodes or ():
            content = node.xnode_union
            if not isinstance(content, Convolution | FullyConnected):
                continue
            tensor = tensors.pop(content.filter_id, None)
            if tensor is None:
                continue
            at = tensor.constant_buffer_idx
            key = places[at].named_key if at < len(places) else None
            if key is not None and key in shared:
                continue
            shared.update((key,) if key is not None else ())
            kind = operator_names().get(node.xnode_union_type, "")
            yield Weight(
                f"delegate {blob.index}, value {content.filter_id} ({kind})",
                step,
                prod(tensor.dims or ()),
                is_quantised=tensor.datatype in _QUANTISED,
                is_float32=tensor.datatype == Dtype.FP32,
            )


def host_weights(method: Method) -> Iterator[Weight]:
    """The constants that kernels take as weights, also where a permutation stands between."""
    told: set[int] = set()
    for step in method.kernel_calls():
        position = _OF_KERNELS.get(step.operator)
        if position is None or position >= len(step.args) or not method.flow.reachable[step.index]:
            continue
        v = _origin(method, step.args[position])
        tensor = method.tensor(v)
        is_constant = method.is_constant(v) or (method.is_external(v) and not method.is_planned(v))
        if tensor is None or not is_constant or v in told or len(tensor.sizes or ()) > _MOST_RANK:
            continue
        told.add(v)
        yield Weight(
            f"value {v} ({step.operator})",
            step,
            prod(tensor.sizes or ()),
            is_float32=tensor.scalar_type == FLOAT32,
            is_on_host=True,
        )


def _origin(method: Method, v: int) -> int:
    """What a rearranged tensor was made of, by one step and no other."""
    writers = method.writers(v)
    step = method.steps[writers[0]] if len(writers) == 1 else None
    return step.args[0] if step is not None and step.operator in _REARRANGED and step.args else v
