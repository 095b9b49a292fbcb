"""PTE105."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from pte_lint.schema.program import IntList, OptionalTensorList, Payload, TensorList

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, adder, only, verdict, verdicts

RULE = "PTE105"
INVALID = "load_method: error InvalidProgram"
TYPE = "load_method: error InvalidType"
EARLY = "load_program: error InvalidProgram"
LISTS = {"ints": IntList, "tensors": TensorList, "optional": OptionalTensorList}


def with_list(kind: str, items: Sequence[int]) -> BuiltProgram:
    """Values 0 and 1 are tensors, 2 an Int, 3 a tensor, 4 None; the list is value 5."""
    b: MethodBuilder = adder()
    b.null()
    payload: Payload = LISTS[kind](tuple(items))
    b.value(payload)
    return build_program(b)


@pytest.mark.parametrize("index", [-2, 6, 2**31 - 1])
@pytest.mark.parametrize("kind", LISTS)
def test_an_index_outside_the_table(kind: str, index: int) -> None:
    program = with_list(kind, [index])
    assert verdicts(program, RULE) == (EARLY if kind == "tensors" else INVALID, INVALID)


def test_minus_one_is_an_absent_optional_tensor_only() -> None:
    assert verdict(with_list("optional", [0, -1]), RULE) == OK
    assert verdict(with_list("ints", [-1]), RULE) == INVALID


def test_items_that_are_no_tensors() -> None:
    assert verdicts(with_list("tensors", [0, 2]), RULE) == (EARLY, TYPE)
    assert verdict(with_list("optional", [2]), RULE) == TYPE
    assert verdict(with_list("optional", [4]), RULE) == OK
    assert verdict(with_list("tensors", [0, 1, 3]), RULE) == OK
    assert only(with_list("tensors", [0, 2]), RULE).location.path.endswith(".val.items[1]")


def test_items_that_are_made_after_the_list() -> None:
    b = MethodBuilder("forward")
    x = b.input((4,))
    late = b.tensor_list([x, 2])
    b.output(b.call("aten::relu.out", x, out=(4,)))
    assert late == 1
    program = build_program(b)
    assert verdicts(program, RULE) == (TYPE, TYPE)
    assert verdict(program, RULE, target="1.2") == "load_method: crash SIGABRT"


def test_what_validation_refuses_comes_before_what_loading_does() -> None:
    b = adder()
    b.value(TensorList((5, 2)))
    b.tensor((4,))
    program = build_program(b)
    assert verdicts(program, RULE) == (EARLY, TYPE)
    assert only(program, RULE).location.path.endswith(".val.items[1]")


def test_int_lists_may_name_later_values() -> None:
    assert verdict(with_list("ints", [5]), RULE) == OK
