"""Describes VgfBackend blobs: a VGF container of SPIR-V modules and the resources they bind.

Facts: arm/ai-ml-sdk-vgf-library (src/header.hpp, src/decoder.cpp, schema/vgf.fbs,
docs/source/file_format.rst) and backends/arm/runtime/VGFSetup.cpp (process_vgf). Whatever the
library refuses ends `init` with Internal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeVar, cast

from pte_lint.schema.binding import Binding, Unkept, bind
from pte_lint.schema.blob.facts import (
    UNREAD,
    BlobArgument,
    BlobConstant,
    BlobFacts,
    BlobPart,
    BlobProblem,
    Requirement,
)
from pte_lint.schema.blob.window import OutsideError, Window
from pte_lint.schema.fbs import layout
from pte_lint.schema.flatbuffer import decode
from pte_lint.schema.record import record
from pte_lint.schema.violations import is_exhausted

BACKEND = "VgfBackend"
MAGIC = (b"VGF1", 0)
"""What its blobs have, and where."""

_OLD_MAGIC = b"\xc3\xd2\xe1\xf0"
_HEADER_BYTES = 128
_MINOR = 5
"""The newest minor version that is known; the library refuses newer ones than its own."""
_REFUSED = "Internal"
_SECTIONS = ("modules", "sequence", "resources", "constants")
_RAW_CONSTANTS = b"CONST00\0"
_CONSTANT_BYTES = 24
_GRAPH = 1
_CODE = ("no code", "SPIR-V", "GLSL", "HLSL")
_OPAQUE = "SPIR-V modules are compiled by the driver"
_FORMATS = {
    1000460000: "bool", 13: "uint8", 14: "int8", 74: "uint16", 75: "int16", 76: "float16",
    98: "uint32", 99: "int32", 100: "float32", 111: "int64", 1000460001: "bfloat16",
}  # fmt: skip
"""VkFormat of one component, by number; others are told as their number."""

_T = TypeVar("_T")


@record
class Module:
    """A shader, or a graph."""

    type: int = 0
    name: str | None = None
    entry_point: str | None = None
    code_type: int = 0
    code: Unkept | None = None
    at: int = 0


@record
class ModuleTable:
    """Root of the first section."""

    modules: tuple[Module, ...] | None = None
    at: int = 0


@record
class Description:
    """Of a resource."""

    shape: tuple[int, ...] | None = None
    strides: tuple[int, ...] | None = None
    at: int = 0


@record
class ModelResourceTableEntry:
    """A resource: `vk_format` is a VkFormat."""

    vk_descriptor_type: int = 0
    vk_format: int = 0
    category: int = 0
    description: Description | None = None
    extra_config_type: int = 0
    extra_config: Unkept | None = None
    at: int = 0


@record
class ModelResourceTable:
    """Root of the third section."""

    mrt_entry: tuple[ModelResourceTableEntry, ...] | None = None
    at: int = 0


@record
class BindingSlot:
    """Binds a resource by its index."""

    binding: int = 0
    mrt_index: int = 0
    at: int = 0


@record
class SegmentInfo:
    """A step: it dispatches a module."""

    type: int = 0
    name: str | None = None
    module_index: int = 0
    set_infos: Unkept | None = None
    inputs: tuple[BindingSlot, ...] | None = None
    outputs: tuple[BindingSlot, ...] | None = None
    constants: tuple[int, ...] | None = None
    dispatch_shape: tuple[int, ...] | None = None
    push_constant_ranges: Unkept | None = None
    at: int = 0


@record
class ModelSequenceTable:
    """Root of the second section."""

    segments: tuple[SegmentInfo, ...] | None = None
    inputs: tuple[BindingSlot, ...] | None = None
    outputs: tuple[BindingSlot, ...] | None = None
    input_names: tuple[str, ...] | None = None
    output_names: tuple[str, ...] | None = None
    at: int = 0


@cache
def _binding(name: str) -> Binding:
    kept: tuple[type, ...] = (
        Module, ModuleTable, Description, ModelResourceTableEntry, ModelResourceTable,
        BindingSlot, SegmentInfo, ModelSequenceTable,
    )  # fmt: skip
    return bind(layout(f"vgf_{name}"), {cls.__name__: cls for cls in kept})


def describe(blob: Window) -> BlobFacts:
    """Describes a blob that VgfBackend is given."""
    magic = blob.look(0, 4)
    if len(blob) < _HEADER_BYTES or magic not in (MAGIC[0], _OLD_MAGIC):
        message = f"{len(blob)} bytes that begin with {magic!r} are no VGF header"
        return BlobFacts("", blob.span, (BlobProblem(blob.start, message, _REFUSED),))
    headers, major, minor, patch = blob.unpack("<H2x3B", 4)
    name = "VGF container"
    requires: tuple[Requirement, ...] = (Requirement("VGF version", f"{major}.{minor}.{patch}"),)
    if headers:
        requires += (Requirement("Vulkan headers", str(headers)),)
    if major or minor > _MINOR:
        reason = f"version {major}.{minor} of the container is not known"
        return BlobFacts(name, blob.span, requires=requires, opaque=reason)
    places = [blob.unpack("<QQ", 16 + 16 * n) for n in range(len(_SECTIONS))]
    parts = tuple(BlobPart(what, size) for what, (_, size) in zip(_SECTIONS, places, strict=True))
    for what, (at, size) in zip(_SECTIONS, places, strict=True):
        if at + size > len(blob):
            message = f"section {what} ends at byte {at + size} of {len(blob)}"
            problem = BlobProblem(blob.start + 16, message, _REFUSED)
            return BlobFacts(name, blob.span, (problem,), requires=requires, parts=parts)
    try:
        return _Container(blob, dict(zip(_SECTIONS, places, strict=True))).facts(
            name, requires, parts
        )
    except _GivenUpError:
        return BlobFacts(name, blob.span, requires=requires, parts=parts, unread=UNREAD)


class _GivenUpError(Exception):
    """Reading a section would take longer than its size allows."""


class _Container:
    """The sections of one blob."""

    def __init__(self, blob: Window, places: dict[str, tuple[int, ...]]) -> None:
        self._blob = blob
        self._places = places
        self._problems: list[BlobProblem] = []

    def facts(
        self, name: str, requires: tuple[Requirement, ...], parts: tuple[BlobPart, ...]
    ) -> BlobFacts:
        modules = self._table("modules", ModuleTable)
        sequence = self._table("sequence", ModelSequenceTable)
        resources = self._table("resources", ModelResourceTable)
        inputs = outputs = None
        constants: tuple[BlobConstant, ...] = ()
        operators: tuple[tuple[str, int], ...] = ()
        if modules and sequence and resources:
            entries = resources.mrt_entry or ()
            self._check(modules.modules or (), sequence, len(entries))
            inputs = _arguments(sequence.inputs, sequence.input_names, entries, 0)
            outputs = _arguments(sequence.outputs, sequence.output_names, entries, len(inputs))
            constants = tuple(self._constants(entries))
            operators = _kinds(modules.modules or ())
        return BlobFacts(
            name,
            self._blob.span,
            tuple(self._problems),
            inputs,
            outputs,
            operators=operators,
            constants=constants,
            requires=requires,
            parts=parts,
            opaque=_OPAQUE,
        )

    def _refuse(self, message: str, at: int) -> None:
        self._problems.append(BlobProblem(self._blob.start + at, message, _REFUSED))

    def _table(self, what: str, root: Callable[..., _T]) -> _T | None:
        at, size = self._places[what]
        with self._blob.part(at, size) as window:
            decoded = decode(window, _binding(what), origin=self._blob.start + at)
        if is_exhausted(decoded.violations):
            raise _GivenUpError
        for found in decoded.violations:
            self._refuse(f"section {what}: {found.path or 'table'}: {found.message}", at)
        if decoded.root is None or any(found.hard for found in decoded.violations):
            return None
        return cast("_T", decoded.root)

    def _check(
        self, modules: tuple[Module, ...], sequence: ModelSequenceTable, resources: int
    ) -> None:
        """What `process_vgf` refuses, or looks up without asking whether it is there."""
        at, _ = self._places["sequence"]
        segments = sequence.segments or ()
        if not segments:
            self._refuse("the sequence has no segment", at)
        for number, segment in enumerate(segments):
            if segment.module_index >= len(modules):
                message = f"segment {number} names module {segment.module_index} of {len(modules)}"
                self._problems.append(BlobProblem(self._blob.start + at, message))
                break
        slots = (
            *(sequence.inputs or ()),
            *(sequence.outputs or ()),
            *(slot for each in segments for slot in (*(each.inputs or ()), *(each.outputs or ()))),
        )
        for slot in slots:
            if slot.mrt_index >= resources:
                message = f"a binding names resource {slot.mrt_index} of {resources}"
                self._problems.append(BlobProblem(self._blob.start + at, message))
                break

    def _constants(self, entries: tuple[ModelResourceTableEntry, ...]) -> Iterator[BlobConstant]:
        at, size = self._places["constants"]
        if size < 16 or self._blob.look(at, 8) != _RAW_CONSTANTS:
            # Nothing, or the form of containers before 0.4, which is not read.
            return
        (count,) = self._blob.unpack("<Q", at + 8)
        if count > (size - 16) // _CONSTANT_BYTES:
            self._refuse(f"{count} constants do not fit into {size} bytes", at)
            return
        try:
            table = self._blob.within(at + 16, count * _CONSTANT_BYTES)
        except OutsideError:
            return
        room = size - 16 - count * _CONSTANT_BYTES
        for number in range(count):
            index, _, nbytes, offset = table.unpack("<IiQQ", number * _CONSTANT_BYTES)
            if offset + nbytes > room:
                end = offset + nbytes
                self._refuse(f"constant {number} ends at byte {end} of {room}", at)
                return
            dtype, sizes = _described(entries, index)
            yield BlobConstant("", dtype, sizes, nbytes)


def _described(
    entries: tuple[ModelResourceTableEntry, ...], index: int
) -> tuple[str | None, tuple[int, ...] | None]:
    if index >= len(entries):
        return None, None
    entry = entries[index]
    sizes = entry.description.shape or () if entry.description else None
    return _FORMATS.get(entry.vk_format, f"VkFormat {entry.vk_format}"), sizes


def _arguments(
    slots: tuple[BindingSlot, ...] | None,
    names: tuple[str, ...] | None,
    entries: tuple[ModelResourceTableEntry, ...],
    first: int,
) -> tuple[BlobArgument, ...]:
    found = []
    known = names or ()
    for number, slot in enumerate(slots or ()):
        dtype, sizes = _described(entries, slot.mrt_index)
        name = known[number] if number < len(known) else ""
        found.append(BlobArgument(first + number, dtype, sizes, name=name))
    return tuple(found)


def _kinds(modules: tuple[Module, ...]) -> tuple[tuple[str, int], ...]:
    """Modules by kind, such as `graph in SPIR-V`."""
    found: dict[str, int] = {}
    for each in modules:
        code = _CODE[each.code_type] if each.code_type < len(_CODE) else "unknown code"
        kind = f"{'graph' if each.type == _GRAPH else 'shader'} in {code}"
        found[kind] = found.get(kind, 0) + 1
    return tuple(sorted(found.items()))
