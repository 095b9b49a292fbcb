"""PTE121."""

from __future__ import annotations

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import OK, adder, only, verdict

RULE = "PTE121"
AT_LOAD = "load_method: error InvalidProgram"


def kernel(b: MethodBuilder, v: int) -> None:
    b.kernel("aten::relu.out", 0, v, 3)


def delegate(b: MethodBuilder, v: int) -> None:
    b.delegate("XnnpackBackend", [v], [3])


def jump(b: MethodBuilder, v: int) -> None:
    b.jump_false(v, 0)


def move_from(b: MethodBuilder, v: int) -> None:
    b.move(v, 3)


def move_to(b: MethodBuilder, v: int) -> None:
    b.move(0, v)


def free(b: MethodBuilder, v: int) -> None:
    b.free(v)


@pytest.mark.parametrize("v", [-1, 4, 1 << 30])
@pytest.mark.parametrize("add", [kernel, delegate, jump, move_from, move_to, free])
def test_a_value_outside_the_table(add: object, v: int) -> None:
    b = adder()
    add(b, v)  # type: ignore[operator]
    program = build_program(b)
    finding = only(program, RULE)
    assert finding.location.instruction == 1
    assert finding.evidence == {"index": v, "values": 4}
    assert verdict(program, RULE) == AT_LOAD
    late = add in (move_from, move_to, free)
    expected = "execute: crash SIGABRT" if late else AT_LOAD
    assert verdict(program, RULE, target="1.2") == expected


def test_the_last_value_is_in_the_table() -> None:
    b = adder()
    kernel(b, 3)
    assert verdict(build_program(b), RULE) == OK
