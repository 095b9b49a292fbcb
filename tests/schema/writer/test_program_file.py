"""A program that is read and written again is the same program, with the file around it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from pte_lint.schema.errors import UnwritableError
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import DataSegment, ExecutionPlan, Program, Span, SubsegmentOffsets
from pte_lint.schema.writer.pieces import joined
from pte_lint.schema.writer.program_file import (
    Segment,
    Source,
    kept_segments,
    write_program,
)

from pte_lint.testing.containers import Layout, pack_segments
from pte_lint.testing.containers import write_program as write_independently
from tests.support.dumps import files
from tests.support.exact import exact
from tests.support.laid_out import assert_laid_out_alike
from tests.support.tables import SOURCE, tables

WIDE = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=150)


def source_of(content: bytes) -> Source:
    return Source(read_program(content), content)


def program_of(content: bytes) -> Program:
    program = read_program(content).program
    assert program is not None
    return program


def file_with(blobs: list[bytes], alignment: int = 128, **layout: int) -> bytes:
    table, area = pack_segments(blobs, alignment)
    where = Layout(segment_alignment=alignment, **layout)
    return write_independently(Program(version=7, segments=table), area, layout=where)


@WIDE
@given(tables(Program))
def test_any_program_comes_out_equal(program: Program) -> None:
    program = replace(program, segments=None)
    content = write_independently(program, b"segments", source=SOURCE)
    again = joined(write_program(program_of(content), source_of(content)), content)
    assert exact(program_of(again), again) == exact(program, SOURCE)
    assert again.endswith(b"segments")


@pytest.mark.parametrize("arranged", [False, True])
@pytest.mark.parametrize("file", files(".pte"), ids=lambda f: f"{f.parent.name}/{f.name}")
def test_exported_programs_come_out_equal(file: Path, arranged: bool) -> None:
    content = file.read_bytes()
    source = source_of(content)
    segments = kept_segments(source) if arranged else None
    again = joined(write_program(program_of(content), source, segments), content)
    assert read_program(again).violations == ()
    assert exact(program_of(again), again) == exact(program_of(content), content)
    moved = assert_laid_out_alike(read_program(again), read_program(content), file)
    assert len(again) == len(content) + moved


@pytest.mark.parametrize("alignment", [16, 128, 256, 4096])
def test_segments_keep_the_alignment_that_the_file_shows(alignment: int) -> None:
    content = file_with([b"one", b"", b"three"], alignment)
    source = source_of(content)
    kept = kept_segments(source)
    again = joined(write_program(program_of(content), source, kept), content)
    assert program_of(again).segments == program_of(content).segments
    assert again == content


def test_a_segment_that_grows_moves_those_behind_it() -> None:
    content = file_with([b"first", b"second", b"third"])
    source = source_of(content)
    kept = kept_segments(source)
    kept[1] = Segment([*kept[1].content, bytes(122), b"!"])
    again = joined(write_program(program_of(content), source, kept), content)
    table = program_of(again).segments
    assert table == (DataSegment(0, 5), DataSegment(128, 129), DataSegment(384, 5))
    base = read_program(again).container.segment_base_offset
    assert base % 128 == 0
    assert again[base + 128 : base + 257] == b"second" + bytes(122) + b"!"
    assert again[base + 384 :] == b"third"


def test_segments_are_ranges_of_the_source_not_copies() -> None:
    content = file_with([bytes(10_000)])
    pieces = write_program(program_of(content), source_of(content))
    base = read_program(content).container.segment_base_offset
    assert [piece for piece in pieces if isinstance(piece, Span)] == [Span(base, 10_000)]


def test_without_segments_there_is_no_header_and_one_that_was_there_stays() -> None:
    program = Program(version=7, constant_segment=SubsegmentOffsets(0, (0,) * 10))
    bare = write_independently(program)
    assert joined(write_program(program_of(bare), source_of(bare)), bare) == bare
    headed = write_independently(program, layout=Layout(header=True))
    again = joined(write_program(program_of(headed), source_of(headed)), headed)
    assert read_program(again).container.header == read_program(headed).container.header


def test_bytes_behind_the_file_stay() -> None:
    content = file_with([b"data"]) + b"trailing"
    again = joined(write_program(program_of(content), source_of(content)), content)
    assert again == content


def test_a_field_that_nobody_knows_is_not_dropped() -> None:
    content = bytearray(file_with([b"data"]))
    program = program_of(bytes(content))
    # The root's vtable gets one more entry: its length grows over what follows it.
    at = program.at
    vtable = at - int.from_bytes(content[at : at + 4], "little", signed=True)
    size = int.from_bytes(content[vtable : vtable + 2], "little")
    slots = size // 2 - 2
    content[vtable : vtable + 2] = (4 + 2 * 9).to_bytes(2, "little")
    assert slots < 9
    content[vtable + 20 : vtable + 22] = (4).to_bytes(2, "little")
    grown = bytes(content)
    loaded = read_program(grown)
    assert loaded.program is not None
    with pytest.raises(UnwritableError, match=r"Program, slot 8"):
        write_program(loaded.program, Source(replace(loaded, violations=()), grown))


def test_damaged_sources_are_refused() -> None:
    content = file_with([b"data"])
    program = program_of(content)
    short = content[:-1]
    with pytest.raises(UnwritableError, match=r"segments\[0\] lies outside the file"):
        write_program(program, source_of(short))
    header = bytearray(content)
    header[12:16] = (8).to_bytes(4, "little")
    with pytest.raises(UnwritableError, match="extended header is damaged"):
        write_program(program, source_of(bytes(header)))
    with pytest.raises(UnwritableError, match="holds no program"):
        write_program(program, source_of(b"no program at all"))


def test_numbers_that_do_not_fit_are_refused() -> None:
    content = file_with([b"data"])
    with pytest.raises(UnwritableError):
        write_program(replace(program_of(content), version=1 << 32), source_of(content))


def test_long_texts_that_tables_share_are_written_once() -> None:
    """Sources may be much shorter than what they say, and stay so."""
    content, shared = file_with([b"data"]), ExecutionPlan(name="n" * 500)
    lengths = []
    for count in (1, 51):
        plans = (*[replace(shared, inputs=(n,)) for n in range(count)], ExecutionPlan(name="m"))
        program = replace(program_of(content), execution_plan=plans)
        written = joined(write_program(program, source_of(content)), content)
        back = program_of(written).execution_plan or ()
        assert [(p.name, p.inputs) for p in back] == [(p.name, p.inputs) for p in plans]
        lengths.append(len(written))
    assert lengths[1] - lengths[0] < 50 * 100
