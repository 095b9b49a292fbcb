"""When bytes are needed: calls, the caller, state, views that are pointed elsewhere, loops."""

from __future__ import annotations

import pytest

from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import open_artifact
from pte_lint.fix.intervals import CannotPlan, Need, needs
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import build_program


def lives(*methods: MethodBuilder, number: int = 0) -> dict[int, tuple[int, int]]:
    """First and last step by value."""
    return {v: (n.first, n.last) for n in found(*methods, number=number) for v in n.members}


def found(*methods: MethodBuilder, number: int = 0) -> list[Need]:
    with open_artifact(build_program(*methods).bytes()) as artifact:
        return needs(open_context(artifact, Target(), (), {}).methods[number])


def test_inputs_live_before_and_outputs_after_the_run() -> None:
    b = MethodBuilder()
    unused, x = b.input((4,)), b.input((4,))
    y = b.call("aten::sigmoid.out", x, out=(4,))
    z = b.call("aten::sigmoid.out", y, out=(4,))
    b.output(z)
    assert lives(b) == {unused: (-1, -1), x: (-1, 0), y: (0, 1), z: (1, 2)}


def test_state_lives_throughout() -> None:
    b = MethodBuilder()
    x = b.input((4,))
    kept = b.state((4,), initial=[0.0, 1.0, 2.0, 3.0])
    b.output(b.add(x, kept))
    assert lives(b)[kept] == (-1, 1)


def test_what_nothing_uses_lives_never() -> None:
    b = MethodBuilder()
    x = b.input((4,))
    idle = b.tensor((4,))
    b.output(b.call("aten::sigmoid.out", x, out=(4,)))
    assert lives(b)[idle] == (0, -1)


def test_a_view_keeps_the_memory_that_it_points_at() -> None:
    b = MethodBuilder()
    x = b.input((4,))
    y = b.call("aten::sigmoid.out", x, out=(4,))
    view = b.tensor((2, 2), dynamism=1)
    b.kernel("executorch_prim::et_view.default", y, b.ints([2, 2]), view)
    between = b.call("aten::sigmoid.out", x, out=(4,))
    z = b.call("aten::sigmoid.out", view, out=(2, 2))
    b.output(z, between)
    assert lives(b)[y] == (0, 3)


def test_what_a_loop_carries_lives_in_all_of_it() -> None:
    b = MethodBuilder()
    x = b.input((1,), dtype="bool")
    carried = b.input((4,))
    inside = b.tensor((4,))
    top = b.mark()
    b.call("aten::sigmoid.out", carried, out=inside)
    late = b.call("aten::sigmoid.out", inside, out=(4,))
    end = Label()
    b.jump_false(x, end)
    b.jump_false(b.bool_value(False), top)
    b.mark(end)
    b.output(late)
    told = lives(b)
    # Each iteration reads it at its top: no step of the loop may take its bytes.
    assert told[carried][0] == -1
    assert told[carried][1] >= 3


def test_a_read_before_any_write_cannot_be_planned() -> None:
    b = MethodBuilder()
    never = b.tensor((4,))
    b.output(b.call("aten::sigmoid.out", never, out=(4,)))
    with pytest.raises(CannotPlan, match="value 0 is read before anything writes it"):
        found(b)


def test_methods_are_told_apart() -> None:
    one, two = MethodBuilder("one"), MethodBuilder("two")
    for b, calls in ((one, 1), (two, 3)):
        v = b.input((4,))
        for _ in range(calls):
            v = b.call("aten::sigmoid.out", v, out=(4,))
        b.output(v)
    assert max(last for _, last in lives(one, two, number=0).values()) == 1
    assert max(last for _, last in lives(one, two, number=1).values()) == 3


def test_what_one_branch_needs_is_free_in_the_other() -> None:
    b = MethodBuilder()
    x, condition = b.input((4,)), b.input((1,), dtype="bool")
    kept = b.call("aten::sigmoid.out", x, out=(4,))
    other, end = Label(), Label()
    b.jump_false(condition, other)
    one = b.call("aten::sigmoid.out", kept, out=(4,))
    result = b.call("aten::sigmoid.out", one, out=(4,))
    b.jump_false(b.bool_value(False), end)
    b.mark(other)
    two = b.call("aten::sigmoid.out", x, out=(4,))
    b.call("aten::sigmoid.out", two, out=result)
    b.mark(end)
    b.output(b.call("aten::sigmoid.out", result, out=(4,)))
    spans = {v: n.spans for n in found(b) for v in n.members}
    assert spans[kept] == ((0, 2),)
    assert spans[one] == ((2, 3),)
    assert spans[two] == ((5, 6),)
    # Written in either branch, read behind both: not needed while the other branch works.
    assert spans[result] == ((3, 4), (6, 7))
    assert not found(b)[2].meets(found(b)[4])


def test_what_is_read_before_it_is_written_is_kept_apart_where_asked() -> None:
    b = MethodBuilder()
    x, stale = b.input((4,)), b.tensor((4,))
    y = b.call("aten::sigmoid.out", x, out=(4,))
    b.output(b.add(y, stale))
    with open_artifact(build_program(b).bytes()) as artifact:
        (method,) = open_context(artifact, Target(), (), {}).methods
        with pytest.raises(CannotPlan, match=f"value {stale} is read before anything writes it"):
            needs(method)
        assert {n.members: n.spans for n in needs(method, stale=True)}[(stale,)] == ((-1, 2),)


@pytest.mark.parametrize(("restored", "span"), [(True, (1, 3)), (False, (-1, 4))])
def test_rows_of_an_earlier_run_are_kept(restored: bool, span: tuple[int, int]) -> None:
    b = MethodBuilder()
    x, rows = b.input((4,)), b.tensor((3, 4), dynamism=1)
    row = b.call("aten::sigmoid.out", x, out=(4,))
    index = b.int_value(0)
    b.kernel("executorch_prim::et_copy_index.tensor", rows, row, index)
    by = b.int_value(0 if restored else 1)
    b.kernel("executorch_prim::add.Scalar", index, by, index)
    b.call("aten::sigmoid.out", rows, out=b.tensor((3, 4), dynamism=1))
    assert lives(b)[rows] == span


def test_a_row_copy_without_arguments_keeps_nothing() -> None:
    b = MethodBuilder()
    x = b.input((4,))
    b.kernel("executorch_prim::et_copy_index.tensor")
    b.output(b.call("aten::sigmoid.out", x, out=(4,)))
    assert lives(b)[x] == (-1, 1)
