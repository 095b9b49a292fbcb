"""What XnnpackBackend objects to in a graph that passed verification, in its own order.

Facts: backends/xnnpack/runtime/XNNCompiler.cpp (compileModel, defineTensor, getConstantDataPtr,
getDefineNodeFunc), and XNNPACK's xnn_define_*_tensor_value functions for what they refuse whatever
the platform.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from pte_lint.schema.blob.facts import BlobProblem
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Span
from pte_lint.schema.xnnpack_define import check_factor, check_node
from pte_lint.schema.xnnpack_flow import (
    dropped_conversions,
    live_nodes,
    misread_transpositions,
    transposed_factors,
    unwritten,
)
from pte_lint.schema.xnnpack_graph import (
    EXTERNAL_INPUT,
    EXTERNAL_OUTPUT,
    Graph,
    Node,
    PerChannelGroupQuant,
    PerChannelQuant,
    QuantizedTensorValue,
    TensorValue,
    Value,
    operator_names,
    tensor_of,
)
from pte_lint.schema.xnnpack_refusals import RefusedNodeError, UnknownNodeError, Values
from pte_lint.schema.xnnpack_values import (
    BITS,
    CRASHES,
    MISREADS,
    NO_ID,
    Defined,
    ReadBytes,
    ReadScales,
    RefusedValueError,
    UnknownValueError,
    define,
    dtype_of,
)

_MAX_EXTERNS = 4096
# In the graph's union, but no code defines it.
_UNDEFINED_OPERATORS = frozenset({"XNNScaledDotProductAttention"})


@dataclass(frozen=True, slots=True)
class Needed:
    """A constant that a value takes.

    Attributes:
        index: In `constant_data`.
        nbytes: How much of it is read without asking.
        scales: How many scales it is; 0 for data.
        scale_bits: 32 for floats, 16 for bfloat16.
    """

    index: int
    nbytes: int
    scales: int = 0
    scale_bits: int = 0


# Phases of one value's definition; see `value_step`.
_FORM, CONSTANTS, _DEFINITION = range(3)


def value_step(index: int, phase: int = _FORM) -> int:
    """Returns the step of a phase of value `index`; nodes count on. Step 0 is before all values."""
    return 3 * (index + 1) + phase


def bits_of(value: Value) -> int:
    """Bits of an element of a value; 0 for a type that is not known."""
    tensor = tensor_of(value)
    return BITS.get(dtype_of(tensor.datatype), 0) if tensor is not None else 0


def constants_of(value: Value) -> Iterator[Needed]:
    """Yields the constants a value needs: its data, then its scales."""
    tensor = tensor_of(value)
    if tensor is None:
        return
    sizes = tensor.dims or ()
    if tensor.constant_buffer_idx:
        yield Needed(tensor.constant_buffer_idx, (prod(sizes) * bits_of(value) + 7) // 8)
    content = value.xvalue_union
    params = content.quant_params if isinstance(content, QuantizedTensorValue) else None
    match params:
        case PerChannelQuant(scale_buffer_idx=index, channel_dim=dim) if index:
            count = sizes[dim] if 0 <= dim < len(sizes) else 0
            yield Needed(index, 4 * count, count, 32)
        case PerChannelGroupQuant(scale_buffer_idx=index, num_scales=count) if index:
            yield Needed(index, 2 * count, count, 16)


def graph_problems(
    graph: Graph, constants: Span | None, start: int, read: ReadBytes
) -> Iterator[BlobProblem]:
    """Yields what stops the graph from being compiled.

    Args:
        graph: The graph.
        constants: The blob's constant area in the file; None without a header.
        start: First byte of the graph in the file.
        read: Reads scales.
    """
    if graph.xvalues is None or graph.xnodes is None:
        yield BlobProblem(start + graph.at, "the graph has no values or no nodes", "InvalidProgram")
        return
    if graph.num_externs > _MAX_EXTERNS:
        message = f"{graph.num_externs} external values are more than {_MAX_EXTERNS}"
        yield BlobProblem(start + graph.at, message, "InvalidProgram")

    def scales(params: PerChannelQuant | PerChannelGroupQuant, size: int) -> bytes | None:
        if not params.scale_buffer_idx:
            return read(Span(params.scale.start, size)) if params.scale is not None else None
        entries = graph.constant_data or ()
        entry = entries[params.scale_buffer_idx] if params.scale_buffer_idx < len(entries) else None
        if constants is None or entry is None or entry.named_key is not None:
            return None
        at = min(entry.offset, constants.size)
        return read(Span(constants.start + at, min(size, constants.size - at)))

    size = constants.size if constants is not None else None
    known: _Known | None = _Known()
    for index, value in enumerate(graph.xvalues):
        problems = list(_value_problems(graph, size, value))
        if known is not None and not problems:
            try:
                known.add(value, scales)
            except RefusedValueError as refused:
                problems.append(_refusal(refused, _DEFINITION))
            except UnknownValueError:
                known = None
        if problems:
            known = None
        for problem in problems:
            message = f"value {index} {problem.message}"
            step = value_step(index, problem.step)
            yield replace(problem, at=start + value.at, message=message, step=step)
    names, alive = operator_names(), live_nodes(graph) - dropped_conversions(graph)
    values = known.values() if known is not None else None
    factors, misread = transposed_factors(graph), misread_transpositions(graph)
    # What is made of a graph that does not flow is not known, so neither are the refusals then.
    flows = not any(found.is_planned for found in unwritten(graph))
    for index, node in enumerate(graph.xnodes):
        name = names.get(node.xnode_union_type)
        at, step = start + node.at, value_step(len(graph.xvalues) + index)
        if name is None or name in _UNDEFINED_OPERATORS:
            message = f"node {index} is {name or f'of unknown type {node.xnode_union_type}'}"
            yield BlobProblem(at, message, "NotImplemented", step=step)
        elif node.xnode_union is None:
            message = f"node {index}, {name}, has no content"
            yield BlobProblem(at, message, step=step, crashes=True)
        elif values is not None:
            refusal = _node_problem(name, node, values)
            if refusal is None and index in factors:
                refusal = _factor_problem(values, factors[index])
            if refusal is None and index in misread:
                what = "takes what a transposition of fewer than two dimensions makes"
                refusal = BlobProblem(0, what, step=1, misreads=True)
            # No operator is made for a node that no output depends on.
            if refusal is not None and (not refusal.step or (flows and index in alive)):
                message = f"node {index}, {name}, {refusal.message}"
                step += 3 * len(graph.xnodes) * refusal.step
                yield replace(refusal, at=at, message=message, step=step)


class _Known:
    """Values as XNNPACK numbers them: external ones by their id, which two may share."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._slots: dict[int, Defined] = {}

    def add(self, value: Value, read: ReadScales) -> None:
        """Defines a value; see `define` for what is raised."""
        tensor = tensor_of(value)
        assert tensor is not None
        made = define(value, tensor, read)
        slot = tensor.external_id
        if slot == NO_ID:
            slot = NO_ID + 1 + len(self._slots)
        self._slots[slot] = made
        # The first value of an id is the one that nodes mean.
        self._numbers.setdefault(tensor.id_out, slot)

    def values(self) -> Values:
        """The values by the ids that nodes use."""
        return Values({number: self._slots[slot] for number, slot in self._numbers.items()})


