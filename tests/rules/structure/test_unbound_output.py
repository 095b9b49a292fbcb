"""PTE138."""

from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Stage, undefined
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, only, verdict

RULE = "PTE138"


def moving(*, planned: bool) -> BuiltProgram:
    b = MethodBuilder("forward")
    x, out = b.input((4,)), b.tensor((4,), planned=planned)
    b.move(b.call("aten::relu.out", x, out=(4,)), out)
    b.output(out)
    return build_program(b)


def test_the_callers_memory_is_never_written() -> None:
    finding = only(moving(planned=False), RULE)
    assert finding.severity is Severity.WARNING
    assert verdict(moving(planned=False), RULE) == OK


def test_a_constant_that_memory_may_be_given_for() -> None:
    b = MethodBuilder("forward")
    b.output(b.call("aten::relu.out", b.input((4,)), out=(4,)), b.external("w", (4,)))
    finding = only(build_program(b), RULE)
    assert "takes the place of the constant" in finding.message
    assert finding.runtime == undefined(Stage.EXECUTE)
    assert verdict(build_program(b), RULE) == OK


def test_a_constant_of_the_program_refuses_memory() -> None:
    b = MethodBuilder("forward")
    b.output(b.call("aten::relu.out", b.input((4,)), out=(4,)), b.constant([1, 2], (2,)))
    b.output(b.external("nothing", (0,)))
    assert found(build_program(b), RULE) == ()


def test_a_planned_output() -> None:
    assert found(moving(planned=True), RULE) == ()


def branching(*, other: str = "kernel", condition: bool | None = None) -> BuiltProgram:
    """A result of one of two branches; the second gives another tensor, the same, or a constant."""
    b = MethodBuilder("forward")
    x, out = b.input((4,)), b.tensor((4,), planned=False)
    test = b.input((), "bool") if condition is None else b.bool_value(condition)
    last, end = Label(), Label()
    one = b.tensor((4,))
    b.jump_false(test, last)
    b.move(b.call("aten::relu.out", x, out=one), out)
    b.jump(end)
    b.mark(last)
    if other == "constant":
        b.move(b.constant([1, 2, 3, 4], (4,)), out)
    else:
        b.move(b.call("aten::neg.out", x, out=one if other == "same" else b.tensor((4,))), out)
    b.mark(end)
    b.output(out)
    return build_program(b)


def test_a_later_call_writes_into_what_an_earlier_one_was_given() -> None:
    finding = only(branching(), RULE)
    assert finding.severity is Severity.ERROR
    assert "so that a later call writes into what an earlier one was given" in finding.message
    assert verdict(branching(), RULE) == "execute: undefined"


def test_a_constant_that_loses_its_data() -> None:
    finding = only(branching(other="constant"), RULE)
    assert "it replaces the data of constant" in finding.message
    assert verdict(branching(other="constant"), RULE) == "execute: undefined"


def test_one_tensor_of_both_branches() -> None:
    assert only(branching(other="same"), RULE).severity is Severity.WARNING


def test_a_branch_that_is_never_taken() -> None:
    assert only(branching(condition=True), RULE).severity is Severity.WARNING
