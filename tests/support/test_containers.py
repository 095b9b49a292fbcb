"""Each layout option shows up where a reader of the container sees it, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pte_lint.schema.container import Container, HeaderState, sniff
from pte_lint.schema.loaded import read_bundled_program, read_program
from pte_lint.schema.sniff import Kind

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.containers import Layout, pack_segments
from pte_lint.testing.data_builder import DataTensor, build_bundle, build_data
from pte_lint.testing.program_builder import BuiltProgram, build_program


def weighted() -> BuiltProgram:
    b = MethodBuilder()
    x = b.input((2, 2))
    b.output(b.add(x, b.constant([1.0, 2.0, 3.0, 4.0], (2, 2))))
    return build_program(b)


def plain() -> BuiltProgram:
    b = MethodBuilder()
    x = b.input((2, 2))
    b.output(b.add(x, x))
    return build_program(b)


def container(layout: Layout | None = None) -> Container:
    return sniff(weighted().bytes(layout))


def test_well_formed_file_has_nothing_left_over() -> None:
    found = container()
    assert found.kind is Kind.PROGRAM
    assert found.header is not None
    assert found.header.length == 32
    assert found.header.segment_base_offset % 128 == 0
    assert found.expected_size == found.size
    assert found.trailing_bytes == 0


def test_no_header_without_segment_bytes() -> None:
    file = plain().bytes()
    assert sniff(file).header_state is HeaderState.ABSENT
    assert read_program(file).program == plain().program


def test_constants_are_where_the_segment_table_says() -> None:
    built = weighted()
    file = built.bytes()
    assert built.program.segments is not None
    span = sniff(file).segment_range(built.program.segments[0])
    assert span is not None
    assert file[span.start : span.start + span.size] == built.segment_data


@pytest.mark.parametrize("number", [0, 7, 2**64 - 1])
def test_header_numbers_are_written_as_given(number: int) -> None:
    right = container().header
    assert right is not None
    size, base, data = (
        container(layout).header
        for layout in (
            Layout(program_size=number),
            Layout(segment_base_offset=number),
            Layout(segment_data_size=number),
        )
    )
    assert size == replace(right, program_size=number)
    assert base == replace(right, segment_base_offset=number)
    assert data == replace(right, segment_data_size=number)


def test_short_header_has_no_data_size() -> None:
    found = container(Layout(header_length=24))
    assert found.header is not None
    assert found.header.segment_data_size is None
    assert container(Layout(header_length=23)).header_state is HeaderState.TOO_SHORT


def test_header_can_be_left_out() -> None:
    file = weighted().bytes(Layout(header=False))
    assert sniff(file).header_state is HeaderState.ABSENT
    assert read_program(file).program == weighted().program


def test_other_magic_identifier_and_root() -> None:
    assert container(Layout(magic=b"eh99")).header_state is HeaderState.ABSENT
    assert container(Layout(root_offset=12345)).root_offset == 12345
    assert container(Layout(identifier=b"ET99")).identifier == b"ET99"


def test_trailing_bytes_and_cuts() -> None:
    right = container()
    assert container(Layout(trailing=b"12345")).trailing_bytes == 5
    cut = container(Layout(size=right.size - 1))
    assert cut.size == right.size - 1
    assert cut.expected_size == right.size


def test_segments_are_packed_in_order_and_aligned() -> None:
    segments, area = pack_segments([b"a" * 5, b"", b"b" * 130], 64)
    assert [(each.offset, each.size) for each in segments] == [(0, 5), (64, 0), (64, 130)]
    assert area == b"a" * 5 + bytes(59) + b"b" * 130


def test_data_file_holds_its_tensors() -> None:
    built = build_data({"w": DataTensor([1, 2, 3], (3,), "int16"), "blob": b"abc"})
    file = built.bytes()
    found = sniff(file)
    assert found.kind is Kind.FLAT_TENSOR
    assert built.flat_tensor.segments is not None
    spans = [found.segment_range(segment) for segment in built.flat_tensor.segments]
    contents = [file[span.start : span.start + span.size] for span in spans if span is not None]
    assert contents == [b"\1\0\2\0\3\0", b"abc"]


def test_bundle_holds_its_program() -> None:
    inner = weighted()
    ones = DataTensor([1.0] * 4, (2, 2))
    loaded = read_bundled_program(
        build_bundle(inner.bytes(), {"forward": [([ones], [ones])]}).bytes()
    )
    assert loaded.violations == ()
    assert loaded.inner is not None
    assert loaded.inner.program == inner.program
    assert loaded.inner.container.origin % 32 == 0
