"""PTE101."""

from __future__ import annotations

from tests.rules.checks import OK, adder_program, found, verdict, verdicts

RULE = "PTE101"


def test_a_program_without_the_list() -> None:
    program = adder_program().replaced("execution_plan", None)
    assert verdicts(program, RULE) == (
        "load_program: error InvalidProgram",
        "load_method: crash SIGSEGV",
    )


def test_an_empty_list() -> None:
    program = adder_program().replaced("execution_plan", ())
    assert verdict(program, RULE) == "load_method: error InvalidArgument"


def test_one_method_is_enough() -> None:
    assert found(adder_program(), RULE) == ()
    assert verdict(adder_program(), RULE) == OK
