from __future__ import annotations

import struct

import pytest
from pte_lint.schema.container import Container, Header, HeaderState, sniff
from pte_lint.schema.program import DataSegment, Span

U64 = 1 << 64


def pte(
    *,
    size: int = 4096,
    magic: bytes = b"eh00",
    length: int = 32,
    program_size: int = 1000,
    base: int = 1024,
    data: int = 3000,
    root: int = 48,
) -> bytes:
    """An empty .pte with a header of the given numbers."""
    head = struct.pack("<I4s4sIQQQ", root, b"ET12", magic, length, program_size, base, data)
    return (head + bytes(max(0, size - len(head))))[:size]


def ptd(*, offset: int = 48, flatbuffer: int = 200, base: int = 256, data: int = 64) -> bytes:
    head = struct.pack("<I4s4sIQQQQ", 60, b"FT01", b"FH01", 40, offset, flatbuffer, base, data)
    return head + bytes(320 - len(head))


def test_a_header_as_the_exporter_writes_it() -> None:
    found = sniff(pte())
    assert found.header_state is HeaderState.PRESENT
    assert found.header == Header(32, 0, 1000, 1024, 3000)
    assert (found.program_size, found.program_range) == (1000, Span(0, 1000))
    assert found.expected_size == 4024
    assert found.trailing_bytes == 72
    assert found.segment_area == Span(1024, 3000)
    assert (found.root_offset, found.identifier) == (48, b"ET12")


def test_an_old_header_has_no_data_size() -> None:
    found = sniff(pte(length=24))
    assert found.header == Header(24, 0, 1000, 1024, None)
    assert found.segment_data_size == 0
    assert found.expected_size is None
    assert found.trailing_bytes == 0
    assert found.segment_area == Span(1024, 4096 - 1024)


def test_a_longer_header_is_read_as_far_as_known() -> None:
    assert sniff(pte(length=400)).header == Header(400, 0, 1000, 1024, 3000)


@pytest.mark.parametrize("length", [0, 8, 23])
def test_a_header_length_below_the_least(length: int) -> None:
    found = sniff(pte(length=length))
    assert (found.header_state, found.header) == (HeaderState.TOO_SHORT, None)


def test_without_a_header_the_whole_file_is_the_program() -> None:
    found = sniff(pte(magic=b"eh01"))
    assert (found.header_state, found.header) == (HeaderState.ABSENT, None)
    assert found.program_size == 4096
    assert found.segment_base_offset == 0
    assert found.segment_area is None
    assert found.expected_size is None


def test_a_file_too_small_for_any_loader() -> None:
    assert sniff(pte(size=63)).header_state is HeaderState.NO_ROOM
    assert sniff(pte(size=64)).header_state is HeaderState.PRESENT


def test_base_zero_promises_the_program_alone() -> None:
    assert sniff(pte(base=0, data=0)).expected_size == 1000
    assert sniff(pte(base=0, data=77)).expected_size == 1000
    assert sniff(pte(base=1024, data=0)).expected_size is None


def test_sizes_are_as_stored_and_ranges_as_present() -> None:
    found = sniff(pte(program_size=5000, data=U64 - 1))
    assert found.program_size == 5000
    assert found.program_range == Span(0, 4096)
    assert found.expected_size == 1024 + U64 - 1
    assert found.segment_area == Span(1024, 3072)


@pytest.mark.parametrize(
    ("root", "program_size", "inside"),
    [
        (7, 1000, False), (8, 1000, True), (996, 1000, True), (997, 1000, False),
        (0, 1000, False), (8, 11, False), (8, 12, True),
    ],
)  # fmt: skip
def test_what_minimal_verification_asks_of_the_root(
    root: int, program_size: int, inside: bool
) -> None:
    assert sniff(pte(root=root, program_size=program_size)).root_is_inside is inside


@pytest.mark.parametrize(
    ("offset", "size", "expected"),
    [
        (0, 16, Span(1024, 16)),
        (3072 - 16, 16, Span(4080, 16)),
        (3072 - 16, 17, None),
        (3072, 0, Span(4096, 0)),
        (3073, 0, None),
        (0, U64 - 1, None),
        (U64 - 1024, 8, Span(0, 8)),
        (U64 - 1000, 8, Span(24, 8)),
    ],
)
def test_segment_ranges_wrap_as_the_runtime_does(
    offset: int, size: int, expected: Span | None
) -> None:
    assert sniff(pte()).segment_range(DataSegment(offset, size)) == expected


def test_a_data_files_header() -> None:
    found = sniff(ptd())
    assert found.header == Header(40, 48, 200, 256, 64)
    assert found.program_size == 248
    assert found.expected_size == 320
    assert found.segment_range(DataSegment(16, 8)) == Span(272, 8)


def test_a_data_files_flatbuffer_end_wraps() -> None:
    assert sniff(ptd(offset=U64 - 8, flatbuffer=208)).program_size == 200


def test_the_header_of_a_program_with_a_damaged_identifier() -> None:
    content = pte()
    damaged = sniff(content[:4] + b"ET\0\0" + content[8:])
    assert damaged.header == sniff(content).header
    assert damaged.kind is not sniff(content).kind


def test_other_kinds_have_no_header() -> None:
    found: Container = sniff(b"BP08".rjust(8, b"\x20") + bytes(100))
    assert (found.header_state, found.header) == (HeaderState.ABSENT, None)
