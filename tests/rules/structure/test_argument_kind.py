"""PTE124."""

from __future__ import annotations

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import OK, PLAN, adder, found, only, verdict

RULE = "PTE124"
ABORT = "execute: crash SIGABRT"


def test_a_number_where_a_tensor_must_be() -> None:
    b = adder()
    b.kernel("aten::add.out", 0, 2, 2, 3, 3)
    program = build_program(b)
    assert only(program, RULE).location.argument == 1
    assert verdict(program, RULE) == ABORT


def test_the_first_wrong_argument_is_named() -> None:
    b = adder()
    b.kernel("aten::add.out", 2, 2, 0, 3, 3)
    assert only(build_program(b), RULE).location.argument == 0


def test_none_where_the_schema_allows_it() -> None:
    b = adder()
    none = b.null()
    b.kernel("aten::clamp.out", 0, none, none, 3, 3)
    assert found(build_program(b), RULE) == ()
    b.kernel("aten::relu.out", none, 3, 3)
    assert verdict(build_program(b), RULE) == ABORT


def test_the_return_may_be_anything() -> None:
    b = adder()
    b.kernel("aten::relu.out", 0, 3, 2)
    assert verdict(build_program(b), RULE) == OK


@pytest.mark.parametrize("kind", ["double", "bool"])
def test_an_int_is_no_double_and_no_bool(kind: str) -> None:
    b = adder()
    value = b.double_value(1.0) if kind == "double" else b.bool_value(True)
    b.kernel("aten::leaky_relu.out", 0, value, 3, 3)  # takes any number
    assert found(build_program(b), RULE) == ()
    b.kernel("aten::softmax.int_out", 0, value, 3, 3)  # not in the table
    b.kernel("aten::_softmax.out", 0, 2, 2, 3, 3)  # half_to_float is a bool
    assert only(build_program(b), RULE).location.argument == 2


def test_prim_ops_test_their_arguments() -> None:
    b = adder()
    one, flag, slot = b.int_value(1), b.bool_value(True), b.null()
    b.kernel("executorch_prim::add.Scalar", one, flag, slot)
    program = build_program(b)
    assert verdict(program, RULE) == "execute: error InvalidType"
    unnamed = program.replaced(f"{PLAN}.operators[1].overload", None)
    unnamed = unnamed.replaced(f"{PLAN}.operators[1].name", "executorch_prim::add.Scalar")
    assert verdict(unnamed, RULE) == "execute: crash SIGSEGV"


def test_some_prim_ops_abort() -> None:
    b = adder()
    dim, slot = b.int_value(0), b.null()
    b.kernel("aten::sym_size.int", dim, dim, slot)
    assert verdict(build_program(b), RULE) == ABORT


def test_slots_take_the_kind_of_what_is_written() -> None:
    b = adder()
    one, slot = b.int_value(1), b.null()
    b.kernel("executorch_prim::add.Scalar", one, one, slot)
    b.kernel("aten::add.out", 0, 1, slot, 3, 3)
    assert found(build_program(b), RULE) == ()


def test_moves_carry_kinds_along() -> None:
    b = adder()
    target = b.null()
    b.move(0, target)
    b.kernel("aten::relu.out", target, 3, 3)
    assert found(build_program(b), RULE) == ()


def test_int_lists_hold_ints() -> None:
    b = adder()
    real = b.double_value(2.0)
    sizes = b.int_list([2, real])
    b.kernel("aten::view_copy.out", 0, sizes, 3, 3)
    program = build_program(b)
    assert "item" in only(program, RULE).message
    assert verdict(program, RULE) == ABORT


def test_what_the_step_after_a_loop_meets_comes_before_later_steps() -> None:
    b = MethodBuilder("forward")
    x, at, one, end, done = b.input((2,)), b.int_value(0), b.int_value(1), b.int_value(2), b.null()
    top = b.mark()
    b.kernel("executorch_prim::add.Scalar", at, one, at)
    b.kernel("executorch_prim::eq.Scalar", at, end, done)
    b.jump_false(done, top)
    b.kernel("executorch_prim::sub.Scalar", at, end, at)
    b.move(b.null(), end)
    b.kernel("aten::sym_size.int", x, end, b.null())
    b.kernel("executorch_prim::mul.Scalar", b.null(), one, b.null())
    program = build_program(b)
    assert [each.location.instruction for each in found(program, RULE)] == [5, 6]
    assert verdict(program, RULE) == "execute: crash SIGABRT"


@pytest.mark.parametrize(("target", "expected"), [("1.3", "InvalidType"), ("1.4", OK), ("1.5", OK)])
def test_a_bool_as_a_double(target: str, expected: str) -> None:
    b = adder()
    b.kernel("executorch_prim::sym_float.Scalar", b.double_value(0.5), b.null())
    b.kernel("executorch_prim::sym_float.Scalar", b.bool_value(True), b.null())
    program = build_program(b)
    wanted = expected if expected == OK else f"execute: error {expected}"
    assert verdict(program, RULE, target=target) == wanted
    if expected != OK:
        assert only(program, RULE, target=target).location.instruction == 2


def test_a_choice_looks_at_what_is_chosen_alone() -> None:
    def choosing(first: bool) -> str:
        b = adder()
        b.kernel("executorch_prim::sym_ite.Scalar", b.bool_value(first), 2, 0, b.null())
        return verdict(build_program(b), RULE)

    assert choosing(True) == OK
    assert choosing(False) == "execute: error InvalidType"


def test_a_bool_is_compared_with_a_bool_alone() -> None:
    def comparing(left: int, right: int, b: MethodBuilder) -> str:
        b.kernel("executorch_prim::eq.Scalar", left, right, b.null())
        return verdict(build_program(b), RULE)

    b = adder()
    assert comparing(b.bool_value(True), b.bool_value(False), b) == OK
    assert comparing(b.double_value(1.0), b.bool_value(True), b) == "execute: error InvalidType"


def test_an_argument_that_steps_spoil_behind_those_that_they_leave_alone() -> None:
    b = MethodBuilder("forward")
    x, y, alpha = b.input((4,)), b.input((4,)), b.int_value(1)
    b.move(b.string_value("no number"), alpha)
    b.output(b.call("aten::add.out", x, y, alpha, out=(4,)))
    finding = only(build_program(b), RULE)
    assert (finding.location.instruction, finding.location.argument) == (1, 2)
