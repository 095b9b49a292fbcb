"""Interpretations: what playing a method without its data finds, and what it must not."""

from __future__ import annotations

import pytest

from pte_lint.interpret.faults import FaultKind
from pte_lint.interpret.runs import Interpretation
from pte_lint.questions.method import Method
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import build_program


def interpretation(b: MethodBuilder) -> Interpretation:
    return Method(build_program(b).program, 0).interpretation


def faults(b: MethodBuilder) -> list[tuple[FaultKind, int, int]]:
    """Kind, step and run of each fault."""
    played = interpretation(b)
    assert played.complete
    return [(fault.kind, fault.step, fault.run) for fault in played.faults]


def counter(times: int, start: int = 0) -> MethodBuilder:
    """Counts in a loop of steps 0 to 2 and takes the count back at step 3."""
    b = MethodBuilder("forward")
    at, done = b.int_value(start), b.null()
    top = b.mark()
    b.kernel("executorch_prim::add.Scalar", at, b.int_value(1), at)
    b.kernel("executorch_prim::eq.Scalar", at, b.int_value(times), done)
    b.jump_false(done, top)
    b.kernel("executorch_prim::sub.Scalar", at, b.int_value(times), at)
    b.output(at)
    return b


def rows(times: int, room: int, dynamism: int = 1) -> MethodBuilder:
    """Copies rows into a tensor with room for some, step 0, in a loop."""
    b = MethodBuilder("forward")
    x = b.input((2,))
    out = b.tensor((room, 2), dynamism=dynamism)
    at, done = b.int_value(0), b.null()
    top = b.mark()
    b.kernel("executorch_prim::et_copy_index.tensor", out, x, at)
    b.kernel("executorch_prim::add.Scalar", at, b.int_value(1), at)
    b.kernel("executorch_prim::eq.Scalar", at, b.int_value(times), done)
    b.jump_false(done, top)
    b.kernel("executorch_prim::sub.Scalar", at, b.int_value(times), at)
    b.output(out)
    return b


def test_loops_that_count() -> None:
    assert faults(counter(5)) == []


def test_a_loop_that_passes_its_end() -> None:
    # Between 3 and 0 lie all negative numbers: that many iterations are not played one by one.
    assert faults(counter(0, start=3)) == [(FaultKind.ENDLESS, 2, 1)]


def test_a_loop_on_numbers_that_do_not_change() -> None:
    b = MethodBuilder("forward")
    done = b.null()
    top = b.mark()
    b.kernel("executorch_prim::eq.Scalar", b.int_value(1), b.int_value(2), done)
    b.jump_false(done, top)
    assert faults(b) == [(FaultKind.ENDLESS, 1, 1)]


def test_rows_that_fit() -> None:
    assert faults(rows(3, 3)) == []
    assert faults(rows(2, 3)) == []


def test_a_row_too_many() -> None:
    assert faults(rows(4, 3)) == [(FaultKind.ROW_COPY, 0, 1)]


def test_a_count_that_is_not_taken_back() -> None:
    b = MethodBuilder("forward")
    x, out, at = b.input((2,)), b.tensor((1, 2), dynamism=1), b.int_value(0)
    b.kernel("executorch_prim::et_copy_index.tensor", out, x, at)
    b.kernel("executorch_prim::add.Scalar", at, b.int_value(1), at)
    assert faults(b) == [(FaultKind.ROW_COPY, 0, 2)]


def test_slots_before_and_after_they_are_written() -> None:
    b = MethodBuilder("forward")
    x, size, double = b.input((2,)), b.null(), b.null()
    b.kernel("executorch_prim::mul.Scalar", size, b.int_value(2), double)
    b.kernel("aten::sym_size.int", x, b.int_value(0), size)
    # In a second run the slot holds the first one's size, but there is none.
    assert faults(b) == [(FaultKind.ARGUMENT, 0, 1)]
    c = MethodBuilder("forward")
    x, size, double = c.input((2,)), c.null(), c.null()
    c.kernel("aten::sym_size.int", x, c.int_value(0), size)
    c.kernel("executorch_prim::mul.Scalar", size, c.int_value(2), double)
    assert faults(c) == []


