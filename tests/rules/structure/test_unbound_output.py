"""PTE138."""

from __future__ import annotations

from pte_lint.finding import Severity
from pte_lint.forecast import Stage, undefined
from tests.rules.checks import OK, found, only, verdict
from tests.support.builder import MethodBuilder
from tests.support.program_builder import BuiltProgram, build_program

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
