"""The verdict names what a run meets first, wherever it stands."""

from __future__ import annotations

import pte_lint
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import build_program


def verdict(b: MethodBuilder) -> tuple[str, str, str | None, str | None]:
    """Stage, outcome, error or signal, and rule."""
    (found,) = pte_lint.check(build_program(b).bytes(), isolated=True).artifacts[0].verdict
    return found.stage, found.outcome, found.error or found.signal, found.rule


def starting() -> MethodBuilder:
    """A method with an instruction that goes well; values x 0, y 1."""
    b = MethodBuilder("forward")
    b.output(b.call("aten::relu.out", b.input((4,)), out=(4,)))
    return b


def dividing(b: MethodBuilder) -> None:
    b.kernel("executorch_prim::mod.int", b.int_value(1), b.int_value(0), b.null())


def test_what_stands_later_may_be_met_first() -> None:
    b = starting()
    wrong, first = Label(), Label()
    b.jump(wrong)
    b.mark(first)
    b.kernel("executorch_prim::add.Scalar", 0, 1, b.null())
    b.mark(wrong)
    b.jump_false(b.int_value(1), first)
    assert verdict(b) == ("execute", "error", "InvalidProgram", "PTE125")


def test_a_loop_that_goes_back_to_what_it_has_jumped_over() -> None:
    b = starting()
    again, over, end = b.bool_value(False), Label(), Label()
    top = b.mark()
    b.jump_false(again, over)
    dividing(b)
    b.mark(over)
    b.kernel("executorch_prim::eq.Scalar", again, again, again)
    b.jump_false(b.bool_value(True), end)
    b.kernel("executorch_prim::neg.Scalar", b.bool_value(True), b.null())
    b.mark(end)
    b.jump(top)
    assert verdict(b) == ("execute", "error", "InvalidType", "PTE124")


def test_the_second_run_takes_another_way() -> None:
    """Its input cannot be set: what stands on that way is never met."""
    b = starting()
    count, again, end = b.takes(b.int_value(1)), b.bool_value(False), Label()
    b.jump_false(again, end)
    dividing(b)
    b.mark(end)
    b.kernel("executorch_prim::eq.Scalar", count, count, again)
    b.kernel("executorch_prim::add.Scalar", count, count, count)
    assert verdict(b) == ("set_input", "error", "InvalidArgument", "PTE140")


def test_a_crash_of_the_second_run_that_stands_before() -> None:
    b = starting()
    again, divisor, end = b.bool_value(False), b.int_value(1), Label()
    b.kernel("executorch_prim::floordiv.int", divisor, divisor, b.null())
    b.jump_false(again, end)
    b.kernel("executorch_prim::neg.Scalar", b.bool_value(True), b.null())
    b.mark(end)
    b.kernel("executorch_prim::eq.Scalar", divisor, divisor, again)
    b.kernel("executorch_prim::sub.Scalar", divisor, divisor, divisor)
    assert verdict(b) == ("execute", "crash", "SIGFPE", "PTE135")


def test_a_condition_that_is_tested_before_its_only_writer() -> None:
    """The first run goes back, and for ever; read after its writer it would be true."""
    b = starting()
    done, over = b.bool_value(False), Label()
    top = b.mark()
    b.jump_false(done, top)
    b.mark(over)
    b.kernel("executorch_prim::eq.Scalar", b.int_value(1), b.int_value(1), done)
    assert verdict(b) == ("execute", "error", "InvalidProgram", "PTE127")
    b = starting()
    done = b.bool_value(True)
    top = b.mark()
    b.jump_false(done, top)
    b.kernel("executorch_prim::eq.Scalar", b.int_value(1), b.int_value(1), done)
    b.kernel("executorch_prim::eq.Scalar", b.int_value(1), b.int_value(1), b.bool_value(False))
    assert verdict(b)[:2] == ("execute", "ok")