def test_both_ways_of_a_condition_that_only_the_run_knows() -> None:
    b = MethodBuilder("forward")
    flag, slot, otherwise = b.input((), "bool"), b.null(), Label()
    b.jump_false(flag, otherwise)
    b.kernel("executorch_prim::neg.Scalar", b.int_value(1), slot)
    b.mark(otherwise)
    b.kernel("executorch_prim::neg.Scalar", slot, slot)
    assert faults(b) == [(FaultKind.ARGUMENT, 2, 1)]


def test_a_condition_keeps_its_outcome_until_it_is_written() -> None:
    b = MethodBuilder("forward")
    flag, slot, first, second = b.input((), "bool"), b.null(), Label(), Label()
    b.jump_false(flag, first)
    b.kernel("executorch_prim::neg.Scalar", b.int_value(1), slot)
    b.mark(first)
    b.jump_false(flag, second)
    b.kernel("executorch_prim::neg.Scalar", slot, slot)
    b.mark(second)
    assert faults(b) == []
    b.call("aten::logical_not.out", flag, out=flag)
    end = Label()
    b.jump_false(flag, end)
    b.kernel("executorch_prim::neg.Scalar", slot, slot)
    b.mark(end)
    assert faults(b) == [(FaultKind.ARGUMENT, 6, 1)]


def test_a_loop_on_an_input() -> None:
    b = MethodBuilder("forward")
    flag = b.input((), "bool")
    top = b.mark()
    b.call("aten::logical_not.out", b.input((), "bool"), out=b.tensor((), "bool"))
    b.jump_false(flag, top)
    assert faults(b) == [(FaultKind.ENDLESS, 1, 1)]


def test_moves_carry_tensors_along() -> None:
    b = MethodBuilder("forward")
    short, rank = b.input((2,)), b.null()
    alias = b.tensor((2, 2, 2))
    b.move(short, alias)
    b.kernel("aten::sym_size.int", alias, b.int_value(2), rank)
    assert faults(b) == [(FaultKind.NUMBER, 1, 1)]


def test_frees_and_jumps_on_numbers() -> None:
    b = MethodBuilder("forward")
    slot = b.null()
    b.kernel("executorch_prim::neg.Scalar", b.int_value(1), slot)
    b.free(slot)
    assert faults(b) == [(FaultKind.FREE, 1, 1)]
    c = MethodBuilder("forward")
    slot = c.bool_value(True)
    c.kernel("executorch_prim::neg.Scalar", c.int_value(1), slot)
    c.jump_false(slot, 0)
    assert faults(c) == [(FaultKind.CONDITION, 1, 1)]


def test_divisions_by_numbers_that_become_zero() -> None:
    b = MethodBuilder("forward")
    zero, out = b.null(), b.null()
    b.kernel("executorch_prim::sub.Scalar", b.int_value(2), b.int_value(2), zero)
    b.kernel("executorch_prim::mod.Scalar", b.int_value(7), zero, out)
    assert faults(b) == [(FaultKind.NUMBER, 1, 1)]


def test_many_rows_of_unknown_number() -> None:
    b = MethodBuilder("forward")
    x = b.input((1000, 2), dynamism=1)
    out = b.tensor((1000, 2), dynamism=1)
    count, at, done = b.null(), b.int_value(0), b.null()
    b.kernel("aten::sym_size.int", x, b.int_value(0), count)
    top = b.mark()
    row = b.call("aten::select_copy.int_out", x, b.int_value(0), at, out=(2,))
    b.kernel("executorch_prim::et_copy_index.tensor", out, row, at)
    b.kernel("executorch_prim::add.Scalar", at, b.int_value(1), at)
    b.kernel("executorch_prim::eq.Scalar", at, count, done)
    b.jump_false(done, top)
    b.kernel("executorch_prim::sub.Scalar", at, count, at)
    assert faults(b) == []


