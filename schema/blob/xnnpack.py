"""Describes XnnpackBackend blobs: the header, then what the graph takes, gives and wants.

Facts: backends/xnnpack/runtime/XNNHeader.cpp (XNNHeader::Parse), XNNCompiler.cpp (compileModel,
getConstantDataPtr), XNNExecutor.cpp (initialize, prepare_args).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import cast

from pte_lint.schema.blob.facts import (
    UNREAD,
    BlobArgument,
    BlobFacts,
    BlobProblem,
    WantedData,
)
from pte_lint.schema.blob.window import Window
from pte_lint.schema.flatbuffer import decode
from pte_lint.schema.program import Span
from pte_lint.schema.shown_bytes import shown
from pte_lint.schema.violations import is_exhausted
from pte_lint.schema.xnnpack_checks import (
    CONSTANTS,
    constants_of,
    graph_problems,
    value_step,
)
from pte_lint.schema.xnnpack_flow import packed_constants, place_of
from pte_lint.schema.xnnpack_graph import (
    EXTERNAL_INPUT,
    EXTERNAL_OUTPUT,
    Graph,
    QuantizedTensorValue,
    binding,
    operator_names,
    tensor_of,
)

BACKEND = "XnnpackBackend"
MAGIC = (b"XH00", 4)
"""What its blobs with a header have, and where."""

_HEADER_BYTES = 30
_IDENTIFIERS = (b"XN00", b"XN01")

_DTYPES = {
    1: "float32", 2: "float16", 3: "int8", 4: "uint8", 5: "int32", 6: "int8", 7: "int32",
    9: "int8", 11: "int8", 12: "int32", 13: "float32", 14: "bfloat16",
}  # fmt: skip


def describe(blob: Window) -> BlobFacts:
    """Describes a blob that XnnpackBackend is given."""
    if len(blob) < _HEADER_BYTES:
        message = f"{len(blob)} bytes are less than the {_HEADER_BYTES} of the header"
        return BlobFacts("", blob.span, (BlobProblem(blob.start, message, "InvalidArgument"),))
    where, constants = Span(0, len(blob)), None
    if blob.starts_with(*MAGIC):
        graph_at, graph_size, constants_at, constants_size = fields = blob.unpack("<IIIQ", 10)
        message = _header_problem(fields, len(blob))
        if message:
            problem = BlobProblem(blob.start + 10, message, "InvalidArgument", "1.3")
            return BlobFacts("XNNPACK blob XH00", blob.span, (problem,))
        where, constants = Span(graph_at, graph_size), Span(constants_at, constants_size)
    start = blob.start + where.start
    identifier = blob.take(where.start + 4, 4)
    if identifier not in _IDENTIFIERS:
        message = f"graph identifier {shown(identifier)} is neither XN00 nor XN01"
        wrong = BlobProblem(start + 4, message, "DelegateInvalidCompatibility")
        return BlobFacts("XNNPACK blob XH00" if constants else "", blob.span, (wrong,))
    with blob.part(where.start, where.size) as window:
        decoded = decode(window, binding(), origin=start)
    name = f"XNNPACK graph {identifier.decode()}"
    if is_exhausted(decoded.violations):
        return BlobFacts(name, blob.span, unread=UNREAD)
    problems = [
        BlobProblem(
            found.at,
            f"{found.path or 'graph'}: {found.message}",
            "DelegateInvalidCompatibility" if found.rejected else None,
            "1.3",
        )
        for found in decoded.violations
    ]
    graph = cast("Graph | None", decoded.root)
    if graph is None or any(found.hard for found in decoded.violations):
        return BlobFacts(name, blob.span, tuple(problems))
    problems += graph_problems(
        graph,
        Span(blob.start + constants.start, constants.size) if constants else None,
        start,
        lambda span: blob.look(span.start - blob.start, span.size),
    )
    return BlobFacts(
        name,
        blob.span,
        tuple(problems),
        _externals(graph, EXTERNAL_INPUT),
        _externals(graph, EXTERNAL_OUTPUT),
        tuple(_wants(graph)) if constants else (),
        _operators(graph),
        "operator parameters are checked by XNNPACK itself",
        graph=None if any(found.is_refused for found in problems) else graph,
        graph_constants=Span(blob.start + constants.start, constants.size) if constants else None,
    )


def _header_problem(fields: tuple[int, ...], size: int) -> str:
    graph_at, graph_size, constants_at, constants_size = fields
    if graph_size < 8:
        return f"a graph of {graph_size} bytes is too small"
    if graph_at + graph_size > size:
        return f"the graph ends at byte {graph_at + graph_size} of {size}"
    if constants_at + constants_size > size:
        return f"the constants end at byte {constants_at + constants_size} of {size}"
    if constants_at < graph_at + graph_size:
        return "the constants begin before the graph ends"
    return ""


def _externals(graph: Graph, flag: int) -> tuple[BlobArgument, ...]:
    """The arguments of one direction, as the executor orders them: by external id."""
    tensors = [t for t in map(tensor_of, graph.xvalues or ()) if t is not None]
    found = sorted((t for t in tensors if t.flags & flag), key=lambda t: t.external_id)
    return tuple(
        BlobArgument(tensor.external_id, _DTYPES.get(tensor.datatype), tensor.dims or ())
        for tensor in found
    )


def _wants(graph: Graph) -> Iterator[WantedData]:
    """What the values ask for."""
    entries, packed = graph.constant_data or (), packed_constants(graph)
    for number, value in enumerate(graph.xvalues or ()):
        tensor = tensor_of(value)
        is_packed = tensor is not None and place_of(tensor, number) in packed
        quantized = isinstance(value.xvalue_union, QuantizedTensorValue)
        for needed in constants_of(value):
            entry = entries[needed.index] if needed.index < len(entries) else None
            if entry is None or entry.named_key is None:
                continue
            yield WantedData(
                entry.named_key,
                "scales" if needed.scales else "weights",
                needed.nbytes,
                step=value_step(number, CONSTANTS),
                quantized=quantized,
                early=is_packed or needed.scales > 0,
                scales=needed.scales,
                scale_bits=needed.scale_bits,
            )


def _operators(graph: Graph) -> tuple[tuple[str, int], ...]:
    names = operator_names()
    codes = Counter(node.xnode_union_type for node in graph.xnodes or ())
    return tuple(sorted((names.get(code, f"type {code}"), n) for code, n in codes.items()))
