"""PTE104."""

from __future__ import annotations

import pytest
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.program import (
    BoolList,
    DoubleList,
    EValue,
    IntList,
    Null,
    OptionalTensorList,
    Payload,
    String,
    TensorList,
)

from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, PLAN, adder, only, verdict, verdicts

RULE = "PTE104"
AT_LOAD = "load_method: error InvalidProgram"
AT_PROGRAM = "load_program: error InvalidProgram"


def with_value(value: EValue) -> BuiltProgram:
    b = adder()
    extra = b.null()
    return build_program(b).replaced(f"{PLAN}.values[{extra}]", value)


@pytest.mark.parametrize("kind", sorted(set(KernelTypes) - {KernelTypes.NONE, KernelTypes.NULL}))
def test_a_kind_without_content(kind: KernelTypes) -> None:
    program = with_value(EValue(kind, None))
    early = kind in (KernelTypes.TENSOR, KernelTypes.TENSOR_LIST)
    assert verdicts(program, RULE) == (AT_PROGRAM if early else AT_LOAD, AT_LOAD)
    assert only(program, RULE).location.value == 4


def test_none_needs_no_content() -> None:
    assert verdict(with_value(EValue(KernelTypes.NULL, None)), RULE) == OK


@pytest.mark.parametrize("kind", [0, 12, 60, 255])
def test_an_unknown_kind(kind: int) -> None:
    assert verdict(with_value(EValue(kind, Null())), RULE) == AT_LOAD


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (KernelTypes.INT_LIST, IntList()),
        (KernelTypes.DOUBLE_LIST, DoubleList()),
        (KernelTypes.BOOL_LIST, BoolList()),
        (KernelTypes.OPTIONAL_TENSOR_LIST, OptionalTensorList()),
        (KernelTypes.STRING, String()),
        (KernelTypes.TENSOR_LIST, TensorList()),
    ],
)
def test_a_list_or_string_without_content_inside(kind: KernelTypes, content: Payload) -> None:
    early = kind == KernelTypes.TENSOR_LIST
    program = with_value(EValue(kind, content))
    assert verdicts(program, RULE) == (AT_PROGRAM if early else AT_LOAD, AT_LOAD)


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (KernelTypes.INT_LIST, IntList(())),
        (KernelTypes.TENSOR_LIST, TensorList(())),
        (KernelTypes.STRING, String("")),
    ],
)
def test_empty_is_fine(kind: KernelTypes, content: Payload) -> None:
    assert verdict(with_value(EValue(kind, content)), RULE) == OK
