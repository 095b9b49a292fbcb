"""PTE207."""

from __future__ import annotations

from pte_lint.claims.finding import Severity
from tests.rules.checks import OK, PLAN, adder_program, found, only, verdict

RULE = "PTE207"
SIZES = f"{PLAN}.non_const_buffer_sizes"


def test_an_arena_that_holds_nothing() -> None:
    program = adder_program().replaced(SIZES, (0, 48, 64, 0))
    finding = only(program, RULE)
    assert finding.severity is Severity.WARNING
    assert finding.location.path == f"{SIZES}[2]"
    assert verdict(program, RULE) == OK


def test_the_reserved_entry() -> None:
    program = adder_program().replaced(SIZES, (16, 48))
    assert only(program, RULE).location.path == f"{SIZES}[0]"


def test_used_and_empty_arenas() -> None:
    assert found(adder_program().replaced(SIZES, (0, 48, 0)), RULE) == ()
