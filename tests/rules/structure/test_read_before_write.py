"""PTE129."""

from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import OK, found, only, verdict

RULE = "PTE129"
RELU = "aten::relu.out"
WRONG = "execute: undefined"


def test_a_tensor_that_nothing_writes() -> None:
    b = MethodBuilder("forward")
    b.input((4,))
    b.output(b.call(RELU, b.tensor((4,)), out=(4,)))
    finding = only(build_program(b), RULE)
    assert "no instruction ever writes it" in finding.message
    assert (finding.location.instruction, finding.location.value) == (0, 1)
    assert verdict(build_program(b), RULE) == "execute: undefined"


def test_what_is_copied_to_gives_its_sizes_only() -> None:
    b = MethodBuilder("forward")
    x, target, out = b.input((4,)), b.tensor((4,)), b.tensor((4,))
    b.kernel("aten::copy.out", target, x, b.bool_value(False), out, out)
    b.output(out)
    assert found(build_program(b), RULE) == ()
    b.kernel("aten::copy.out", x, target, b.bool_value(False), out, out)
    assert only(build_program(b), RULE).location.value == target


def test_a_tensor_that_is_written_too_late() -> None:
    b = MethodBuilder("forward")
    x, late = b.input((4,)), b.tensor((4,))
    b.output(b.call(RELU, late, out=(4,)))
    b.call(RELU, x, out=late)
    assert "only written later" in only(build_program(b), RULE).message


def branching(tested: int) -> MethodBuilder:
    """Writes a tensor only when the flag holds, and reads it afterwards; `tested` flags exist."""
    b = MethodBuilder("forward")
    x, middle = b.input((4,)), b.tensor((4,))
    flag = b.input((), "bool")
    over, end = Label(), Label()
    b.jump_false(flag, over)
    b.call(RELU, x, out=middle)
    b.mark(over)
    if tested == 2:
        b.jump_false(flag, end)
    b.output(b.call(RELU, middle, out=(4,)))
    b.mark(end)
    return b


def test_a_path_around_the_write() -> None:
    assert "on some path" in only(build_program(branching(1)), RULE).message


def test_a_condition_that_is_tested_twice_proves_nothing() -> None:
    program = build_program(branching(2))
    assert only(program, RULE).severity is Severity.WARNING
    assert verdict(program, RULE) == OK


def test_a_condition_that_decides_twice_and_leads_to_the_read() -> None:
    b = MethodBuilder("forward")
    x, middle = b.input((4,)), b.tensor((4,))
    flag = b.input((), "bool")
    over, late = Label(), Label()
    b.jump_false(flag, over)
    b.call(RELU, x, out=middle)
    b.mark(over)
    b.jump_false(flag, late)
    b.output(b.call(RELU, x, out=(4,)))
    b.mark(late)
    b.output(b.call(RELU, middle, out=(4,)))
    assert verdict(build_program(b), RULE) == WRONG


def test_what_is_moved_to_where_nobody_looks_is_not_read() -> None:
    b = MethodBuilder("forward")
    x, nowhere = b.input((4,)), b.tensor((4,))
    never = b.tensor((4,))
    b.move(never, nowhere)
    b.output(b.call(RELU, x, out=(4,)))
    assert found(build_program(b), RULE) == ()
    b.output(nowhere)
    assert verdict(build_program(b), RULE) == WRONG


def test_inputs_constants_state_and_views() -> None:
    b = MethodBuilder("forward")
    x, kept = b.input((4,)), b.state((4,), initial=[1.0] * 4)
    b.add(x, b.constant([1.0] * 4, (4,)))
    y = b.tensor((4,), memory_id=1, offset=256)
    view = b.tensor((2, 2), memory_id=1, offset=256)
    b.call(RELU, kept, out=y)
    b.output(b.call(RELU, view, out=(2, 2)))
    assert found(build_program(b), RULE) == ()
