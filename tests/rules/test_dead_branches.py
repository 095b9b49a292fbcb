"""A fault in a branch that no run takes is none; in one that some run takes it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.program_builder import build_program

Condition = Callable[[MethodBuilder], int]


def compared(sizes: tuple[int, ...], other: int) -> Condition:
    """Whether the first size of an input is a number."""

    def build(b: MethodBuilder) -> int:
        x = b.input(sizes)
        size, same = b.null(), b.null()
        b.kernel("aten::sym_size.int", x, b.int_value(0), size)
        b.kernel("executorch_prim::eq.Scalar", size, b.int_value(other), same)
        return same

    return build


def moved(b: MethodBuilder) -> int:
    target = b.null()
    b.move(b.bool_value(True), target)
    return target


def after_runs(count: int) -> Condition:
    """A number that grows from run to run reaches another."""

    def build(b: MethodBuilder) -> int:
        runs, less = b.int_value(0), b.null()
        b.kernel("executorch_prim::lt.Scalar", runs, b.int_value(count), less)
        b.kernel("executorch_prim::add.Scalar", runs, b.int_value(1), runs)
        return less

    return build


ALWAYS_TRUE: dict[str, Condition] = {
    "bool": lambda b: b.bool_value(True),
    "bool input": lambda b: b.takes(b.bool_value(True)),
    "moved bool": moved,
    "size that fits": compared((4,), 4),
    "constant": lambda b: b.constant(bytes((1, 1)), (2,), "bool"),
    "no elements": lambda b: b.input((0,), "bool"),
}

SOMETIMES_FALSE: dict[str, Condition] = {
    "false bool": lambda b: b.bool_value(False),
    "false bool input": lambda b: b.takes(b.bool_value(False)),
    "size that does not fit": compared((4,), 5),
    "constant": lambda b: b.constant(bytes((1, 0)), (2,), "bool"),
    "input": lambda b: b.input((2,), "bool"),
    "every later run": after_runs(1),
}


def with_fault_behind(condition: Condition) -> MethodBuilder:
    """A copy from the device gets host memory where the condition is false."""
    b = MethodBuilder("forward")
    x = b.input((4,))
    otherwise, end = Label(), Label()
    y = b.tensor((4,))
    b.jump_false(condition(b), otherwise)
    b.add(x, x, y)
    b.jump(end)
    b.mark(otherwise)
    b.call("et_copy::_d2h_copy.out", x, out=y)
    b.mark(end)
    b.add(x, x, b.tensor((4,)))
    b.output(y)
    return b


def errors(condition: Condition) -> set[str]:
    result = pte_lint.check(build_program(with_fault_behind(condition)).bytes(), isolated=True)
    findings = result.artifacts[0].findings
    return {each.rule for each in findings if each.severity is Severity.ERROR}


@pytest.mark.parametrize("name", ALWAYS_TRUE)
def test_what_never_runs_cannot_fail(name: str) -> None:
    assert errors(ALWAYS_TRUE[name]) == set()


@pytest.mark.parametrize("name", SOMETIMES_FALSE)
def test_what_some_run_reaches_can(name: str) -> None:
    assert "PTE306" in errors(SOMETIMES_FALSE[name])
