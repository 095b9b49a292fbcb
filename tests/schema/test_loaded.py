from __future__ import annotations

import mmap
from pathlib import Path
from random import Random

import pytest
from pte_lint.schema import limits
from pte_lint.schema.container import Kind
from pte_lint.schema.loaded import read_bundled_program, read_flat_tensor, read_program
from pte_lint.schema.program import Program, Span
from pte_lint.schema.violations import is_exhausted

from pte_lint.testing.containers import Layout, write_program
from tests.support import padded
from tests.support.dumps import DATA

LINEAR = (DATA / "clean" / "linear.pte").read_bytes()
BUNDLE = (DATA / "clean" / "bundled_linear.bpte").read_bytes()


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_buffer(kind: type) -> None:
    assert read_program(kind(LINEAR)).program == read_program(LINEAR).program


def test_a_mapping_can_be_closed_afterwards() -> None:
    with (DATA / "clean" / "linear.pte").open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        loaded = read_program(mapped)
        mapped.close()
    assert loaded.program == read_program(LINEAR).program


def test_a_mapping_of_a_broken_program_can_be_closed_too(tmp_path: Path) -> None:
    path = tmp_path / "cut.pte"
    path.write_bytes(LINEAR[:900])
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        assert read_program(mapped).violations
        mapped.close()


def test_a_file_of_another_kind_is_not_decoded() -> None:
    for content in (b"", b"hello", BUNDLE, LINEAR[:7]):
        loaded = read_program(content)
        assert (loaded.program, loaded.violations) == (None, ())
    assert read_flat_tensor(LINEAR, "a.ptd").name == "a.ptd"
    assert read_flat_tensor(LINEAR).flat_tensor is None
    assert read_bundled_program(LINEAR).bundle is None


def test_the_program_ends_where_the_header_says() -> None:
    program = Program(execution_plan=(), named_data=())
    whole = write_program(program, layout=Layout(header=True))
    size = read_program(whole).container.program_size
    assert read_program(whole).program == program
    cut = write_program(program, layout=Layout(header=True, program_size=size - 24))
    assert read_program(cut).violations
    longer = write_program(
        program, layout=Layout(header=True, program_size=size + 8, trailing=bytes(8))
    )
    assert read_program(longer).program == program
    assert read_program(longer).violations == ()


def test_a_program_longer_than_its_file_is_read_as_far_as_it_goes() -> None:
    program = Program(execution_plan=())
    layout = Layout(header=True, program_size=1 << 40, trailing=bytes(64))
    content = write_program(program, layout=layout)
    loaded = read_program(content)
    assert loaded.container.program_size == 1 << 40
    assert loaded.program == program


def test_the_program_inside_a_bundle_is_that_of_its_own_file() -> None:
    loaded = read_bundled_program(BUNDLE)
    assert loaded.bundle is not None
    assert loaded.bundle.program is not None
    assert loaded.inner is not None
    start, size = loaded.bundle.program.start, loaded.bundle.program.size
    alone = read_program(BUNDLE[start : start + size])
    assert loaded.inner.program == alone.program
    assert loaded.inner.program is not None
    assert alone.program is not None
    assert loaded.inner.program.at == alone.program.at
    inner = loaded.inner.container
    assert (inner.origin, inner.program_start, inner.size) == (start, start, size)
    assert inner.kind is Kind.PROGRAM
    assert inner.segment_area == (
        alone.container.segment_area
        and Span(alone.container.segment_area.start + start, alone.container.segment_area.size)
    )


@pytest.mark.parametrize("seed", range(12))
def test_a_budget_that_runs_out_is_told_whatever_else_is_wrong(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first table beyond it may be one that lies outside, and never gets so far."""
    rng = Random(seed)
    content = bytearray(padded.values(12, False)[0])
    for _ in range(8):
        content[rng.randrange(64, len(content))] = 0xFF
    whole = read_program(bytes(content))
    monkeypatch.setattr(limits, "TABLE_BYTES", 1 << 40)
    monkeypatch.setattr(limits, "MAX_VIOLATIONS", 1)
    for tables in range(1, 60):
        monkeypatch.setattr(limits, "FREE_TABLES", tables)
        part = read_program(bytes(content))
        assert is_exhausted(part.violations) or part.program == whole.program, tables
