"""PTE127."""

from __future__ import annotations

import pytest

from tests.rules.checks import OK, found, only, unchecked, verdict
from tests.support.builder import MethodBuilder
from tests.support.program_builder import build_program

RULE = "PTE127"
ENDLESS = "execute: error InvalidProgram"


def body() -> MethodBuilder:
    """A method with one kernel call; values x 0, y 1."""
    b = MethodBuilder("forward")
    x = b.input((4,))
    b.output(b.call("aten::relu.out", x, out=(4,)))
    return b


@pytest.mark.parametrize("destination", [0, 1])
def test_a_jump_back_on_a_constant(destination: int) -> None:
    b = body()
    b.jump(destination)
    program = build_program(b)
    assert verdict(program, RULE) == ENDLESS
    assert verdict(program, RULE, target="1.2") == "execute: undefined"


@pytest.mark.parametrize("size", [64, 65, 4096])
@pytest.mark.parametrize("value", [True, False])
def test_a_condition_of_many_elements_in_the_file(size: int, value: bool) -> None:
    b = body()
    b.jump_false(b.constant([value] * size, (size,), "bool"), 0)
    assert verdict(build_program(b), RULE) == (OK if value else ENDLESS)


def test_a_condition_too_large_to_read_is_not_judged() -> None:
    b = body()
    b.jump_false(b.constant([True] * 4097, (4097,), "bool"), 0)
    program = build_program(b)
    assert found(program, RULE) == ()
    assert any("has 4097 bytes" in gap.why for gap in unchecked(program, RULE))


def test_a_condition_that_the_caller_sets_once() -> None:
    b = body()
    b.jump_false(b.input((), "bool"), 0)
    program = build_program(b)
    assert "input 1 is false" in only(program, RULE).message
    assert verdict(program, RULE) == ENDLESS


def test_a_bool_input_has_the_value_in_the_file() -> None:
    b = body()
    b.jump_false(b.takes(b.bool_value(True)), 0)
    assert verdict(build_program(b), RULE) == OK
    b = body()
    b.jump_false(b.takes(b.bool_value(False)), 0)
    assert verdict(build_program(b), RULE) == ENDLESS


def counting(step: int, *, size: int = 3, dynamic: bool = False) -> MethodBuilder:
    """A loop over the rows of x as map writes it; `step` is added to the counter, 0 leaves it."""
    b = MethodBuilder("forward")
    x = b.input((size, 4), dynamism=int(dynamic))
    counter, zero, end, done = b.int_value(0), b.int_value(0), b.null(), b.bool_value(False)
    b.kernel("aten::sym_size.int", x, zero, end)
    start = b.mark()
    if step:
        b.kernel("executorch_prim::add.Scalar", counter, b.int_value(step), counter)
    b.kernel("executorch_prim::eq.Scalar", counter, end, done)
    b.jump_false(done, start)
    if step:
        b.kernel("executorch_prim::sub.Scalar", counter, end, counter)
    return b


def test_a_counter_that_counts() -> None:
    assert verdict(build_program(counting(1)), RULE) == OK


def counted(step: int, until: int, *, by: str = "eq") -> MethodBuilder:
    """A counter from 0 in steps, until a comparison with a number is true; it is not taken back."""
    b = body()
    counter, done = b.int_value(0), b.null()
    start = b.mark()
    b.kernel("executorch_prim::add.Scalar", counter, b.int_value(step), counter)
    b.kernel(f"executorch_prim::{by}.Scalar", counter, b.int_value(until), done)
    b.jump_false(done, start)
    return b


@pytest.mark.parametrize(
    ("step", "until", "by"),
    [(2, 5, "eq"), (-1, 5, "eq"), (1, 4_000_000, "ge"), (1, -1, "le"), (3, 7, "eq")],
)
def test_counters_that_pass_their_end_by(step: int, until: int, by: str) -> None:
    assert verdict(build_program(counted(step, until, by=by)), RULE) == ENDLESS


@pytest.mark.parametrize(
    ("step", "until", "by"), [(1, 1_000_000, "ge"), (-7, -700_000, "le"), (5, 3, "gt")]
)
def test_counters_that_get_there(step: int, until: int, by: str) -> None:
    program = build_program(counted(step, until, by=by))
    assert verdict(program, RULE) == OK
    assert unchecked(program, RULE) == ()


def test_a_counter_that_is_not_taken_back_is_lost_in_the_second_run() -> None:
    program = build_program(counted(1, 3))
    assert verdict(program, RULE) == ENDLESS
    finding = only(program, RULE)
    assert finding.runtime is not None
    assert "second run" in finding.message


def test_runtimes_that_do_not_count_run_a_long_loop() -> None:
    program = build_program(counted(1, 4_000_000, by="ge"))
    assert verdict(program, RULE, target="1.2") == OK


def test_a_counter_that_is_never_counted() -> None:
    finding = only(build_program(counting(0)), RULE)
    assert "is always false" in finding.message


def test_the_largest_input_is_one_that_callers_may_give() -> None:
    assert len(found(build_program(counting(0, dynamic=True)), RULE)) == 1
    assert found(build_program(counting(1, dynamic=True)), RULE) == ()
    assert found(build_program(counting(0, size=0)), RULE) == ()


def test_a_loop_that_no_path_enters() -> None:
    b = body()
    b.jump(3)
    b.jump(2)
    assert found(build_program(b), RULE) == ()
