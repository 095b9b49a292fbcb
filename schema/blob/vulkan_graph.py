"""The graph of a VulkanBackend blob: its tables, what loading it refuses, where tensors are.

Facts: backends/vulkan/runtime/VulkanBackend.cpp (GraphBuilder), api/containers/Tensor.cpp
(calculate_padded_sizes, calculate_image_extents), graph/ComputeGraph.cpp (suggested_storage_type,
suggested_memory_layout). A refusal there is an exception that nothing catches, or ET_CHECK.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from pte_lint.schema.binding import Unkept
from pte_lint.schema.blob.facts import GpuTensor
from pte_lint.schema.record import record

NAMED = (1 << 64) - 1
DTYPES = {
    0: "bool", 1: "uint8", 2: "int8", 3: "int32", 4: "float16", 5: "float32", 6: "float64",
    7: "int64",
}  # fmt: skip
_BYTES = {0: 1, 1: 1, 2: 1, 3: 4, 4: 2, 5: 4, 6: 8, 7: 8}
_DEFAULT = 255
_BUFFER, _TEXTURE_3D = 0, 1
_STORAGES = {0: "buffer", 1: "texture 3D", 2: "texture 2D"}
_WIDTH, _CHANNELS = 0, 2
_LAYOUTS = {
    0: "width packed", 1: "height packed", 2: "channels packed", 3: "4W4C", 4: "4H4W", 5: "4W",
    6: "4C", 8: "4C1W", 9: "int8 of a convolution",
}  # fmt: skip
_COPIED = frozenset(
    {
        ("float16", "float16"), ("float16", "float32"), ("float32", "float32"),
        ("float64", "float64"), ("int8", "int8"), ("uint8", "uint8"), ("bool", "uint8"),
        ("uint8", "bool"), ("bool", "bool"), ("int32", "int32"),
    }
)  # fmt: skip
"""Types of a tensor and of its copy that there are shaders for (nchw_to_image.yaml)."""
_TEXTURE_DIMS = 4
_TEXEL = 4
"""Elements of a texel."""


@record
class OperatorCall:
    """One operator of the graph."""

    node_id: int = 0
    name: str | None = None
    args: tuple[int, ...] | None = None
    at: int = 0


@record
class VkTensor:
    """A tensor's metadata."""

    datatype: int = 0
    dims: tuple[int, ...] | None = None
    constant_id: int = 0
    mem_obj_id: int = 0
    storage_type: int = 255
    memory_layout: int = 255
    staging_datatype: int = 127
    at: int = 0


@record
class VkValue:
    """A value; only tensors keep their content."""

    value_type: int = 0
    value: VkTensor | Unkept | None = None
    at: int = 0


@record
class VkBytes:
    """Bytes in the blob, or under a name."""

    offset: int = 0
    length: int = 0
    named_key: str | None = None
    at: int = 0


@record
class VkGraph:
    """The root table."""

    version: str | None = None
    chain: tuple[OperatorCall, ...] | None = None
    values: tuple[VkValue, ...] | None = None
    input_ids: tuple[int, ...] | None = None
    output_ids: tuple[int, ...] | None = None
    constants: tuple[VkBytes, ...] | None = None
    shaders: tuple[VkBytes, ...] | None = None
    storage_type_override: int = 255
    memory_layout_override: int = 255
    at: int = 0


def constant_bytes(tensor: VkTensor) -> int:
    """Bytes that a constant is read with."""
    return _BYTES.get(tensor.datatype, 0) * prod(tensor.dims or ())


def faults(graph: VkGraph, room: int, start: int) -> Iterator[tuple[int, str]]:
    """What building the graph ends the process for, in its order: where, and what.

    Args:
        graph: The graph.
        room: Bytes of constants in the blob.
        start: The blob's first byte in the file, for what has no place of its own.
    """
    values = graph.values or ()
    for number, value in enumerate(values):
        if isinstance(value.value, VkTensor):
            message = _tensor_fault(graph, value.value, room)
            if message:
                yield value.value.at, f"value {number} {message}"
        elif value.value is None:
            yield value.at, f"value {number} has no content"
    for what, ids in (("input", graph.input_ids), ("output", graph.output_ids)):
        for position, number in enumerate(ids or ()):
            if number >= len(values):
                yield start, f"{what} {position} is value {number} of {len(values)}"
                continue
            message = _copy_fault(values[number].value)
            if message:
                yield values[number].at, f"{what} {position} {message}"
    for position, call in enumerate(graph.chain or ()):
        if call.name is None or call.args is None:
            yield call.at, f"operator {position} has no {'name' if call.name is None else 'args'}"
            continue
        beyond = next((each for each in call.args if not 0 <= each < len(values)), None)
        if beyond is not None:
            yield call.at, f"operator {position} ({call.name}) names value {beyond}"


