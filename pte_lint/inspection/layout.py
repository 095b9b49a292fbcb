"""Who claims which bytes of a .pte, .ptd or .bpte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pte_lint.data.context import Context
from pte_lint.inspection.labels import label
from pte_lint.inspection.model import NamedBytes
from pte_lint.inspection.regions import Claim, Region, RegionKind, partition
from pte_lint.inspection.tensors import layout_type
from pte_lint.schema.bundled_program import BundledProgram, BundledTensor
from pte_lint.schema.container import Container
from pte_lint.schema.enums import DataLocation
from pte_lint.schema.flat_tensor import FlatTensor
from pte_lint.schema.loaded import LoadedFlatTensor
from pte_lint.schema.program import DataSegment, Program, Span

_IDENTIFIER_END = 8
"""Root offset and identifier: the flatbuffer's first 8 bytes, where a header may follow."""

_MAX_NAMES = 3
"""Names that a region shows when a segment has several."""


def regions(context: Context) -> tuple[Region, ...]:
    """Cuts the artifact into regions that cover it exactly."""
    claims: list[Claim] = []
    if context.bundle is not None and context.bundle.bundle is not None:
        claims.extend(_bundle_claims(context.bundle.bundle, context.artifact.size))
    if context.flat_tensor is not None and context.flat_tensor.flat_tensor is not None:
        container = context.flat_tensor.container
        claims.extend(_outer_claims(container))
        claims.extend(_flat_tensor_claims(context.flat_tensor.flat_tensor, container))
    if context.loaded is not None and context.loaded.program is not None:
        container = context.loaded.container
        claims.extend(_outer_claims(container))
        claims.extend(_program_claims(context.loaded.program, container))
    return partition(context.artifact.buffer, claims, _end(context))


def _end(context: Context) -> int:
    if context.bundle is not None:
        return context.artifact.size
    expected = context.container.expected_size
    return context.artifact.size if expected is None else expected


def _outer_claims(container: Container) -> Iterator[Claim]:
    yield Claim(RegionKind.TABLES, "", container.program_range)
    end = _IDENTIFIER_END + (container.header.length if container.header else 0)
    room = container.program_range.size
    yield Claim(RegionKind.HEADER, "", Span(container.origin, min(end, room)))


def _program_claims(program: Program, container: Container) -> Iterator[Claim]:
    for buffer in program.constant_buffer or ():
        if buffer.storage is not None:
            yield Claim(RegionKind.CONSTANTS, "inline constants", buffer.storage)
    inline: dict[int, list[str]] = {}
    roles: dict[int, list[tuple[RegionKind, str]]] = {}

    def role(segment: int, kind: RegionKind, name: str) -> None:
        roles.setdefault(segment, []).append((kind, name))

    constants = program.constant_segment
    if constants is not None and len(constants.offsets or ()) > 1:
        role(constants.segment_index, RegionKind.CONSTANTS, "constants")
    for plan in program.execution_plan or ():
        for index, delegate in enumerate(plan.delegates or ()):
            name = blob_name(plan.name or "", delegate.id or "", index)
            reference = delegate.processed
            if reference is None:
                continue
            if reference.location == DataLocation.INLINE:
                inline.setdefault(reference.index, []).append(name)
            else:
                role(reference.index, RegionKind.BLOB, name)
    for number, state in enumerate(program.mutable_data_segments or ()):
        role(state.segment_index, RegionKind.STATE, f"mutable data segment {number}")
    for entry in program.named_data or ():
        role(entry.segment_index, RegionKind.NAMED, label(entry.key))
    for number, blob in enumerate(program.backend_delegate_data or ()):
        if blob.data is not None:
            names = inline.get(number, [f"inline blob {number}"])
            yield Claim(RegionKind.BLOB, _joined(names), blob.data)
    yield from _segment_claims(program.segments or (), roles, container)


def _segment_claims(
    segments: Sequence[DataSegment],
    roles: dict[int, list[tuple[RegionKind, str]]],
    container: Container,
) -> Iterator[Claim]:
    for number, segment in enumerate(segments):
        span = container.segment_range(segment)
        if span is None:
            continue
        mine = roles.get(number, [(RegionKind.SEGMENT, f"segment {number}")])
        yield Claim(mine[0][0], _joined([name for _, name in mine]), span)


def _flat_tensor_claims(flat_tensor: FlatTensor, container: Container) -> Iterator[Claim]:
    roles: dict[int, list[tuple[RegionKind, str]]] = {}
    for entry in flat_tensor.named_data or ():
        role = (RegionKind.NAMED, label(entry.key))
        roles.setdefault(entry.segment_index, []).append(role)
    return _segment_claims(flat_tensor.segments or (), roles, container)


def _bundle_claims(bundle: BundledProgram, size: int) -> Iterator[Claim]:
    yield Claim(RegionKind.BUNDLE, "", Span(0, size))
    yield Claim(RegionKind.HEADER, "", Span(0, _IDENTIFIER_END))
    if bundle.program is not None:
        yield Claim(None, "", bundle.program)
    for suite in bundle.method_test_suites or ():
        for case in suite.test_cases or ():
            for value in (*(case.inputs or ()), *(case.expected_outputs or ())):
                if isinstance(value.val, BundledTensor) and value.val.data is not None:
                    name = label(suite.method_name)
                    yield Claim(RegionKind.BUNDLED_DATA, name, value.val.data)


def blob_name(method: str, backend: str, index: int) -> str:
    """The name of a delegate's blob: `forward/XnnpackBackend#0`."""
    return f"{label(method)}/{label(backend)}#{index}"


def _joined(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(names))
    shown = ", ".join(names[:_MAX_NAMES])
    return shown if len(names) <= _MAX_NAMES else f"{shown} and {len(names) - _MAX_NAMES} more"


def named_bytes(context: Context) -> tuple[NamedBytes, ...]:
    """The keys of a program's named data, or of a .ptd, in file order."""
    if context.flat_tensor is not None:
        return named_of(context.flat_tensor)
    found: list[NamedBytes] = []
    if context.program is not None and context.loaded is not None:
        for named in context.program.named_data or ():
            segments = context.program.segments or ()
            span = _segment(segments, named.segment_index, context.loaded.container)
            found.append(
                NamedBytes(
                    label(named.key),
                    named.segment_index,
                    span.size if span else None,
                    start=span.start if span else None,
                )
            )
    return tuple(found)


def named_of(file: LoadedFlatTensor) -> tuple[NamedBytes, ...]:
    """The keys of a .ptd, in file order."""
    root, found = file.flat_tensor, []
    for entry in (root.named_data or ()) if root is not None else ():
        span = _segment((root.segments or ()) if root else (), entry.segment_index, file.container)
        layout = entry.tensor_layout
        found.append(
            NamedBytes(
                label(entry.key),
                entry.segment_index,
                span.size if span else None,
                layout_type(layout) if layout else None,
                span.start if span else None,
            )
        )
    return tuple(found)


def key_sizes(context: Context) -> dict[str, int]:
    """Bytes by key of the program's named data and of the data files it is loaded with."""
    found = {each.key: each.size or 0 for each in named_bytes(context)}
    for file in context.data:
        for each in named_of(file):
            found.setdefault(each.key, each.size or 0)
    return found


def _segment(segments: Sequence[DataSegment], index: int, container: Container) -> Span | None:
    return container.segment_range(segments[index]) if index < len(segments) else None
