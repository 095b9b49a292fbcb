"""Methods without control flow, whose sizes may change."""

from __future__ import annotations

import pytest

from pte_lint.interpret.runs import Interpretation
from pte_lint.questions.method import Method
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program


def interpretation(b: MethodBuilder) -> Interpretation:
    return Method(build_program(b).program, 0).interpretation


def two_layers(inner: int, dynamism: int = 1) -> MethodBuilder:
    """A good product, then one whose inner sizes are `inner` and 8."""
    b = MethodBuilder("forward")
    x, one = b.input((4, 8), dynamism=dynamism), b.int_value(1)
    first = b.tensor((4, 8), dynamism=dynamism)
    b.kernel("aten::relu.out", x, first, first)
    bias, weight = b.tensor((6,)), b.tensor((inner, 6))
    out = b.tensor((4, 6), dynamism=dynamism)
    b.kernel("aten::addmm.out", bias, first, weight, one, one, out, out)
    b.output(out)
    return b


def test_inner_sizes_are_compared() -> None:
    assert interpretation(two_layers(8)).faults == ()
    (fault,) = interpretation(two_layers(7)).faults
    assert (fault.kind, fault.step, fault.run) == ("kernel", 1, 1)
    assert fault.message.endswith("dimension 1 of argument 1 is 8, dimension 0 of argument 2 7")


def test_static_methods_are_not_played() -> None:
    assert interpretation(two_layers(7, dynamism=0)).faults == ()


def test_sizes_go_through_lists_of_outputs() -> None:
    b = MethodBuilder("forward")
    x, dim, length = b.input((4, 8), dynamism=1), b.int_value(1), b.int_value(4)
    parts = [b.tensor((4, 4), dynamism=1) for _ in range(2)]
    outs = b.tensor_list(parts)
    b.kernel("aten::split_copy.Tensor_out", x, length, dim, outs, outs)
    other, out = b.tensor((4, 3)), b.tensor((4, 4), dynamism=1)
    b.kernel("aten::add.out", parts[1], other, b.int_value(1), out, out)
    b.output(out)
    (fault,) = interpretation(b).faults
    assert fault.message.endswith("sizes [4, 4] and [4, 3] do not broadcast together")


def test_every_call_of_many_alike_is_judged() -> None:
    b = MethodBuilder("forward")
    x = b.input((4, 8), dynamism=1)
    for _ in range(5):
        out = b.tensor((4, 8), dynamism=1)
        b.kernel("aten::relu.out", x, out, out)
        x = out
    small = b.tensor((4, 7), dynamism=1)
    b.kernel("aten::relu.out", x, small, small)
    (fault,) = interpretation(b).faults
    assert fault.step == 5


@pytest.mark.parametrize(("out", "dynamism", "narrow"), [((4, 8), 0, [(3, 8)]), ((4, 8), 1, [])])
def test_an_input_of_one_size_only(
    out: tuple[int, ...], dynamism: int, narrow: list[tuple[int, ...]]
) -> None:
    b = MethodBuilder("forward")
    x, y = b.input((4, 8), dynamism=1), b.tensor(out, dynamism=dynamism)
    b.kernel("aten::relu.out", x, y, y)
    b.output(y)
    found = interpretation(b).narrow_inputs
    assert [each.given[each.value] for each in found] == narrow


def test_a_fixed_width_leaves_the_batch_open() -> None:
    assert interpretation(two_layers(8)).narrow_inputs == ()


def test_what_is_added_has_one_batch() -> None:
    b = MethodBuilder("forward")
    x, y = b.input((4, 8), dynamism=1), b.input((4, 8), dynamism=1)
    z = b.tensor((4, 8))
    b.kernel("aten::add.out", x, y, b.int_value(1), z, z)
    b.output(z)
    found = interpretation(b).narrow_inputs
    assert [dict(each.given) for each in found] == [{x: (3, 8), y: (3, 8)}] * 2
