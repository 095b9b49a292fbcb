"""Live storage through loops, branches, moves, views, state and the caller's inputs."""

from __future__ import annotations

import pytest

from pte_lint.claims.ledger import Unjudged
from pte_lint.interpret import dataflow
from pte_lint.ir.calling import ET_COPY_INDEX, ET_VIEW
from pte_lint.questions.method import Method
from tests.pte_lint.small import boolean, delegate, flag, jump_false, kernel, method, move, tensor

COPY = "aten::copy_.x"


def conflicts(m: Method) -> list[tuple[int | None, int, int]]:
    found = [(c.step, c.writer, c.victim) for c in m.liveness.conflicts]
    assert not m.ledger
    return found


def stale(m: Method) -> list[tuple[int, int | None, bool]]:
    return [(s.value, s.step, s.written_later) for s in m.liveness.stale_reads]


def test_memory_of_the_dead_is_reused() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 0)), tensor((1, 16))],
        [kernel(0, 0, 1, 1), kernel(0, 1, 2, 2), kernel(0, 2, 3, 3)],
        inputs=[0],
        outputs=[3],
    )
    assert conflicts(m) == []


def test_an_output_is_needed_to_the_end() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 24))],
        [kernel(0, 0, 1, 1), kernel(0, 0, 2, 2)],
        inputs=[0],
        outputs=[1],
    )
    assert conflicts(m) == [(1, 2, 1)]
    (found,) = m.liveness.conflicts
    assert (found.written.start, found.written.end) == (24, 40)
    assert (found.needed.start, found.needed.end) == (16, 32)


def test_a_value_read_again_in_the_next_round_of_a_loop_is_live_through_it() -> None:
    # 0: b = f(a)   1: c = f(b), over a   2: repeat while the condition is false
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 0), n=3), flag()],
        [kernel(0, 0, 1, 1), kernel(0, 1, 2, 2), jump_false(3, 0)],
        inputs=[0, 3],
        outputs=[2],
    )
    assert conflicts(m) == [(1, 2, 0)]


def test_branches_may_use_the_same_memory() -> None:
    # then: b = f(a), out := b   else: c = f(a), out := c   b and c share bytes; out is read after.
    values = [tensor((1, 0)), tensor((1, 16)), tensor((1, 20)), tensor((1, 64)), tensor((1, 96))]
    steps = [
        jump_false(5, 4),
        kernel(0, 0, 1, 1),
        move(1, 3),
        jump_false(6, 6),
        kernel(0, 0, 2, 2),
        move(2, 3),
        kernel(0, 3, 4, 4),
    ]
    m = method([*values, flag(), boolean()], steps, inputs=[0, 5], outputs=[4])
    assert conflicts(m) == []
    assert stale(m) == []


def test_a_moved_value_protects_the_memory_it_came_from() -> None:
    values = [tensor((1, 0)), tensor((1, 16)), tensor((1, 64)), tensor((1, 20)), tensor((1, 96))]
    steps = [kernel(0, 0, 1, 1), move(1, 2), kernel(0, 0, 3, 3), kernel(0, 2, 4, 4)]
    m = method(values, steps, inputs=[0], outputs=[4])
    assert conflicts(m) == [(2, 3, 2)]
    assert m.liveness.conflicts[0].needed.storage == 1


def test_a_view_protects_the_memory_it_points_to() -> None:
    values = [tensor((1, 0)), tensor((1, 16)), tensor(), tensor((1, 20)), tensor((1, 96))]
    steps = [kernel(0, 0, 1, 1), kernel(1, 1, 0, 2), kernel(0, 0, 3, 3), kernel(0, 2, 4, 4)]
    m = method(values, steps, inputs=[0], outputs=[4], operators=["aten::relu.out", ET_VIEW])
    assert conflicts(m) == [(2, 3, 2)]


def test_state_is_needed_across_runs() -> None:
    # The last step writes over the state after its last use: the next run reads it.
    values = [tensor((1, 0)), tensor((1, 16)), tensor((1, 64)), tensor((1, 20))]
    steps = [kernel(0, 1, 2, 2), kernel(1, 1, 2, 0, 1), kernel(0, 0, 3, 3)]
    m = method(values, steps, inputs=[0], outputs=[2], operators=["aten::relu.out", COPY])
    assert conflicts(m) == [(2, 3, 1)]


def test_a_copy_into_a_buffer_does_not_need_what_was_in_it() -> None:
    # The new state lies over the old one, which nobody reads before it is replaced.
    values = [tensor((1, 0)), tensor((1, 16)), tensor((1, 16)), tensor((1, 32))]
    steps = [kernel(0, 0, 2, 2), kernel(1, 1, 2, 0, 1), kernel(0, 1, 3, 3)]
    m = method(values, steps, inputs=[0], outputs=[3], operators=["aten::relu.out", COPY])
    assert conflicts(m) == []


def test_rows_of_a_loop_must_stay_until_the_loop_is_over() -> None:
    # out[i] = f(x) in a loop; a tensor of the body lies over out.
    values = [tensor((1, 0)), tensor((1, 16), n=8), tensor((1, 64)), tensor((1, 40))]
    body = [
        kernel(0, 0, 2, 2),
        kernel(0, 2, 3, 3),
        kernel(1, 1, 3, 0),
        jump_false(4, 0),
    ]
    m = method(
        [*values, flag()],
        body,
        inputs=[0, 4],
        outputs=[1],
        operators=["aten::relu.out", ET_COPY_INDEX],
    )
    assert conflicts(m) == [(1, 3, 1)]
    assert stale(m) == []


