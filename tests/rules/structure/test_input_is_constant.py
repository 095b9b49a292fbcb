"""PTE116."""

from __future__ import annotations

from pte_lint.schema.program import Tensor

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import OK, PLAN, adder, only, verdict

RULE = "PTE116"


def with_constant_input() -> MethodBuilder:
    b = adder()
    b.takes(b.constant([1.0] * 4, (4,)))
    return b


def test_setting_the_input_writes_over_the_constant() -> None:
    program = build_program(with_constant_input())
    assert verdict(program, RULE) == "set_input: undefined"
    assert only(program, RULE).subject == "input 2"


def test_planned_and_callers_inputs() -> None:
    b = adder()
    b.input((4,), planned=False)
    b.takes(b.state((4,), initial=[0.0] * 4))
    assert verdict(build_program(b), RULE) == OK


def test_an_external_constant_is_replaced_not_overwritten() -> None:
    b = adder()
    outside = b.takes(b.external("w", (4,)))
    program = build_program(b)
    value = program.program.execution_plan[0].values[outside].val  # type: ignore[index]
    assert isinstance(value, Tensor)
    if value.data_buffer_idx == 0:
        assert verdict(program, RULE) == OK
    program = program.replaced(f"{PLAN}.values[{outside}].val.data_buffer_idx", 1)
    assert verdict(program, RULE) == "set_input: undefined"
