"""PTE117."""

from __future__ import annotations

from pte_lint.testing.program_builder import build_program
from tests.rules.checks import OK, PLAN, adder, adder_program, found, only, verdict

RULE = "PTE117"


def test_the_last_one_wins() -> None:
    program = adder_program().replaced(f"{PLAN}.inputs", (0, 1, 0))
    assert only(program, RULE).evidence == {"inputs": [0, 2]}
    assert verdict(program, RULE) == OK


def test_repeated_numbers_do_no_harm() -> None:
    b = adder()
    number = b.int_value(1)
    b.takes(number)
    b.takes(number)
    assert found(build_program(b), RULE) == ()
