"""PTE208."""

from __future__ import annotations

from pte_lint.claims.finding import Severity
from tests.rules.checks import PLAN, adder_program, found, only

RULE = "PTE208"


def test_beyond_four_gibibytes() -> None:
    program = adder_program()
    for v in (1, 3):
        path = f"{PLAN}.values[{v}].val.allocation_info.memory_offset_high"
        program = program.replaced(path, 1)
    finding = only(program, RULE)
    assert finding.severity is Severity.WARNING
    assert finding.location.value == 1
    assert finding.forecast is None


def test_below() -> None:
    assert found(adder_program(), RULE) == ()


def test_an_arena_that_does_not_exist_is_left_to_its_own_rule() -> None:
    """The first tensor's; one in an arena that exists is still told."""
    program = adder_program()
    for v in (1, 3):
        path = f"{PLAN}.values[{v}].val.allocation_info.memory_offset_high"
        program = program.replaced(path, 1)
    for memory_id in (0, 2048):
        path = f"{PLAN}.values[1].val.allocation_info.memory_id"
        assert only(program.replaced(path, memory_id), RULE).location.value == 3