def _tensor_fault(graph: VkGraph, tensor: VkTensor, room: int) -> str:
    """What is wrong with a tensor; "" for nothing."""
    if tensor.dims is None:
        return "has no sizes"
    if tensor.datatype not in DTYPES:
        return f"has the unknown type {tensor.datatype}"
    if tensor.storage_type not in (*_STORAGES, _DEFAULT):
        return f"has the unknown storage {tensor.storage_type}"
    if tensor.memory_layout not in (*_LAYOUTS, _DEFAULT):
        return f"has the unknown layout {tensor.memory_layout}"
    if tensor.constant_id < 0:
        return ""
    constants = graph.constants or ()
    if tensor.constant_id >= len(constants):
        return f"is constant {tensor.constant_id} of {len(constants)}"
    entry = constants[tensor.constant_id]
    if entry.named_key is not None and entry.offset == NAMED:
        return ""
    end = entry.offset + constant_bytes(tensor)
    if entry.offset >= room or end > room:
        return f"is a constant that ends at byte {end} of {room}"
    return ""


def _copy_fault(tensor: object) -> str:
    """Why no shader copies a tensor that the graph takes or gives; "" where one does."""
    if not isinstance(tensor, VkTensor) or tensor.constant_id >= 0:
        return ""
    if tensor.memory_layout not in (0, 1, _CHANNELS, _DEFAULT):
        return ""
    inside = DTYPES.get(tensor.datatype, "")
    outside = DTYPES.get(tensor.staging_datatype, inside)
    if not inside or (inside, outside) in _COPIED:
        return ""
    return f"is {inside} on the GPU and {outside} on the host, which no shader copies"


def placed(tensor: VkTensor) -> str | None:
    """Storage and layout that a tensor names itself."""
    storage, packing = _STORAGES.get(tensor.storage_type), _LAYOUTS.get(tensor.memory_layout)
    return ", ".join(each for each in (storage, packing) if each) or None


def gpu_tensors(graph: VkGraph, specs: Mapping[str, bytes]) -> Iterator[GpuTensor]:
    """Tensors that get memory when the graph is built, with the extents of textures."""
    for number, value in enumerate(graph.values or ()):
        tensor = value.value
        if not isinstance(tensor, VkTensor) or tensor.constant_id >= 0 or tensor.dims is None:
            continue
        storage = _chosen(tensor.storage_type, specs.get("storage_type_override"), _TEXTURE_3D)
        suggested = _suggested_layout(tensor.dims)
        layout = _chosen(tensor.memory_layout, specs.get("memory_layout_override"), suggested)
        if storage in _STORAGES and tensor.datatype in DTYPES:
            yield GpuTensor(
                number,
                DTYPES[tensor.datatype],
                tensor.dims,
                _STORAGES[storage],
                _LAYOUTS.get(layout, f"layout {layout}"),
                None if storage == _BUFFER else _extents(tensor.dims, layout),
            )


def _chosen(own: int, override: bytes | None, suggested: int) -> int:
    if own != _DEFAULT:
        return own
    if override is not None and len(override) == 4:
        return int.from_bytes(override, "little")
    return suggested


def _suggested_layout(sizes: tuple[int, ...]) -> int:
    if len(sizes) < 3 or sizes[-3] == 1:
        return _WIDTH
    return _CHANNELS


def _extents(sizes: tuple[int, ...], layout: int) -> tuple[int, int, int] | None:
    """Texels along x, y and z: a texel takes four elements of the packed dimension.

    None for layouts that pack two dimensions, and for tensors that no texture holds.
    """
    if len(sizes) > _TEXTURE_DIMS or layout > _CHANNELS:
        return None
    batch, *others = (1,) * (_TEXTURE_DIMS - len(sizes)) + sizes
    found = others[::-1]
    found[layout] = -(-found[layout] // _TEXEL)
    return found[0], found[1], found[2] * batch
