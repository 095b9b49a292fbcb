"""The device family costs what the program is long: counted in function calls, not in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from pte_lint.artifact import open_artifact
from pte_lint.engine import Settings, judge
from pte_lint.reading import open_context
from pte_lint.registry import load_rules
from pte_lint.target import Target
from tests.support.builder import Label, MethodBuilder
from tests.support.device_programs import BACKEND, SIZES
from tests.support.program_builder import build_program


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


def calls(build: Callable[[int], MethodBuilder], count: int) -> int:
    """Function calls, those into C among them, that judging a program by the family makes."""
    file = build_program(build(count)).bytes()
    rules = [rule for rule in load_rules(isolated=True) if rule.id.startswith("PTE3")]
    made = 0

    def profile(frame: FrameType, event: str, arg: Any) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    with open_artifact(file) as artifact:
        context = open_context(artifact, Target(), (), {})
        before = sys.getprofile()
        sys.setprofile(profile)
        try:
            judge(context, Settings(rules))
        finally:
            sys.setprofile(before)
    return made


@pytest.mark.parametrize("build", [islands, branches, faulty])
def test_cost_is_linear(build: Callable[[int], MethodBuilder]) -> None:
    small, large = calls(build, 40), calls(build, 320)
    assert large < 2 * 8 * small


def test_ten_thousand_instructions_with_five_thousand_copies() -> None:
    small, large = calls(islands, 25), calls(islands, 2500)
    assert large < 2 * 100 * small
