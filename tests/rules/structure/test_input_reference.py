"""PTE112."""

from __future__ import annotations

import pytest

from tests.rules.checks import OK, PLAN, adder_program, only, verdict

RULE = "PTE112"


@pytest.mark.parametrize("index", [-1, 4, 2**31 - 1])
def test_an_input_outside_the_table(index: int) -> None:
    program = adder_program().replaced(f"{PLAN}.inputs[1]", index)
    assert verdict(program, RULE) == "set_input: crash SIGABRT"
    assert only(program, RULE).location.path == f"{PLAN}.inputs[1]"


def test_inputs_in_the_table() -> None:
    assert verdict(adder_program(), RULE) == OK
