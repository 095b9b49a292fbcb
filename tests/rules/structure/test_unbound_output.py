"""PTE138."""

from __future__ import annotations

from pte_lint.finding import Severity
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


def test_a_planned_output() -> None:
    assert found(moving(planned=True), RULE) == ()