def test_places_follow_the_iterations_of_loops() -> None:
    """What a later iteration meets lies behind the loop; what comes after it keeps its place."""
    method = Method(build_program(rows(times=3, room=2)).program, 0)
    (row,) = method.interpretation.of(FaultKind.ROW_COPY)
    assert row.step == 0
    assert 3 < row.place(method) < 4
    b = counter(3)
    b.kernel("executorch_prim::mod.Scalar", b.int_value(7), 0, b.null())
    method = Method(build_program(b).program, 0)
    (number,) = method.interpretation.of(FaultKind.NUMBER)
    assert (number.step, number.place(method)) == (4, 4)


def test_places_of_nested_loops() -> None:
    b = MethodBuilder("forward")
    at, done, end = b.int_value(0), b.null(), b.int_value(2)
    outer = b.mark()
    inner_at, inner_done = b.int_value(0), b.null()
    top = b.mark()
    b.kernel("executorch_prim::add.Scalar", inner_at, b.int_value(1), inner_at)
    b.kernel("executorch_prim::eq.Scalar", inner_at, end, inner_done)
    b.jump_false(inner_done, top)
    b.kernel("executorch_prim::mod.Scalar", end, at, b.null())
    b.kernel("executorch_prim::add.Scalar", at, b.int_value(1), at)
    b.kernel("executorch_prim::eq.Scalar", at, end, done)
    b.jump_false(done, outer)
    method = Method(build_program(b).program, 0)
    found = [fault for fault in method.interpretation.faults if fault.kind is FaultKind.NUMBER]
    assert [(fault.step, fault.place(method)) for fault in found] == [(3, 3)]


def test_what_goes_wrong_in_silence_ends_no_run() -> None:
    b = MethodBuilder("forward")
    x, out, two = b.input((2,)), b.tensor((3, 2), dynamism=1), b.int_value(2)
    b.kernel("executorch_prim::et_copy_index.tensor", out, x, b.int_value(0))
    b.kernel("executorch_prim::et_copy_index.tensor", out, x, two)
    b.free(two)
    assert faults(b) == [(FaultKind.ROW_COPY, 1, 1), (FaultKind.FREE, 2, 1)]


@pytest.mark.parametrize("is_moved", [False, True])
def test_a_list_that_a_move_puts_into_itself(is_moved: bool) -> None:
    """Its item is a list then, in which no kernel looks for numbers."""
    b = MethodBuilder("forward")
    x, kept, none = b.input((2, 3)), b.bool_value(False), b.null()
    item = b.int_value(1)
    first, dims = b.ints([1]), b.int_list([item])
    b.call("aten::mean.out", x, first, kept, none, out=(2,))
    if is_moved:
        b.move(dims, item)
    b.output(b.call("aten::mean.out", x, dims, kept, none, out=(2,)))
    found = interpretation(b).faults
    assert [(f.step, f.argument) for f in found] == [(2, 1)] * is_moved


@pytest.mark.parametrize(("largest", "faults"), [(1, 0), (2, 1)])
def test_a_size_of_one_at_most_is_one(largest: int, faults: int) -> None:
    """A slot is written where the size is one, and read in any case."""
    b = MethodBuilder("forward")
    x, one, dim = b.input((largest, 2), dynamism=1), b.int_value(1), b.int_value(0)
    rows, same, late, result = b.null(), b.null(), b.null(), b.null()
    b.kernel("aten::sym_size.int", x, dim, rows)
    b.kernel("executorch_prim::eq.Scalar", rows, one, same)
    end = Label()
    b.jump_false(same, end)
    b.kernel("aten::sym_size.int", x, dim, late)
    b.mark(end)
    b.kernel("executorch_prim::add.Scalar", late, one, result)
    b.output(x)
    found = interpretation(b).faults
    assert [f.step for f in found] == [4] * faults