def test_inputs_are_set_one_after_the_other() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 8)), tensor((1, 64))],
        [kernel(0, 0, 1, 2, 2)],
        inputs=[0, 1],
        outputs=[2],
    )
    assert conflicts(m) == [(None, 1, 0)]


def test_an_input_nobody_reads_may_lie_anywhere_but_on_those_set_before() -> None:
    unread_first = method(
        [tensor((1, 0)), tensor((1, 8)), tensor((1, 64))],
        [kernel(0, 1, 2, 2)],
        inputs=[0, 1],
    )
    assert conflicts(unread_first) == []


def test_two_outputs_of_one_step_must_not_meet() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 24)), tensor((1, 64))],
        [delegate(0, 0, 1, 2), kernel(0, 1, 2, 3, 3)],
        inputs=[0],
        outputs=[3],
    )
    assert conflicts(m) == [(0, 2, 1), (0, 1, 2)]


def test_a_step_that_writes_over_its_own_dying_input() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 8)), tensor((1, 64))],
        [kernel(0, 0, 1, 1), kernel(0, 1, 2, 2)],
        inputs=[0],
        outputs=[2],
    )
    assert conflicts(m) == []
    (shared,) = m.liveness.shared_steps
    assert (shared.step, shared.writer, shared.source) == (0, 1, 0)


def test_sizes_may_be_asked_of_the_dead() -> None:
    values = [tensor((1, 0)), tensor((1, 16)), tensor((1, 16), n=3), boolean(), tensor((1, 64))]
    steps = [kernel(0, 0, 1, 1), kernel(0, 1, 4, 4), kernel(0, 0, 2, 2), kernel(1, 1, 3, 3)]
    m = method(
        values,
        steps,
        inputs=[0],
        outputs=[2, 4],
        operators=["aten::relu.out", "aten::sym_size.int"],
    )
    assert conflicts(m) == []


def test_reads_before_writes() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 32)), tensor((1, 64))],
        [kernel(0, 1, 2, 2), kernel(0, 0, 1, 1)],
        inputs=[0],
        outputs=[2, 3],
    )
    assert stale(m) == [(1, 0, True), (3, None, False)]


def test_an_output_left_out_on_one_path() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), flag()],
        [jump_false(2, 2), kernel(0, 0, 1, 1)],
        inputs=[0, 2],
        outputs=[1],
    )
    assert stale(m) == [(1, None, True)]


def test_unreachable_steps_count_for_nothing() -> None:
    values = [tensor((1, 0)), tensor((1, 16)), tensor((1, 32)), boolean()]
    m = method(values, [jump_false(3, 2), kernel(0, 2, 1, 1)], inputs=[0], outputs=[0])
    assert stale(m) == []
    assert conflicts(m) == []


def test_no_steps_at_all() -> None:
    m = method([tensor((1, 0)), tensor((1, 16))], [], inputs=[0], outputs=[0, 1])
    assert stale(m) == [(1, None, False)]
    assert conflicts(m) == []


def test_questions_about_one_value() -> None:
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 32))],
        [kernel(0, 0, 1, 1), kernel(0, 1, 2, 2), kernel(0, 1, 2, 2)],
        inputs=[0],
        outputs=[2],
    )
    live = m.liveness
    assert live.last_write(1, 2) == 0
    assert live.last_write(1, 0) is None
    assert live.next_read(1, 1) == 2
    assert live.next_read(2, 2) is None
    assert live.is_returned(2)


def test_flow_that_is_too_much_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataflow, "_BUDGET_FLOOR", 1)
    monkeypatch.setattr(dataflow, "_BUDGET_PER_STEP", 0)
    m = method(
        [tensor((1, 0)), tensor((1, 16)), flag()],
        [jump_false(2, 2), kernel(0, 0, 1, 1), kernel(0, 0, 1, 1)],
        inputs=[0, 2],
        outputs=[0],
    )
    assert not m.ledger
    assert m.liveness.conflicts == ()
    assert m.liveness.stale_reads == ()
    assert m.liveness.gave_up == dataflow.TOO_MUCH_FLOW
    assert list(m.ledger) == [Unjudged(dataflow.MEMORY_PLAN, dataflow.TOO_MUCH_FLOW)]


def test_what_a_dead_call_reads_does_not_matter() -> None:
    # The first call's result is replaced before anybody reads it, and so is what it was made of.
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 32)), tensor((1, 64))],
        [kernel(0, 3, 1, 1), kernel(0, 1, 2, 2), kernel(0, 0, 1, 1), kernel(0, 1, 2, 2)],
        inputs=[0],
        outputs=[2],
    )
    assert stale(m) == []
    returned = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 32)), tensor((1, 64))],
        [kernel(0, 3, 1, 1), kernel(0, 1, 2, 2)],
        inputs=[0],
        outputs=[2],
    )
    assert stale(returned) == [(3, 0, False)]


def test_what_a_dead_call_reads_makes_no_view_less_of_one() -> None:
    # The first call reads value 2 before anything is there; without it, value 2 shows value 1.
    m = method(
        [tensor((1, 0)), tensor((1, 16)), tensor((1, 16)), tensor((1, 32)), tensor((1, 64))],
        [kernel(0, 2, 4, 4), kernel(0, 3, 1, 1), kernel(0, 2, 4, 4)],
        inputs=[0],
        outputs=[4],
    )
    assert stale(m) == [(3, 1, False)]
