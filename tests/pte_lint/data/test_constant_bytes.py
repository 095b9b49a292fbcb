"""Bytes of constants, to the first and the last that there are, and what is none."""

from __future__ import annotations

import pytest
from pte_lint.schema.loaded import read_program

from pte_lint.data.constant_bytes import MOST_CONSTANT_BYTES, constant_bytes
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import adder


def test_nothing_that_is_read_has_no_constants() -> None:
    nothing, program = b"no program at all", build_program(adder()).bytes()
    assert constant_bytes(read_program(nothing), nothing)(0, 4) is None
    assert constant_bytes(read_program(program), program)(0, 4) is None


def _constants(*sizes: int) -> bytes:
    """A program with constants of that many bytes, each of its own number."""
    b = MethodBuilder()
    for number, size in enumerate(sizes, 1):
        b.constant(bytes([number]) * size, (size,), "uint8")
    return build_program(b).bytes()


@pytest.mark.parametrize(
    ("entry", "nbytes", "expected"),
    [
        (-1, 1, None),
        (0, 0, b""),
        (1, 4, b"\1" * 4),
        (1, 0, b""),
        (1, -1, None),
        (2, MOST_CONSTANT_BYTES, b"\2" * MOST_CONSTANT_BYTES),
        (2, MOST_CONSTANT_BYTES + 1, None),
        (3, 4, b"\3" * 4),
        (3, 5, None),
        (4, 0, None),
    ],
)
def test_entries_and_sizes_at_their_ends(entry: int, nbytes: int, expected: bytes | None) -> None:
    program = _constants(4, MOST_CONSTANT_BYTES + 1, 4)
    assert constant_bytes(read_program(program), program)(entry, nbytes) == expected
