"""The builder writes what `flatbuffers.Builder` writes, to the byte."""

from __future__ import annotations

import struct

import pytest
from hypothesis import HealthCheck, given, settings
from pte_lint.schema.bundled_program import BundledProgram
from pte_lint.schema.flat_tensor import FlatTensor
from pte_lint.schema.loaded import binding
from pte_lint.schema.program import Program
from pte_lint.schema.record import Record
from pte_lint.schema.writer import builder
from pte_lint.schema.writer.builder import Builder, TooLargeError
from pte_lint.schema.writer.tables import TableWriter

from pte_lint.testing.table_writer import TableWriter as PublicWriter
from tests.support.tables import SOURCE, tables

WIDE = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=150)


@WIDE
@given(tables(Program))
def test_programs(program: Program) -> None:
    _assert_alike("program", program)


@WIDE
@given(tables(FlatTensor))
def test_data_files(table: FlatTensor) -> None:
    _assert_alike("flat_tensor", table)


@WIDE
@given(tables(BundledProgram))
def test_bundles(bundle: BundledProgram) -> None:
    _assert_alike("bundled_program", bundle)


def _assert_alike(name: str, root: Record) -> None:
    layout = binding(name)
    expected = PublicWriter(SOURCE).finish(root, layout.layout.identifier)
    assert TableWriter(layout, SOURCE).finish(root) == expected


def test_a_number_that_does_not_fit() -> None:
    with pytest.raises(struct.error):
        Builder().table(1, [(0, "b", 128)])


def test_more_than_offsets_can_span(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "_MOST_BYTES", 16)
    made = Builder()
    made.vector(bytes(8), 8, 4)
    with pytest.raises(TooLargeError, match="more than 2 GiB"):
        made.vector(bytes(8), 8, 4)
