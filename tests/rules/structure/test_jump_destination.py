"""PTE126."""

from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import OK, adder, found, only, verdict

RULE = "PTE126"


@pytest.mark.parametrize("destination", [-1, 3, 2**31 - 1])
def test_out_of_the_chain(destination: int) -> None:
    b = adder()
    b.jump_false(b.bool_value(True), destination)
    program = build_program(b)
    finding = only(program, RULE)
    assert finding.severity is Severity.WARNING
    assert finding.evidence == {"destination": destination, "instructions": 2}
    assert verdict(program, RULE) == OK


@pytest.mark.parametrize("destination", [0, 1, 2])
def test_the_end_is_a_destination(destination: int) -> None:
    b = adder()
    b.jump_false(b.bool_value(True), destination)
    assert found(build_program(b), RULE) == ()
