"""The device family costs what the program is long: counted in function calls, not in seconds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pte_lint.testing.builder import Label, MethodBuilder
from tests.support.cost import calls
from tests.support.device_programs import BACKEND, SIZES


def islands(count: int) -> MethodBuilder:
    """Four instructions each, two of them copies: delegates with a host operator between."""
    b = MethodBuilder()
    x = b.input(SIZES)
    for _ in range(count):
        (z,) = b.delegate(BACKEND, [b.h2d(x)], [SIZES], device="cuda:0")
        x = b.call("aten::sigmoid.out", b.d2h(z), out=SIZES)
    b.output(x)
    return b


def branches(count: int) -> MethodBuilder:
    """Ten instructions each, four of them copies: a branch that moves device tensors."""
    b = MethodBuilder()
    p, x = b.input((), "bool"), b.input(SIZES)
    for _ in range(count):
        chosen, other, end = b.tensor(SIZES, device="cuda:0"), Label(), Label()
        b.jump_false(p, other)
        b.move(b.h2d(x), chosen)
        b.jump(end)
        b.mark(other)
        b.call("aten::relu.out", x, out=SIZES)
        b.move(b.h2d(x), chosen)
        b.mark(end)
        (z,) = b.delegate(BACKEND, [chosen], [SIZES], device="cuda:0")
        x = b.d2h(z)
    b.output(x)
    return b


def faulty(count: int) -> MethodBuilder:
    """A fault in every call: each gets its finding."""
    b = MethodBuilder()
    x = b.input(SIZES)
    for _ in range(count):
        (z,) = b.delegate(BACKEND, [x], [SIZES], device="cuda:0")
        b.call("aten::sigmoid.out", z, out=SIZES)
        b.d2h(z)
    b.output(x)
    return b


@pytest.mark.slow
@pytest.mark.parametrize("build", [islands, branches, faulty])
def test_cost_is_linear(build: Callable[[int], MethodBuilder]) -> None:
    small, large = calls(build, 40, "3"), calls(build, 320, "3")
    assert large < 2 * 8 * small


@pytest.mark.slow
def test_ten_thousand_instructions_with_five_thousand_copies() -> None:
    small, large = calls(islands, 25, "3"), calls(islands, 2500, "3")
    assert large < 2 * 100 * small
