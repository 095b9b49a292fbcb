"""Lays a changed program out as a .pte file: flatbuffer, extended header, segments.

Follows what the exporter does (exir/_serialize/_program.py, `serialize_pte_binary`): the header
stands between identifier and tables and fills whole units of the tables' alignment, segments follow
in order, each on a multiple of the segment alignment. The segment alignment is not stored; it is
what the source file shows.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pte_lint.schema.container import Container, HeaderState
from pte_lint.schema.errors import UnwritableError
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.loaded import LoadedProgram, binding
from pte_lint.schema.program import DataSegment, Program, Span
from pte_lint.schema.ranges import Buffer, take, window
from pte_lint.schema.writer.pieces import Piece, length, padding
from pte_lint.schema.writer.tables import TableWriter
from pte_lint.schema.writer.unknown import unknown_fields

SEGMENT_ALIGNMENT = 128
"""The exporter's default (`ExecutorchBackendConfig.segment_alignment`), in bytes."""
_MOST_ALIGNMENT = 1 << 16
_HEADER = struct.Struct("<4sIQQQ")
_PREFIX = 8
"""Root offset and identifier, which stand before the header."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment to be laid out: what it consists of, and its alignment in bytes."""

    content: Sequence[Piece]
    alignment: int = SEGMENT_ALIGNMENT

    @property
    def size(self) -> int:
        """Bytes of the segment."""
        return sum(map(length, self.content))


@dataclass(frozen=True, slots=True)
class Source:
    """A program as it was read, with its file."""

    loaded: LoadedProgram
    buffer: Buffer
    may_lose: bool = False
    """Whether what could not be read may be left out."""

    @property
    def container(self) -> Container:
        """What surrounds the program."""
        return self.loaded.container


def write_program(
    program: Program,
    source: Source,
    segments: Sequence[Segment] | None = None,
    *,
    trailing: bool = True,
) -> list[Piece]:
    """Writes `program`, which was made from the one in `source`.

    Args:
        program: The program. Its spans point into the source's buffer.
        source: What it was made from.
        segments: All segments, in order; the program's own segment table is made anew. None: the
            source's segments, where they are now.
        trailing: Whether bytes behind all that the header promises stay.

    Returns:
        The file's pieces; spans point into the source's buffer.

    Raises:
        UnwritableError: The source has violations, fields that this version does not know, or
            segments that a loader refuses; or a number does not fit its field.
    """
    _check(source)
    kept = kept_segments(source)
    if segments is None:
        area = _area(source)
    else:
        table, area = _arranged(segments)
        program = replace(program, segments=table)
    writer = TableWriter(binding("program"), source.buffer, _room_seen(source))
    flatbuffer = writer.finish(program)
    size = sum(map(length, area))
    after = _after(source) if trailing else ()
    # Only a program with segments needs a header, and one that had a header keeps it.
    if not size and source.container.header_state is HeaderState.ABSENT:
        return [flatbuffer, *after]
    room = _HEADER.size + padding(_HEADER.size, max(writer.alignment, _room_seen(source)))
    root = int.from_bytes(flatbuffer[:4], "little") + room
    program_size = len(flatbuffer) + room
    gap = padding(program_size, kept[0].alignment if kept else SEGMENT_ALIGNMENT) if size else 0
    base = program_size + gap if size else 0
    header = _HEADER.pack(b"eh00", _HEADER.size, program_size, base, size)
    head = struct.pack("<I", root) + flatbuffer[4:_PREFIX] + header.ljust(room, b"\0")
    return [head, flatbuffer[_PREFIX:], bytes(gap), *area, *after]


def kept_segments(source: Source) -> list[Segment]:
    """The source's segments as `write_program` takes them, with the alignments that they show.

    An alignment is not stored: it is the least power of two, from the default on, that explains
    where a segment begins behind what stands before it; where none does, what its place allows.

    Raises:
        UnwritableError: A loader refuses a segment's range.
    """
    container = source.container
    end = container.program_size
    kept = []
    for number, segment in enumerate(_program(source).segments or ()):
        span = _range(container, number, segment)
        start = span.start - container.origin
        kept.append(Segment([span], _alignment(end, start)))
        end = start + span.size
    return kept


def _range(container: Container, number: int, segment: DataSegment) -> Span:
    span = container.segment_range(segment)
    if span is None:
        raise UnwritableError(f"segments[{number}] lies outside the file")
    return span


def _alignment(end: int, start: int) -> int:
    least = SEGMENT_ALIGNMENT
    while least <= _MOST_ALIGNMENT:
        if end + padding(end, least) == start:
            return least
        least *= 2
    return min(start & -start, SEGMENT_ALIGNMENT) or SEGMENT_ALIGNMENT


def _program(source: Source) -> Program:
    program = source.loaded.program
    if program is None:
        raise UnwritableError("it holds no program")
    return program


def _check(source: Source) -> None:
    loaded, program = source.loaded, _program(source)
    if source.may_lose:
        return
    if loaded.violations:
        raise UnwritableError(f"the program is damaged: {loaded.violations[0].message}")
    container = loaded.container
    if container.header_state not in (HeaderState.PRESENT, HeaderState.ABSENT):
        raise UnwritableError("the extended header is damaged")
    if container.header_state is HeaderState.ABSENT and any(s.size for s in program.segments or ()):
        raise UnwritableError("it has segments, and no header that says where they are")
    first = max(container.segment_base_offset, container.program_size)
    for number, segment in enumerate(program.segments or ()):
        # Whoever reads it reads tables, or what stands behind them, which are written anew.
        if segment.size and _range(container, number, segment).start < container.origin + first:
            raise UnwritableError(f"segments[{number}] begins before all segments do")
    if container.expected_size is not None and container.expected_size > container.size:
        raise UnwritableError("the file ends before what its header promises")
    span = container.program_range
    with window(source.buffer, span.start, span.start + span.size) as part:
        unknown = next(unknown_fields(part, binding("program"), program), None)
    if unknown is not None:
        raise UnwritableError(
            f"the program has a field that this version does not know ({unknown}): it would be lost"
        )


def _area(source: Source) -> list[Piece]:
    """The segment area in one piece: what stands between segments stays as it is."""
    area = source.container.segment_area
    return [area] if area is not None and area.size else []


def _after(source: Source) -> Iterator[Piece]:
    """Bytes behind all that the header promises: nothing that runs reads them."""
    container = source.container
    if container.trailing_bytes:
        end = container.origin + container.size
        yield Span(end - container.trailing_bytes, container.trailing_bytes)


def _arranged(segments: Sequence[Segment]) -> tuple[tuple[DataSegment, ...], list[Piece]]:
    """The segment table and the segment area, padding included."""
    table: list[DataSegment] = []
    area: list[Piece] = []
    end = 0
    for segment in segments:
        gap = padding(end, segment.alignment)
        area += [bytes(gap), *segment.content]
        table.append(DataSegment(end + gap, segment.size))
        end += gap + segment.size
    return tuple(table), area


def _room_seen(source: Source) -> int:
    """The largest alignment that the source's header leaves room for, in bytes.

    The root's vtable is the first thing behind the header, or comes a little later.
    """
    if source.container.header is None:
        return 1
    at = _program(source).at
    start = source.container.origin + at
    vtable = at - int.from_bytes(take(source.buffer, start, start + 4), "little", signed=True)
    return 1 << (max(vtable - _PREFIX, 1).bit_length() - 1)
