"""PTE130."""

from __future__ import annotations

from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import OK, found, only, verdict

RULE = "PTE130"
RELU = "aten::relu.out"


def test_an_output_that_nothing_writes() -> None:
    for planned in (True, False):
        b = MethodBuilder("forward")
        b.input((4,))
        b.output(b.tensor((4,), planned=planned))
        finding = only(build_program(b), RULE)
        assert finding.message == "Output 0 is returned, but no instruction writes it."
        assert verdict(build_program(b), RULE) == "execute: undefined"


def cond(*, join: bool) -> MethodBuilder:
    """torch.cond as the exporter writes it; without `join` the else branch moves nothing."""
    b = MethodBuilder("forward")
    x, flag, out = b.input((4,)), b.input((), "bool"), b.tensor((4,))
    otherwise, end = Label(), Label()
    b.jump_false(flag, otherwise)
    b.move(b.call(RELU, x, out=(4,)), out)
    b.jump(end)
    b.mark(otherwise)
    other = b.call("aten::neg.out", x, out=(4,))
    if join:
        b.move(other, out)
    b.mark(end)
    b.output(out)
    return b


def test_a_branch_that_leaves_the_output_out() -> None:
    assert found(build_program(cond(join=True)), RULE) == ()
    program = build_program(cond(join=False))
    assert "on some path" in only(program, RULE).message
    assert verdict(program, RULE) == "execute: undefined"


def test_inputs_constants_and_state_may_be_returned() -> None:
    b = MethodBuilder("forward")
    b.output(b.input((4,)), b.constant([1.0], (1,)), b.state((2,), initial=[0.0, 0.0]))
    assert verdict(build_program(b), RULE) == OK


def test_an_output_that_only_a_copy_reads() -> None:
    b = MethodBuilder("forward")
    x, never = b.input((4,)), b.tensor((4,))
    b.h2d(never)
    b.output(b.call("aten::relu.out", x, out=(4,)), never)
    program = build_program(b)
    assert verdict(program, RULE) == "execute: undefined"
    assert "no instruction writes it" in only(program, RULE).message
