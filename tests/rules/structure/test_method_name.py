"""PTE103."""

from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import OK, PLAN, adder, adder_program, found, only, report, verdict

RULE = "PTE103"


def test_the_second_method_of_a_name_cannot_run() -> None:
    other = adder()
    other.name = "other"
    program = build_program(adder(), other)
    assert found(program, RULE) == ()
    twice = program.replaced("execution_plan[1].name", "forward")
    twice = twice.replaced("execution_plan[1].outputs", (0,))
    assert only(twice, RULE).location.path == "execution_plan[1].name"
    assert verdict(twice, RULE) == "load_method: undefined"


def test_a_copy_of_a_method_is_only_odd() -> None:
    twice = build_program(adder(), adder())
    assert only(twice, RULE).severity is Severity.WARNING
    assert verdict(twice, RULE) == OK


def test_a_method_without_a_name() -> None:
    program = adder_program().replaced(f"{PLAN}.name", None)
    assert verdict(program, RULE) == "load_method: error InvalidProgram"


def test_an_empty_name_is_only_odd() -> None:
    program = adder_program().replaced(f"{PLAN}.name", "")
    assert only(program, RULE).severity is Severity.WARNING
    assert report(program, RULE).verdict[0].method == ""
    assert verdict(program, RULE) == OK


def test_a_method_without_a_name_does_not_hide_the_one_of_an_empty_name() -> None:
    program = build_program(adder(), adder())
    program = program.replaced("execution_plan[0].name", None)
    program = program.replaced("execution_plan[1].name", "")
    first, second = report(program, RULE, verification="minimal").verdict
    assert (first.stage, first.error) == ("load_method", "InvalidProgram")
    assert (second.stage, second.outcome) == ("execute", "ok")
