"""The segments of a program: who refers to which, and where each lies in the file.

Nothing here reads a segment. References follow `Program::load` (constants), `load_mutable_
subsegment_into`, `LoadSegment` (runtime/executor/program.cpp) and `PteDataMap`
(runtime/executor/pte_data_map.cpp).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter

from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.schema.container import Container, Kind
from pte_lint.schema.enums import DataLocation
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import DataSegment, Program, Span
from pte_lint.schema.str_enum import StrEnum

U64 = 1 << 64


class Use(StrEnum):
    """What a segment is for."""

    CONSTANTS = "constants"
    INITIAL_STATE = "initial state"
    DELEGATE = "delegate blob"
    NAMED_DATA = "named data"


@dataclass(frozen=True, slots=True)
class Reference:
    """One mention of a segment. `path` is where in the program, `index` the segment named."""

    use: Use
    index: int
    path: str


class Place(StrEnum):
    """What a loader says to a segment's range."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    WRAPS = "wraps"
    """The start passes 2^64 and comes back inside the file: bytes are read, not the meant ones."""


def program_container(ctx: Context) -> Container | None:
    """The container of the program in the artifact, if there is a program in it."""
    if ctx.loaded is None or ctx.loaded.container.kind is not Kind.PROGRAM:
        return None
    return ctx.loaded.container


def has_constants(program: Program) -> bool:
    """True when the loader reads the constant segment: offsets beyond the placeholder."""
    segment = program.constant_segment
    return segment is not None and segment.offsets is not None and len(segment.offsets) > 1


def references(program: Program) -> Iterator[Reference]:
    """All mentions of segments that a runtime may follow, in the order of the program's fields."""
    segment = program.constant_segment
    # The exporter names segment 0 here even when it holds no constants and is never loaded.
    if segment is not None and segment.offsets:
        yield Reference(Use.CONSTANTS, segment.segment_index, "constant_segment")
    for plan_index, plan in enumerate(program.execution_plan or ()):
        for n, delegate in enumerate(plan.delegates or ()):
            where = delegate.processed
            if where is not None and where.location == DataLocation.SEGMENT:
                path = f"execution_plan[{plan_index}].delegates[{n}].processed"
                yield Reference(Use.DELEGATE, where.index, path)
    for n, mutable in enumerate(program.mutable_data_segments or ()):
        path = f"mutable_data_segments[{n}]"
        yield Reference(Use.INITIAL_STATE, mutable.segment_index, path)
    for n, entry in enumerate(program.named_data or ()):
        yield Reference(Use.NAMED_DATA, entry.segment_index, f"named_data[{n}]")


def segment_at(program: Program, index: int) -> DataSegment | None:
    """Segment `index`, or None when the table has no such entry."""
    segments = program.segments or ()
    return segments[index] if 0 <= index < len(segments) else None


def overflows(container: Container, segment: DataSegment) -> bool:
    """True when the header's base plus the segment's offset does not fit in 64 bits."""
    return container.segment_base_offset + segment.offset >= U64


def place(container: Container, segment: DataSegment) -> Place:
    """Where a loader finds the segment, base plus offset wrapping at 64 bits."""
    if container.segment_range(segment) is None:
        return Place.OUTSIDE
    return Place.WRAPS if overflows(container, segment) else Place.INSIDE


def extent(ctx: Context, index: int) -> Span | None:
    """The bytes in the file of segment `index` as a loader reads them; None if it cannot."""
    container = program_container(ctx)
    segment = segment_at(ctx.program, index) if ctx.program is not None else None
    if container is None or segment is None:
        return None
    return container.segment_range(segment)


def describe_range(span: Span) -> str:
    """`bytes 128 to 255`, or `byte 128, nothing long`."""
    if span.size == 0:
        return f"at byte {span.start}, 0 bytes"
    return f"bytes {span.start} to {span.start + span.size - 1}"


def needed_bytes(ctx: Context) -> dict[int, int]:
    """By segment, how many bytes from its start are surely read, as far as the program tells.

    Constants and initial state end where their last tensor ends, named data where the blob that
    asks for it says; what a delegate reads of its own blob is not known.
    """
    program = ctx.program
    needed: dict[int, int] = {}
    if program is None:
        return needed
    constants: Callable[[Method], Iterable[int]] = attrgetter("constants")
    stores = [(program.constant_segment, constants)]
    for mutable in (program.mutable_data_segments or ())[:1]:
        stores.append((mutable, attrgetter("initial_states")))
    for store, kept in stores:
        offsets = store.offsets if store is not None else None
        if store is None or not offsets:
            continue
        for method in ctx.methods:
            for v in kept(method):
                tensor = method.tensor(v)
                if tensor is None or method.is_external(v):
                    continue
                if tensor.data_buffer_idx < len(offsets):
                    end = offsets[tensor.data_buffer_idx] + method.nbytes(v)
                    needed[store.segment_index] = max(needed.get(store.segment_index, 0), end)
    places = {entry.key: entry.segment_index for entry in reversed(program.named_data or ())}
    for described in ctx.blobs:
        for want in (want for blob in described for want in blob.facts.wants):
            index = places.get(want.key)
            if index is not None and want.size is not None:
                needed[index] = max(needed.get(index, 0), want.size)
    return needed
