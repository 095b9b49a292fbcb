"""Control flow over jumps, loops and several chains."""

from __future__ import annotations

import pytest

from tests.pte_lint.small import boolean, flag, jump_false, kernel, method, tensor


def test_straight_line() -> None:
    flow = method([tensor()], [kernel(0, 0, 0, 0)] * 3).flow
    assert flow.is_straight
    assert [flow.successors(i) for i in range(3)] == [(1,), (2,), (3,)]
    assert flow.exit == 3
    assert list(flow.reachable) == [1, 1, 1, 1]


def test_no_instructions() -> None:
    flow = method([tensor()], []).flow
    assert flow.exit == 0
    assert flow.blocks == ()
    assert list(flow.reachable) == [1]


def test_condition_that_is_written_goes_both_ways() -> None:
    values = [tensor(), boolean()]
    m = method(
        values,
        [kernel(0, 0, 0, 1), jump_false(1, 3), kernel(0, 0, 0, 0), kernel(0, 0, 0, 0)],
        operators=["executorch_prim::eq.Scalar"],
    )
    assert m.flow.successors(1) == (2, 3)
    assert [b.first for b in m.flow.blocks] == [0, 2, 3]
    assert m.flow.blocks[2].predecessors == [0, 1]


def test_constant_false_is_an_unconditional_jump() -> None:
    m = method([tensor(), boolean(False)], [jump_false(1, 2), kernel(0, 0, 0, 0)])
    assert m.flow.successors(0) == (2,)
    assert list(m.flow.reachable) == [1, 0, 1]
    assert m.flow.exits == (0,)


def test_constant_true_never_jumps() -> None:
    m = method([tensor(), boolean(True)], [jump_false(1, 2), kernel(0, 0, 0, 0)])
    assert m.flow.successors(0) == (1,)


def test_a_bool_input_has_the_value_in_the_file() -> None:
    """set_input refuses any other."""
    m = method([tensor(), boolean(False)], [jump_false(1, 2), kernel(0, 0, 0, 0)], inputs=[1])
    assert m.flow.successors(0) == (2,)
    assert m.flow.outcome(0) is False


def test_a_tensor_input_is_the_callers_choice() -> None:
    m = method([tensor(), flag()], [jump_false(1, 2), kernel(0, 0, 0, 0)], inputs=[1])
    assert m.flow.successors(0) == (1, 2)
    assert m.flow.outcome(0) is None


@pytest.mark.parametrize("destination", [-1, 2, 99])
def test_destination_outside_the_chain_ends_the_chain(destination: int) -> None:
    """The runtime never validates it; a second chain still runs."""
    m = method(
        [tensor(), boolean(False)],
        [jump_false(1, destination), kernel(0, 0, 0, 0)],
        [kernel(0, 0, 0, 0)],
    )
    assert m.flow.successors(0) == (2,)
    assert list(m.flow.reachable) == [1, 0, 1, 1]


def test_jumps_stay_in_their_chain() -> None:
    m = method(
        [tensor(), boolean(False)], [kernel(0, 0, 0, 0)], [kernel(0, 0, 0, 0), jump_false(1, 0)]
    )
    assert m.flow.successors(2) == (1,)
    assert list(m.flow.back_edges()) == [(2, 1)]


def test_endless_loop_never_reaches_the_end() -> None:
    m = method([tensor(), boolean(False)], [kernel(0, 0, 0, 0), jump_false(1, 0)])
    assert m.flow.reachable[m.flow.exit] == 0
    assert m.flow.exits == ()
