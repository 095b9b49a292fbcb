"""PTE134."""

from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import OK, adder, found, only, verdict

RULE = "PTE134"


def test_a_number_over_a_tensor_that_is_used_again() -> None:
    b = adder()
    b.move(2, 0)
    program = build_program(b)
    assert only(program, RULE).severity is Severity.WARNING
    # What follows is said where it happens: the input cannot be set again.
    assert verdict(program, RULE) == OK
    assert verdict(program, "PTE140") == "set_input: error InvalidArgument"


def test_a_tensor_that_nobody_uses() -> None:
    b = adder()
    b.move(2, b.tensor((4,)))
    assert only(build_program(b), RULE).severity is Severity.WARNING
    assert verdict(build_program(b), RULE) == OK


def test_kinds_that_mix() -> None:
    b = adder()
    b.move(0, b.tensor((4,)))
    b.move(2, b.null())
    b.move(b.bool_value(True), b.int_value(3))
    assert found(build_program(b), RULE) == ()
