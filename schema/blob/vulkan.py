"""Describes VulkanBackend blobs (the WebGPU backend registers under the same id).

Facts: backends/vulkan/runtime/VulkanDelegateHeader.cpp (parse, is_valid), VulkanBackend.cpp
(compileModel, GraphBuilder, execute).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import cast

from pte_lint.schema.binding import Binding, bind
from pte_lint.schema.blob.facts import (
    UNREAD,
    BlobArgument,
    BlobConstant,
    BlobFacts,
    BlobProblem,
    WantedData,
)
from pte_lint.schema.blob.vulkan_graph import (
    DTYPES,
    NAMED,
    OperatorCall,
    VkBytes,
    VkGraph,
    VkTensor,
    VkValue,
    constant_bytes,
    faults,
    gpu_tensors,
    placed,
)
from pte_lint.schema.blob.window import Window
from pte_lint.schema.fbs import layout
from pte_lint.schema.flatbuffer import decode
from pte_lint.schema.shown_bytes import shown
from pte_lint.schema.violations import is_exhausted

BACKEND = "VulkanBackend"
MAGIC = (b"VH00", 4)
"""What its blobs have, and where."""

_HEADER_BYTES = 30


@cache
def _binding() -> Binding:
    kept: tuple[type, ...] = (OperatorCall, VkTensor, VkValue, VkBytes, VkGraph)
    return bind(layout("vulkan"), {cls.__name__: cls for cls in kept})


def describe(blob: Window, specs: Mapping[str, bytes]) -> BlobFacts:
    """Describes a blob that VulkanBackend is given.

    Args:
        blob: The blob.
        specs: The delegate's compile specs; storage and layout can be told there.
    """
    if len(blob) < _HEADER_BYTES:
        message = f"{len(blob)} bytes are less than the {_HEADER_BYTES} of the header"
        return BlobFacts("", blob.span, (BlobProblem(blob.start, message, "InvalidArgument"),))
    if not blob.starts_with(*MAGIC):
        found = blob.take(4, 4)
        wrong = BlobProblem(blob.start + 4, f"magic {shown(found)} is not VH00", "NotFound")
        return BlobFacts("", blob.span, (wrong,))
    _, graph_at, graph_size, _, _ = header = blob.unpack("<HIIIQ", 8)
    message = _header_problem(header, len(blob))
    if message:
        problem = BlobProblem(blob.start + 8, message, "InvalidArgument", "1.3")
        return BlobFacts("Vulkan blob VH00", blob.span, (problem,))
    start = blob.start + graph_at
    with blob.part(graph_at, graph_size) as window:
        decoded = decode(window, _binding(), origin=start)
    if is_exhausted(decoded.violations):
        return BlobFacts("Vulkan graph VK00", blob.span, unread=UNREAD)
    problems = tuple(
        BlobProblem(
            found.at,
            f"{found.path or 'graph'}: {found.message}",
            "DelegateInvalidCompatibility" if found.rejected else None,
        )
        for found in decoded.violations
    )
    graph = cast("VkGraph | None", decoded.root)
    if graph is None or any(found.hard for found in decoded.violations):
        return BlobFacts("Vulkan graph VK00", blob.span, problems)
    room = header[4] or len(blob) - header[3]
    refused = (BlobProblem(at, message) for at, message in faults(graph, room, blob.start))
    wants = tuple(_wants(graph))
    return BlobFacts(
        "Vulkan graph VK00",
        blob.span,
        (*problems, *islice(refused, 1)),
        _arguments(graph, graph.input_ids, 0),
        _arguments(graph, graph.output_ids, len(graph.input_ids or ())),
        wants,
        tuple(sorted(Counter(call.name or "" for call in graph.chain or ()).items())),
        "operators and shaders are checked by the backend itself",
        constants=tuple(_constants(graph)),
        gpu_tensors=tuple(gpu_tensors(graph, specs)),
    )


def _header_problem(fields: tuple[int, ...], size: int) -> str:
    header, graph_at, graph_size, bytes_at, bytes_size = fields
    if header < _HEADER_BYTES or graph_at < header:
        return f"a header of {header} bytes and a graph at byte {graph_at} do not fit"
    if graph_size == 0 or graph_at + graph_size > size:
        return f"the graph ends at byte {graph_at + graph_size} of {size}"
    if bytes_at < graph_at + graph_size:
        return "the constants begin before the graph ends"
    if bytes_at + bytes_size > size:
        return f"the constants end at byte {bytes_at + bytes_size} of {size}"
    return ""


def _arguments(graph: VkGraph, ids: tuple[int, ...] | None, first: int) -> tuple[BlobArgument, ...]:
    values = graph.values or ()
    found = []
    for index, value in enumerate(ids or ()):
        tensor = values[value].value if value < len(values) else None
        if not isinstance(tensor, VkTensor):
            found.append(BlobArgument(first + index))
        else:
            # The argument has the staging type when that is set.
            dtype = DTYPES.get(tensor.staging_datatype) or DTYPES.get(tensor.datatype)
            place = placed(tensor)
            found.append(BlobArgument(first + index, dtype, tensor.dims or (), place))
    return tuple(found)


def _wants(graph: VkGraph) -> Iterator[WantedData]:
    constants = graph.constants or ()
    for value in graph.values or ():
        index = value.value.constant_id if isinstance(value.value, VkTensor) else -1
        if 0 <= index < len(constants):
            entry = constants[index]
            if entry.named_key is not None and entry.offset == NAMED:
                yield WantedData(entry.named_key, "weights", entry.length)


def _constants(graph: VkGraph) -> Iterator[BlobConstant]:
    table = graph.constants or ()
    for value in graph.values or ():
        tensor = value.value
        if isinstance(tensor, VkTensor) and 0 <= tensor.constant_id < len(table):
            entry = table[tensor.constant_id]
            dtype, key = DTYPES.get(tensor.datatype), entry.named_key or ""
            yield BlobConstant("", dtype, tensor.dims or (), constant_bytes(tensor), key)
