"""PTE127."""

from __future__ import annotations

import pytest

from pte_lint.harness.batch import BatchItem, run_batch
from pte_lint.harness.options import ProbeOptions
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import OK, found, only, unchecked, verdict
from tests.support.runtime import need_runtime

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
    (told,) = found(build_program(b), RULE)
    assert (told.rule, told.method) == ("PTE022", "forward")
    assert "has 4097 bytes" in told.message


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


def waiting(operator: str = "aten::gt.Scalar_out", *, body: str = "") -> MethodBuilder:
    """Waits for a condition on an input that each iteration computes anew."""
    b = MethodBuilder("forward")
    x, zero, t, done = b.input(()), b.int_value(0), b.tensor(()), b.tensor((), "bool")
    b.call("aten::relu.out", x, out=t)
    top = b.mark()
    if body:
        b.call(body, x, out=t)
    b.kernel(operator, t, zero, done, done)
    b.jump_false(done, top)
    b.output(b.call("aten::neg.out", t, out=()))
    return b


@pytest.mark.parametrize("body", ["", "aten::relu.out"])
def test_a_condition_that_each_lap_computes_from_the_same(body: str) -> None:
    program = build_program(waiting(body=body))
    assert verdict(program, RULE) == ENDLESS
    assert "when value 3 is false" in only(program, RULE).message


def test_a_condition_that_is_drawn_anew() -> None:
    assert found(build_program(waiting(body="aten::rand_like.out")), RULE) == ()


def test_a_condition_that_each_lap_brings_nearer() -> None:
    b = MethodBuilder("forward")
    x, one, done = b.input(()), b.int_value(1), b.tensor((), "bool")
    top = b.mark()
    b.kernel("aten::add.Scalar_out", x, one, one, x, x)
    b.kernel("aten::gt.Scalar_out", x, one, done, done)
    b.jump_false(done, top)
    b.output(done)
    assert found(build_program(b), RULE) == ()


def test_a_condition_over_memory_that_the_loop_writes() -> None:
    b = MethodBuilder("forward")
    x, zero, done = b.input(()), b.int_value(0), b.tensor((), "bool")
    t, over = (b.tensor((), memory_id=1, offset=256) for _ in range(2))
    b.call("aten::relu.out", x, out=t)
    top = b.mark()
    b.kernel("aten::gt.Scalar_out", t, zero, done, done)
    b.output(b.call("aten::neg.out", x, out=over))
    b.jump_false(done, top)
    assert found(build_program(b), RULE) == ()


def test_a_first_lap_may_find_what_was_there_before() -> None:
    b = MethodBuilder("forward")
    x, zero, go_on = b.input(()), b.int_value(0), b.tensor((), "bool")
    end, top = Label(), b.mark()
    b.jump_false(go_on, end)
    b.kernel("aten::gt.Scalar_out", x, zero, go_on, go_on)
    b.jump(top)
    b.mark(end)
    b.output(b.call("aten::neg.out", x, out=()))
    assert found(build_program(b), RULE) == ()


def test_a_size_is_not_the_content_of_an_input() -> None:
    b = MethodBuilder("forward")
    x, zero, size, done = b.input((4,), dynamism=1), b.int_value(0), b.null(), b.null()
    top = b.mark()
    b.kernel("aten::sym_size.int", x, zero, size)
    b.kernel("executorch_prim::eq.Scalar", size, b.int_value(4), done)
    b.jump_false(done, top)
    b.output(b.call("aten::neg.out", x, out=b.tensor((4,), dynamism=1)))
    assert found(build_program(b), RULE) == ()


def test_a_number_that_must_be_given_is_not_up_to_the_caller() -> None:
    b = MethodBuilder("forward")
    x, n, done = b.input((4,)), b.takes(b.int_value(3)), b.tensor((), "bool")
    t = b.tensor((1,))
    b.kernel("aten::full.out", b.ints([1]), n, t, t)
    top = b.mark()
    b.kernel("aten::gt.Scalar_out", t, b.int_value(0), done, done)
    b.jump_false(done, top)
    b.output(b.call("aten::neg.out", x, out=(4,)))
    assert found(build_program(b), RULE) == ()


@pytest.mark.slow
def test_waiting_is_measured_to_have_no_end() -> None:
    need_runtime()
    options = ProbeOptions(variants=("falling", "rising"), describe=False)
    (run,) = run_batch([BatchItem(build_program(waiting()).bytes())], options=options)
    (method,) = run.methods
    ends = {each.variant: (each.outcome, each.error, each.turned_back) for each in method.runs}
    assert ends["falling"][:2] == ("error", "InvalidProgram")
    assert ends["rising"] == ("ok", None, ())


@pytest.mark.parametrize("by_move", [False, True])
def test_what_reads_a_condition_before_it_is_tested_is_no_jump(by_move: bool) -> None:
    b = body()
    condition, other = b.input((1,), "bool"), b.input((1,), "bool")
    kept = b.tensor((1,), "bool")
    start, test = b.mark(), Label()
    b.jump_false(other, test)
    if by_move:
        b.move(condition, kept)
    else:
        b.call("aten::logical_not.out", condition, out=kept)
    b.mark(test)
    b.jump_false(condition, start)
    assert only(build_program(b), RULE).message == (
        "Instructions 1 to 3 repeat for ever when input 1 is false: no path leads from here to the "
        "end of the method."
    )
