"""Bytes of constants, and what is none."""

from __future__ import annotations

from pte_lint.schema.loaded import read_program

from pte_lint.data.constant_bytes import constant_bytes
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import adder


def test_nothing_that_is_read_has_no_constants() -> None:
    nothing, program = b"no program at all", build_program(adder()).bytes()
    assert constant_bytes(read_program(nothing), nothing)(0, 4) is None
    assert constant_bytes(read_program(program), program)(0, 4) is None
