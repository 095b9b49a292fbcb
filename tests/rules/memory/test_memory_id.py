"""PTE201."""

from __future__ import annotations

import pytest

from tests.rules.checks import OK, PLAN, adder_program, only, verdict

RULE = "PTE201"


@pytest.mark.parametrize("memory_id", [0, 2, 2**32 - 1])
def test_an_arena_that_is_not_there(memory_id: int) -> None:
    program = adder_program().replaced(f"{PLAN}.values[3].val.allocation_info.memory_id", memory_id)
    assert only(program, RULE).evidence == {"memory_id": memory_id, "arenas": 1}
    assert verdict(program, RULE) == "load_method: error InvalidArgument"


def test_no_arenas_at_all() -> None:
    program = adder_program().replaced(f"{PLAN}.non_const_buffer_sizes", ())
    assert verdict(program, RULE) == "load_method: error InvalidArgument"


def test_the_arena_that_is_there() -> None:
    assert verdict(adder_program(), RULE) == OK
