"""The decoded graph of an XnnpackBackend blob: the tables that say something to a linter.

Conventions as in `pte_lint.schema.program`. `UNKEPT` stands for the nodes that say nothing about
sizes; they are checked for integrity.
"""

from __future__ import annotations

from functools import cache

from pte_lint.schema.binding import Binding, bind
from pte_lint.schema.fbs import layout
from pte_lint.schema.program import Span
from pte_lint.schema.record import record
from pte_lint.schema.xnnpack_nodes import NODES

EXTERNAL_INPUT = 1
EXTERNAL_OUTPUT = 2


@record
class Buffer:
    """A constant inside the flatbuffer, from before the blob had a header."""

    storage: Span | None = None
    at: int = 0


@record
class ConstantDataOffset:
    """Where a constant's bytes are: in the blob's constant area, or under a name."""

    offset: int = 0
    size: int = 0
    named_key: str | None = None
    at: int = 0


@record
class PerChannelQuant:
    """One scale per channel, here or in constant `scale_buffer_idx`."""

    scale: Span | None = None
    channel_dim: int = 0
    scale_buffer_idx: int = 0
    num_scales: int = 0
    at: int = 0


@record
class PerChannelGroupQuant:
    """One scale per group of elements, here or in constant `scale_buffer_idx`."""

    scale: Span | None = None
    channel_dim: int = 0
    group_size: int = 0
    scale_bf16: None = None
    scale_buffer_idx: int = 0
    num_scales: int = 0
    at: int = 0


@record
class PerTensorQuant:
    """One scale and zero point for the whole tensor."""

    scale: float = 0.0
    zero_point: int = 0
    at: int = 0


@record
class PerTokenDynamicQuant:
    """Scales that are worked out when the graph runs, over the innermost dimensions."""

    num_nonbatch_dims: int = 0
    at: int = 0


@record
class OutputMinMax:
    """The limits that results are cut to."""

    output_min: float = 0.0
    output_max: float = 0.0
    at: int = 0


@record
class TensorValue:
    """A value of the graph: external, constant or internal."""

    datatype: int = 0
    num_dims: int = 0
    dims: tuple[int, ...] | None = None
    constant_buffer_idx: int = 0
    external_id: int = 0
    flags: int = 0
    id_out: int = 0
    dq_datatype: int = 0
    at: int = 0


Quantization = PerTensorQuant | PerChannelQuant | PerTokenDynamicQuant | PerChannelGroupQuant


@record
class QuantizedTensorValue:
    """A value with quantisation parameters."""

    tensor_value: TensorValue | None = None
    quant_params_type: int = 0
    quant_params: Quantization | None = None
    at: int = 0


@record
class Value:
    """A value of either kind."""

    xvalue_union_type: int = 0
    xvalue_union: TensorValue | QuantizedTensorValue | None = None
    at: int = 0


@record
class Node:
    """An operator; `xnode_union_type` says which."""

    xnode_union_type: int = 0
    xnode_union: object | None = None
    debug_handle: int = 0
    output_min_max: OutputMinMax | None = None
    at: int = 0


@record
class Graph:
    """The root table."""

    version: str | None = None
    xnodes: tuple[Node, ...] | None = None
    xvalues: tuple[Value, ...] | None = None
    num_externs: int = 0
    input_ids: tuple[int, ...] | None = None
    output_ids: tuple[int, ...] | None = None
    constant_buffer: tuple[Buffer, ...] | None = None
    mem_buffer_sizes: Span | None = None
    constant_data: tuple[ConstantDataOffset, ...] | None = None
    at: int = 0


@cache
def binding() -> Binding:
    """Returns the bound layout."""
    classes = {
        "Buffer": Buffer,
        "ConstantDataOffset": ConstantDataOffset,
        "OutputMinMax": OutputMinMax,
        "PerChannelQuant": PerChannelQuant,
        "PerTensorQuant": PerTensorQuant,
        "PerTokenDynamicQuant": PerTokenDynamicQuant,
        "PerChannelGroupQuant": PerChannelGroupQuant,
        "XNNTensorValue": TensorValue,
        "XNNQuantizedTensorValue": QuantizedTensorValue,
        "XValue": Value,
        "XNode": Node,
        "XNNGraph": Graph,
        **NODES,
    }
    return bind(layout("xnnpack"), classes)


@cache
def operator_names() -> dict[int, str]:
    """Union code of a node -> operator name, such as `XNNConv2d`."""
    tables, names = layout("xnnpack").unions, layout("xnnpack").union_names
    return {**tables["XNodeUnion"], **names["XNodeUnion"]}


def tensor_of(value: Value) -> TensorValue | None:
    """Returns the tensor of a value of either kind."""
    content = value.xvalue_union
    return content.tensor_value if isinstance(content, QuantizedTensorValue) else content
