"""PTE108."""

from __future__ import annotations

import pytest

from tests.rules.checks import OK, PLAN, adder_program, only, verdict

RULE = "PTE108"


@pytest.mark.parametrize("offset", [4, -1])
def test_an_offset(offset: int) -> None:
    program = adder_program().replaced(f"{PLAN}.values[1].val.storage_offset", offset)
    assert verdict(program, RULE) == "load_method: error NotSupported"
    assert only(program, RULE).location.value == 1


def test_none() -> None:
    assert verdict(adder_program(), RULE) == OK
