"""Whole files around a flatbuffer: headers, segments, and the faults of both.

Source of the layouts: the exporter's ``exir/_serialize/_program.py`` and
``extension/flat_tensor/serialize/serialize.py``, and ``schema/extended_header.cpp``.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from pte_lint.schema.bundled_program import BundledProgram
from pte_lint.schema.flat_tensor import FlatTensor
from pte_lint.schema.program import DataSegment, Program
from pte_lint.testing.table_writer import TableWriter


@dataclass(frozen=True)
class Layout:
    """How a file is put together; the defaults give what the exporter gives.

    ``None`` means the right value. The numbers are written into the header as they are, and change
    nothing about where things really lie.

    Attributes:
        header: Whether there is an extended header; ``None``: when there are segment bytes.
        identifier: The flatbuffer's file identifier; ``None``: the format's own.
        root_offset: Offset of the root table from byte 0.
        magic: The extended header's magic; ``None``: the format's own.
        header_length: Length the header says it has. Fields beyond it are left out.
        header_room: Bytes put between the identifier and the rest of the flatbuffer; ``None``:
            the header's length, up to a multiple of 16. Other multiples of 16 keep the alignment.
        flatbuffer_offset: .ptd only.
        program_size: Bytes of the flatbuffer (.pte: including the header).
        segment_base_offset: Where segments begin, from byte 0.
        segment_data_size: Bytes of all segments with the padding between them.
        segment_alignment: Alignment of the first segment, in bytes.
        trailing: Bytes after everything else.
        size: The file is cut to so many bytes.
    """

    header: bool | None = None
    identifier: bytes | None = None
    root_offset: int | None = None
    magic: bytes | None = None
    header_length: int | None = None
    header_room: int | None = None
    flatbuffer_offset: int | None = None
    program_size: int | None = None
    segment_base_offset: int | None = None
    segment_data_size: int | None = None
    segment_alignment: int = 128
    trailing: bytes = b""
    size: int | None = None


def pack_segments(
    blobs: Sequence[bytes], alignment: int = 128
) -> tuple[tuple[DataSegment, ...], bytes]:
    """Lays blobs out one after the other; returns the segment table and the segment area.

    Args:
        blobs: The content of each segment.
        alignment: Alignment of each segment's start, in bytes.
    """
    segments = []
    area = bytearray()
    for blob in blobs:
        area += bytes(-len(area) % alignment)
        segments.append(DataSegment(offset=len(area), size=len(blob)))
        area += blob
    return tuple(segments), bytes(area)


def write_program(
    program: Program,
    segment_data: bytes | Sequence[bytes] = b"",
    *,
    source: bytes = b"",
    layout: Layout | None = None,
) -> bytes:
    """Writes a .pte.

    Args:
        program: Written field for field, absurd values included.
        segment_data: The segment area as it is, or blobs to lay out as `pack_segments` does. The
            program's own segment table is written as it is in both cases.
        source: What the program's `Span`s point into (the original file, for an edited one).
        layout: Deviations from the exporter's layout.
    """
    layout = layout or Layout()
    data = _area(segment_data, layout)
    flatbuffer = TableWriter(source).finish(program, layout.identifier or b"ET12")
    if not (bool(data) if layout.header is None else layout.header):
        return _end(_padded(flatbuffer, layout) + data if data else flatbuffer, layout)
    room = _or(layout.header_room, 32)
    size = len(flatbuffer) + room
    base = _aligned(size, layout.segment_alignment) if data else 0
    fields = (
        _or(layout.program_size, size),
        _or(layout.segment_base_offset, base),
        _or(layout.segment_data_size, len(data)),
    )
    header = _header(layout, b"eh00", fields, room)
    whole = _insert(flatbuffer, header)
    return _end(_padded(whole, layout) + data if data else whole, layout)


def write_flat_tensor(
    flat_tensor: FlatTensor,
    segment_data: bytes | Sequence[bytes] = b"",
    *,
    layout: Layout | None = None,
) -> bytes:
    """Writes a .ptd; the arguments are those of `write_program`."""
    layout = layout or Layout()
    data = _area(segment_data, layout)
    flatbuffer = TableWriter().finish(flat_tensor, layout.identifier or b"FT01")
    if layout.header is False:
        return _end(_padded(flatbuffer, layout) + data, layout)
    room = _or(layout.header_room, 48)
    fields = (
        _or(layout.flatbuffer_offset, room),
        _or(layout.program_size, len(flatbuffer)),
        _or(layout.segment_base_offset, _aligned(len(flatbuffer) + room, layout.segment_alignment)),
        _or(layout.segment_data_size, len(data)),
    )
    header = _header(layout, b"FH01", fields, room)
    return _end(_padded(_insert(flatbuffer, header), layout) + data, layout)


def write_bundled_program(
    bundled: BundledProgram, *, source: bytes, layout: Layout | None = None
) -> bytes:
    """Writes a .bpte; of the layout only identifier, root_offset, trailing and size apply."""
    layout = layout or Layout()
    return _end(TableWriter(source).finish(bundled, layout.identifier or b"BP08"), layout)


def _or(given: int | None, right: int) -> int:
    return right if given is None else given


def _aligned(size: int, alignment: int) -> int:
    return size + -size % alignment


def _area(segment_data: bytes | Sequence[bytes], layout: Layout) -> bytes:
    if isinstance(segment_data, bytes):
        return segment_data
    return pack_segments(segment_data, layout.segment_alignment)[1]


def _padded(file: bytes, layout: Layout) -> bytes:
    return file + bytes(-len(file) % layout.segment_alignment)


def _header(layout: Layout, magic: bytes, fields: tuple[int, ...], room: int) -> bytes:
    full = 8 + 8 * len(fields)
    length = _or(layout.header_length, full)
    kept = struct.pack(f"<{len(fields)}Q", *fields)[: max(0, min(length, full) - 8)]
    start = (layout.magic or magic) + struct.pack("<I", length)
    return (start + kept).ljust(room, b"\0")


def _insert(flatbuffer: bytes, header: bytes) -> bytes:
    """Puts the header after the identifier; the root offset moves along."""
    root = int.from_bytes(flatbuffer[:4], "little") + len(header)
    return struct.pack("<I", root) + flatbuffer[4:8] + header + flatbuffer[8:]


def _end(file: bytes, layout: Layout) -> bytes:
    if layout.root_offset is not None:
        file = struct.pack("<I", layout.root_offset) + file[4:]
    return (file + layout.trailing)[: layout.size]
