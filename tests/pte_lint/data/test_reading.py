"""What is opened for the rules, and what is left out because it would cost too much."""

from __future__ import annotations

import pytest

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.data import reading
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.support.examples import adder


def several() -> BuiltProgram:
    """Three methods, of which the last is wrong."""
    program = build_program(*(adder(name) for name in ("a", "b", "c")))
    return program.replaced("execution_plan[2].outputs", (99,))


def test_all_methods_are_judged() -> None:
    (said,) = pte_lint.check(several().bytes(), isolated=True).artifacts
    assert [each.method for each in said.verdict] == ["a", "b", "c"]
    assert {f.method for f in said.findings} == {"c"}
    assert said.unchecked == ()


def test_methods_beyond_the_most_are_said_not_to_be_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_METHODS", 2)
    (said,) = pte_lint.check(several().bytes(), isolated=True).artifacts
    assert [each.method for each in said.verdict] == ["a", "b"]
    (left,) = said.findings
    assert (left.rule, left.severity, left.method) == ("PTE022", Severity.ERROR, None)
    assert left.subject == "the methods from number 2 on, 3 in all"
    assert {each.outcome for each in said.verdict} == {Outcome.UNJUDGED}
