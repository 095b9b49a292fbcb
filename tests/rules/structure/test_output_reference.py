"""PTE113."""

from __future__ import annotations

import pytest

from tests.rules.checks import OK, PLAN, adder_program, only, verdict

RULE = "PTE113"


@pytest.mark.parametrize("index", [-1, 4, 2**31 - 1])
def test_an_output_outside_the_table(index: int) -> None:
    program = adder_program().replaced(f"{PLAN}.outputs[0]", index)
    assert verdict(program, RULE) == "get_output: crash SIGABRT"
    assert only(program, RULE).location.path == f"{PLAN}.outputs[0]"


def test_outputs_in_the_table() -> None:
    assert verdict(adder_program(), RULE) == OK
