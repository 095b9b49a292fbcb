"""All rules together cost what a program is long, whatever shape its control flow has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pte_lint.testing.builder import Label, MethodBuilder
from tests.support.cost import calls

SIZES = (4,)


def rebinding(count: int) -> MethodBuilder:
    """One value that many branches bind anew, and that everything after may still hold."""
    b = MethodBuilder()
    x, flag, chosen = b.input(SIZES), b.input((), "bool"), b.tensor(SIZES)
    for _ in range(count):
        other = Label()
        b.jump_false(flag, other)
        b.move(b.call("aten::relu.out", x, out=SIZES), chosen)
        b.mark(other)
        b.output(b.call("aten::sigmoid.out", chosen, out=SIZES))
    return b


def jumping(count: int) -> MethodBuilder:
    """Nothing but jumps to the end and moves."""
    b = MethodBuilder()
    x, flag, chosen, end = b.input(SIZES), b.input((), "bool"), b.tensor(SIZES), Label()
    for _ in range(count):
        b.jump_false(flag, end)
        b.move(x, chosen)
    b.mark(end)
    b.output(b.call("aten::sigmoid.out", chosen, out=SIZES))
    return b


def loops(count: int) -> MethodBuilder:
    """Loops that count, one after the other."""
    b = MethodBuilder()
    x = b.input(SIZES)
    for _ in range(count):
        at, done, top = b.int_value(0), b.null(), b.mark()
        x = b.call("aten::relu.out", x, out=SIZES)
        b.kernel("executorch_prim::add.Scalar", at, b.int_value(1), at)
        b.kernel("executorch_prim::eq.Scalar", at, b.int_value(1000), done)
        b.jump_false(done, top)
        b.kernel("executorch_prim::sub.Scalar", at, b.int_value(1000), at)
    b.output(x)
    return b


def fan_out(count: int) -> MethodBuilder:
    """One tensor that everybody reads, and a list of all results."""
    b = MethodBuilder()
    x = b.input(SIZES)
    results = [b.call("aten::relu.out", x, out=SIZES) for _ in range(count)]
    b.output(
        b.call(
            "aten::cat.out",
            b.tensor_list(results),
            b.int_value(0),
            out=(4 * count,),
            dtype="float32",
        )
    )
    return b


@pytest.mark.slow
@pytest.mark.parametrize("build", [rebinding, jumping, loops, fan_out])
def test_cost_is_linear(build: Callable[[int], MethodBuilder]) -> None:
    small, large = calls(build, 50), calls(build, 400)
    assert large < 2 * 8 * small
