"""What surrounds a program: kind of file, extended header, program range, segment area.

Facts: schema/extended_header.cpp (ExtendedHeader::Parse), extension/flat_tensor/serialize/
flat_tensor_header.cpp, runtime/executor/program.cpp (Program::load), and the data loaders' range
checks (extension/data_loader/file_data_loader.cpp).
"""

from __future__ import annotations

from pte_lint.schema import limits
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import DataSegment, Span
from pte_lint.schema.ranges import Buffer, take
from pte_lint.schema.sniff import Kind, Sniff, by_magic, head_bytes, identify, magic_bytes
from pte_lint.schema.str_enum import StrEnum

__all__ = ["Buffer", "Container", "Header", "HeaderState", "Kind", "read_container", "sniff"]

U64 = 1 << 64


class HeaderState(StrEnum):
    """What stands where the extended header belongs."""

    PRESENT = "present"
    ABSENT = "absent"  # other bytes than the magic
    TOO_SHORT = "too-short"  # the magic, with a length below the least
    NO_ROOM = "no-room"  # the file ends before the bytes that a loader reads of any file


@dataclass(frozen=True, slots=True)
class Header:
    """The extended header of a .pte or the header of a .ptd, as stored.

    Attributes:
        length: Length field in bytes, counted from the magic at byte 8.
        program_offset: First byte of the flatbuffer (.ptd only; 0 for a .pte).
        program_size: Bytes of the flatbuffer; for a .pte from byte 0, header included.
        segment_base_offset: Byte that segment offsets count from; 0 means no segments.
        segment_data_size: Bytes of the segment area; None when the header is too short to have it.
    """

    length: int
    program_offset: int
    program_size: int
    segment_base_offset: int
    segment_data_size: int | None


@dataclass(frozen=True, slots=True)
class _HeaderFormat:
    magic: bytes
    least_length: int
    has_offset: bool


_FORMATS = {
    Kind.PROGRAM: _HeaderFormat(b"eh00", 24, has_offset=False),
    Kind.FLAT_TENSOR: _HeaderFormat(b"FH01", 40, has_offset=True),
}


@dataclass(frozen=True, slots=True)
class Container:
    """One artifact's outside. All positions are absolute in the file.

    Attributes:
        sniffed: What the file is, and the evidence.
        origin: First byte of the artifact in the file; 0 except inside a .bpte.
        size: Bytes of the artifact, to the end of the file or of the enclosing vector.
        identifier: The 4 bytes at byte 4.
        root_offset: The root table offset at byte 0; None when the artifact is too small.
        header_state: What stands where the header belongs.
        header: The header; None unless `header_state` is PRESENT.
    """

    sniffed: Sniff
    origin: int
    size: int
    identifier: bytes
    root_offset: int | None
    header_state: HeaderState
    header: Header | None

    @property
    def kind(self) -> Kind:
        """What the file is."""
        return self.sniffed.kind

    @property
    def program_start(self) -> int:
        """Byte offset in the file that the program's own offsets count from."""
        return self.origin

    @property
    def segment_base_offset(self) -> int:
        """Byte that segment offsets count from, relative to `origin`; 0 without a header."""
        return self.header.segment_base_offset if self.header else 0

    @property
    def segment_data_size(self) -> int:
        """Bytes of the segment area as the loader takes them: 0 when not stored."""
        return (self.header.segment_data_size or 0) if self.header else 0

    @property
    def program_size(self) -> int:
        """Bytes from the artifact's first that the loader asks for as the flatbuffer.

        The header says; without one it is the whole file. May exceed `size`. For a .ptd it is
        offset plus size, wrapping at 64 bits as the loader's arithmetic does.
        """
        if self.header is None:
            return self.size
        return (self.header.program_offset + self.header.program_size) % U64

    @property
    def program_range(self) -> Span:
        """The flatbuffer's bytes that are really there."""
        return Span(self.origin, min(self.program_size, self.size))

    @property
    def root_is_inside(self) -> bool:
        """Whether the root offset passes the test that every load makes since 1.3.

        Minimal verification makes no other test of the flatbuffer (Program::load).
        """
        least = limits.MIN_PROGRAM_BYTES
        return self.root_offset is not None and least <= self.root_offset <= self.program_size - 4

    @property
    def expected_size(self) -> int | None:
        """The artifact size that the header promises; None when it promises none.

        A header that has a base but no data size (from before ExecuTorch 1.0) promises nothing.
        The sum is not wrapped.
        """
        if self.header is None:
            return None
        base, data = self.segment_base_offset, self.segment_data_size
        if base == 0:
            # Program::load expects program_size alone then, whatever the data size says.
            return self.program_size
        return base + data if data else None

    @property
    def trailing_bytes(self) -> int:
        """Bytes after all that the header promises; 0 when it promises nothing."""
        expected = self.expected_size
        return max(0, self.size - expected) if expected is not None else 0

    @property
    def segment_area(self) -> Span | None:
        """The segment area's bytes that are really there; None without one."""
        base = self.segment_base_offset
        if base == 0 or base > self.size:
            return None
        data = self.segment_data_size or self.size - base
        return Span(self.origin + base, min(data, self.size - base))

    def segment_range(self, segment: DataSegment) -> Span | None:
        """Returns the bytes a loader reads for a segment; None where it refuses the range.

        The start wraps at 64 bits, as base + offset does in the runtime; the end does not, because
        loaders check it.
        """
        start = (self.segment_base_offset + segment.offset) % U64
        if start + segment.size > self.size:
            return None
        return Span(self.origin + start, segment.size)


def sniff(buffer: Buffer) -> Container:
    """Says what a file is and what surrounds the program in it, from the first bytes alone."""
    return read_container(buffer)


def read_container(buffer: Buffer, *, origin: int = 0) -> Container:
    """Reads what surrounds a program, from the first bytes alone.

    Args:
        buffer: The artifact.
        origin: Its first byte in the file.
    """
    size = len(buffer)
    start = take(buffer, 0, magic_bytes())
    # Only what has no known magic is looked at any further.
    sniffed = by_magic(start, size) or identify(take(buffer, 0, head_bytes()), size)
    head = start[: limits.HEAD_BYTES]
    state, header = _header(sniffed.kind, head)
    root = int.from_bytes(head[:4], "little") if len(head) >= 4 else None
    return Container(sniffed, origin, size, head[4:8], root, state, header)


def _header(kind: Kind, head: bytes) -> tuple[HeaderState, Header | None]:
    layout = _FORMATS.get(kind)
    if layout is None:
        # A program's loader looks for its header first and at the identifier later.
        layout = _FORMATS[Kind.PROGRAM]
        if head[8:12] != layout.magic:
            return HeaderState.ABSENT, None
    if len(head) < limits.HEAD_BYTES:
        return HeaderState.NO_ROOM, None
    if head[8:12] != layout.magic:
        return HeaderState.ABSENT, None
    length = int.from_bytes(head[12:16], "little")
    if length < layout.least_length:
        return HeaderState.TOO_SHORT, None
    words = [int.from_bytes(head[at : at + 8], "little") for at in range(16, 48, 8)]
    if layout.has_offset:
        return HeaderState.PRESENT, Header(length, words[0], words[1], words[2], words[3])
    data = words[2] if length >= 32 else None
    return HeaderState.PRESENT, Header(length, 0, words[0], words[1], data)