def _node_problem(name: str, node: Node, values: Values) -> BlobProblem | None:
    """Why a node is refused; its step is 1 where operators are made after all definitions."""
    try:
        check_node(name, node, values)
    except RefusedNodeError as refused:
        return _refusal(refused, int(refused.is_late))
    except UnknownNodeError:
        pass
    return None


def _factor_problem(values: Values, number: int) -> BlobProblem | None:
    """Why a matrix product is refused that takes what is transposed for it as it is."""
    try:
        check_factor(values.get(number, "second input"))
    except RefusedNodeError as refused:
        return _refusal(refused, int(refused.is_late))
    return None


def _refusal(refused: RefusedValueError | RefusedNodeError, step: int) -> BlobProblem:
    how = refused.error
    is_error = how not in (CRASHES, MISREADS)
    return BlobProblem(
        0,
        str(refused),
        how if is_error else None,
        refused.since,
        step,
        crashes=how == CRASHES,
        misreads=how == MISREADS,
    )


def _value_problems(graph: Graph, constants: int | None, value: Value) -> Iterator[BlobProblem]:
    """Yields the problems of one value; place and message are completed by the caller.

    Their step is the phase within the value.
    """
    if value.xvalue_union_type not in (1, 2):
        yield BlobProblem(0, f"is of unknown type {value.xvalue_union_type}", "NotImplemented")
        return
    tensor = tensor_of(value)
    if tensor is None:
        is_null = value.xvalue_union_type == 2 and value.xvalue_union is None
        error = None if is_null else "InvalidProgram"
        yield BlobProblem(0, "has no tensor", error, crashes=is_null)
        return
    if tensor.flags & ~(EXTERNAL_INPUT | EXTERNAL_OUTPUT):
        yield BlobProblem(0, f"has unknown flags {tensor.flags:#x}", "InvalidProgram")
    for needed in constants_of(value):
        for problem in _constant_problems(graph, constants, needed.index, needed.nbytes):
            yield replace(problem, step=CONSTANTS)
    for problem in _definition_problems(graph, value, tensor):
        yield replace(problem, step=_DEFINITION)


def _definition_problems(graph: Graph, value: Value, tensor: TensorValue) -> Iterator[BlobProblem]:
    if isinstance(value.xvalue_union, QuantizedTensorValue):
        if value.xvalue_union.quant_params_type not in (1, 2, 3, 4):
            kind = value.xvalue_union.quant_params_type
            yield BlobProblem(0, f"has quantisation of unknown type {kind}", "NotImplemented")
        elif value.xvalue_union.quant_params is None:
            yield BlobProblem(0, "has no quantisation parameters", crashes=True)
    if graph.num_externs <= tensor.external_id != NO_ID:
        message = f"has external id {tensor.external_id} of {graph.num_externs}"
        yield BlobProblem(0, message, "Internal")


def _constant_problems(
    graph: Graph, constants: int | None, index: int, size: int
) -> Iterator[BlobProblem]:
    if constants is None:
        inline = graph.constant_buffer
        storage = inline[index].storage if inline is not None and index < len(inline) else None
        if storage is None:
            message = f"needs constant {index}, which is not in constant_buffer"
            yield BlobProblem(0, message, "InvalidProgram")
        return
    if graph.constant_data is None or index >= len(graph.constant_data):
        message = f"needs constant {index}, which is not in constant_data"
        yield BlobProblem(0, message, "InvalidProgram")
        return
    entry = graph.constant_data[index]
    if entry.named_key is not None:
        return
    if entry.offset + entry.size > constants:
        end = entry.offset + entry.size
        message = f"needs constant {index}, which ends at byte {end} of {constants}"
        yield BlobProblem(0, message, "InvalidProgram")
    elif entry.offset + size > constants:
        message = f"takes {size} bytes of constant {index}, which has {constants - entry.offset}"
        yield BlobProblem(0, message, misreads=True)
