"""PTE202."""

from __future__ import annotations

import pytest

from pte_lint.testing.program_builder import BuiltProgram
from tests.rules.checks import OK, PLAN, adder_program, found, only, verdict

RULE = "PTE202"
SHORT = "load_method: error MemoryAllocationFailed"
ALLOCATION = f"{PLAN}.values[3].val.allocation_info"


def at(low: int, high: int = 0) -> BuiltProgram:
    """The sum of `adder` (16 bytes, in an arena of 48) somewhere else."""
    program = adder_program().replaced(f"{ALLOCATION}.memory_offset_low", low)
    return program.replaced(f"{ALLOCATION}.memory_offset_high", high)


def test_the_very_end_is_inside() -> None:
    assert verdict(at(32), RULE) == OK


@pytest.mark.parametrize(("low", "high"), [(33, 0), (48, 0), (2**32 - 4, 0), (0, 1)])
def test_past_the_end(low: int, high: int) -> None:
    assert verdict(at(low, high), RULE) == SHORT
    assert only(at(low, high), RULE).evidence["arena_size"] == 48


def test_a_sum_beyond_64_bits() -> None:
    program = at(2**32 - 16, 2**32 - 1)
    assert verdict(program, RULE) == "load_method: error InvalidArgument"


def test_even_nothing_must_lie_inside() -> None:
    program = at(49).replaced(f"{PLAN}.values[3].val.sizes", (0,))
    assert verdict(program, RULE) == SHORT


def test_bytes_wrap_as_in_the_runtime() -> None:
    half = 2**31 - 1
    sizes = (half, half, half, half)
    program = at(0).replaced(f"{PLAN}.values[3].val.sizes", sizes)
    program = program.replaced(f"{PLAN}.values[3].val.dim_order", (0, 1, 2, 3))
    assert only(program, RULE).evidence["bytes"] == half**4 * 4 % 2**64


def test_the_size_of_the_arena() -> None:
    program = adder_program().replaced(f"{PLAN}.non_const_buffer_sizes", (0, 47))
    assert only(program, RULE).location.value == 3
    negative = adder_program().replaced(f"{PLAN}.non_const_buffer_sizes", (0, -1))
    assert found(negative, RULE) == ()
