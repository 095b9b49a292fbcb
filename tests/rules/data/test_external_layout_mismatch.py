from __future__ import annotations

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.data_builder import DataTensor, build_data
from pte_lint.testing.program_builder import build_program
from tests.support.examples import externally
from tests.support.judging import judge, only, verdict

NUMBERS = [1, 2, 3, 4]


@pytest.mark.parametrize("mutable", [False, True])
@pytest.mark.parametrize(
    ("tensor", "differs"),
    [
        (DataTensor(NUMBERS, (2, 2), "int32"), "element type"),
        (DataTensor(NUMBERS, (4,)), "rank"),
        (DataTensor(NUMBERS, (1, 4)), "sizes"),
        (DataTensor(NUMBERS, (2, 2), dim_order=(1, 0)), "dim order"),
    ],
)
def test_what_differs(tensor: DataTensor, differs: str, mutable: bool) -> None:
    program = build_program(externally(mutable=mutable)).bytes()
    report = judge(program, "PTE514", data={"w.ptd": build_data({"w": tensor}).bytes()})
    assert only(report).message.startswith(f"w differs in its {differs}: the program has float32")
    assert only(report).evidence["differs"] == differs
    assert verdict(report).error == "InvalidExternalData"


def test_only_the_first_constant_with_a_key_is_compared() -> None:
    b = MethodBuilder()
    x = b.input((2, 2))
    b.output(b.add(x, b.external("w", (2, 2))), b.external("w", (4,)))
    data = {"w.ptd": build_data({"w": DataTensor(NUMBERS, (2, 2))}).bytes()}
    assert judge(build_program(b).bytes(), "PTE514", data=data).findings == ()


def test_the_same_layout() -> None:
    program = build_program(externally()).bytes()
    data = {"w.ptd": build_data({"w": DataTensor(NUMBERS, (2, 2))}).bytes()}
    assert judge(program, "PTE514", data=data).findings == ()


def two() -> bytes:
    b = MethodBuilder()
    x = b.input((2, 2))
    x = b.add(x, b.external("a", (2, 2), mutable=True))
    b.output(b.add(x, b.external("b", (2, 2))))
    return build_program(b).bytes()


def test_a_file_of_another_export_is_told_once() -> None:
    content = build_data({"b": DataTensor(NUMBERS, (4,)), "a": DataTensor(NUMBERS, (1, 4))}).bytes()
    report = judge(two(), "PTE514", data={"w.ptd": content})
    assert only(report).message == (
        "All 2 keys that forward and w.ptd share are other tensors there, so it was written for "
        "another export: b differs in its rank: the program has float32[2, 2], w.ptd has "
        "float32[4]."
    )
    assert only(report).evidence["values"] == [1, 4]
    assert verdict(report).error == "InvalidExternalData"


def test_where_one_agrees_each_other_is_told() -> None:
    content = build_data({"a": DataTensor(NUMBERS, (2, 2)), "b": DataTensor(NUMBERS, (4,))}).bytes()
    report = judge(two(), "PTE514", data={"w.ptd": content})
    assert only(report).message.startswith("b differs in its rank: ")
