"""PTE128."""

from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, only, verdict

RULE = "PTE128"


def jumping(flag: bool | None) -> BuiltProgram:
    """Jumps over two calls when the flag is false; None leaves it to the caller."""
    b = MethodBuilder("forward")
    x = b.input((4,))
    over = Label()
    condition = b.input((), "bool") if flag is None else b.bool_value(flag)
    out = b.call("aten::relu.out", x, out=(4,))
    b.jump_false(condition, over)
    b.call("aten::relu.out", x, out=out)
    b.call("aten::relu.out", x, out=out)
    b.mark(over)
    b.call("aten::relu.out", x, out=out)
    return build_program(b)


def test_code_behind_an_unconditional_jump() -> None:
    program = jumping(False)
    finding = only(program, RULE)
    assert finding.severity is Severity.WARNING
    assert finding.evidence == {"first": 2, "last": 3}
    assert verdict(program, RULE) == OK


def test_code_that_may_run() -> None:
    assert found(jumping(True), RULE) == ()
    assert found(jumping(None), RULE) == ()
