"""What the writer writes, the reader reads back: field for field, absurd values included."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from pte_lint.schema.bundled_program import BundledProgram
from pte_lint.schema.flat_tensor import FlatTensor
from pte_lint.schema.loaded import read_bundled_program, read_flat_tensor, read_program
from pte_lint.schema.program import Program

from pte_lint.testing.containers import (
    Layout,
    write_bundled_program,
    write_flat_tensor,
    write_program,
)
from tests.support.dumps import files
from tests.support.exact import exact
from tests.support.laid_out import assert_laid_out_alike
from tests.support.tables import SOURCE, tables

WIDE = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=150)

# Exported with other alignments than the exporter's defaults.
LAYOUTS = {"wide_alignment": Layout(header_room=64, segment_alignment=1024)}


def name_of(file: Path) -> str:
    return f"{file.parent.name}/{file.name}"


@WIDE
@given(tables(Program))
def test_any_program(program: Program) -> None:
    file = write_program(program, b"segments", source=SOURCE)
    assert exact(read_program(file).program, file) == exact(program, SOURCE)


@WIDE
@given(tables(FlatTensor))
def test_any_flat_tensor(flat_tensor: FlatTensor) -> None:
    file = write_flat_tensor(flat_tensor, b"segments")
    assert exact(read_flat_tensor(file).flat_tensor, file) == exact(flat_tensor, b"")


@WIDE
@given(tables(BundledProgram))
def test_any_bundled_program(bundled: BundledProgram) -> None:
    file = write_bundled_program(bundled, source=SOURCE)
    assert exact(read_bundled_program(file).bundle, file) == exact(bundled, SOURCE)


@pytest.mark.parametrize("file", files(".pte"), ids=name_of)
def test_exported_programs(file: Path) -> None:
    content = file.read_bytes()
    loaded = read_program(content)
    assert loaded.program is not None
    base = loaded.container.segment_base_offset
    data = content[base:] if base else b""
    layout = LAYOUTS.get(file.stem)
    again = write_program(loaded.program, data, source=content, layout=layout)
    reread = read_program(again)
    assert reread.violations == ()
    assert exact(reread.program, again) == exact(loaded.program, content)
    assert_laid_out_alike(reread, loaded, file)


@pytest.mark.parametrize("file", files(".ptd"), ids=name_of)
def test_exported_data_files(file: Path) -> None:
    content = file.read_bytes()
    loaded = read_flat_tensor(content)
    assert loaded.flat_tensor is not None
    base = loaded.container.segment_base_offset
    again = write_flat_tensor(loaded.flat_tensor, content[base:])
    assert read_flat_tensor(again).container.header == loaded.container.header
    assert exact(read_flat_tensor(again).flat_tensor, again) == exact(loaded.flat_tensor, content)
    assert again[base:] == content[base:]
