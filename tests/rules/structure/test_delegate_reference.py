"""PTE122."""

from __future__ import annotations

import pytest
from pte_lint.schema.program import DelegateCall

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import OK, adder, only, verdict

RULE = "PTE122"


@pytest.mark.parametrize("index", [-1, 0, 5])
def test_a_delegate_that_is_not_there(index: int) -> None:
    b = adder()
    b.step(DelegateCall(index, (0, 3)))
    assert verdict(build_program(b), RULE) == "execute: error Internal"


def test_a_call_that_is_jumped_over() -> None:
    b = MethodBuilder("forward")
    over = Label()
    b.input((4,))
    b.jump(over)
    b.step(DelegateCall(3, (0,)))
    b.mark(over)
    program = build_program(b)
    assert only(program, RULE).severity is Severity.WARNING
    assert verdict(program, RULE) == OK


def test_a_delegate_that_is_there() -> None:
    b = adder()
    b.delegate("XnnpackBackend", [0], [3])
    assert verdict(build_program(b), RULE) == OK
