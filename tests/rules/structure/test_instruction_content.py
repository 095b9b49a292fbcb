"""PTE120."""

from __future__ import annotations

from typing import Any

import pytest
from pte_lint.schema.program import DelegateCall, Instruction, KernelCall

from pte_lint.testing.program_builder import BuiltProgram
from tests.rules.checks import OK, PLAN, adder_program, only, verdict

RULE = "PTE120"
AT_LOAD = "load_method: error InvalidProgram"


def with_instruction(*fields: Any) -> BuiltProgram:
    path = f"{PLAN}.chains[0].instructions[0]"
    return adder_program().replaced(path, Instruction(*fields))


@pytest.mark.parametrize("kind", [0, 1, 2, 3, 4, 5])
def test_no_content(kind: int) -> None:
    assert verdict(with_instruction(kind, None), RULE) == AT_LOAD


def test_an_unknown_kind_is_found_late_by_1_2() -> None:
    program = with_instruction(60, None)
    assert verdict(program, RULE) == AT_LOAD
    assert verdict(program, RULE, target="1.2") == "execute: error InvalidProgram"


@pytest.mark.parametrize(("kind", "call"), [(1, KernelCall(0, None)), (2, DelegateCall(0, None))])
def test_calls_without_an_argument_list(kind: int, call: KernelCall | DelegateCall) -> None:
    program = with_instruction(kind, call)
    assert verdict(program, RULE) == AT_LOAD
    assert only(program, RULE).location.instruction == 0


def test_an_empty_argument_list_is_another_matter() -> None:
    assert verdict(with_instruction(1, KernelCall(0, ())), RULE) == OK
