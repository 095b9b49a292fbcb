from __future__ import annotations

import copy
import pickle
from dataclasses import fields, replace

import pytest
from pte_lint.schema.program import AllocationDetails, Bool, Int, Tensor
from pte_lint.schema.record import record


def test_fields_are_given_in_order_or_by_name() -> None:
    made = AllocationDetails(1, memory_offset_high=2, at=8)
    assert (made.memory_id, made.memory_offset_low, made.memory_offset_high, made.at) == (
        1,
        0,
        2,
        8,
    )
    assert made.memory_offset == 2 << 32
    assert repr(made) == (
        "AllocationDetails(memory_id=1, memory_offset_low=0, memory_offset_high=2)"
    )
    with pytest.raises(TypeError, match="3 positional"):
        AllocationDetails(1, 2, 3, 4)  # type: ignore[misc]
    with pytest.raises(TypeError, match="twice"):
        AllocationDetails(1, memory_id=2)  # type: ignore[misc]
    with pytest.raises(ValueError, match="not in tuple"):
        AllocationDetails(size=2)  # type: ignore[call-arg]


def test_records_are_equal_by_class_and_content() -> None:
    assert Int(1, at=4) == Int(1, at=8)
    assert hash(Int(1, at=4)) == hash(Int(1, at=8))
    assert Int(1) != Int(2)
    assert Int(1) != Bool(True)
    assert Int(1) != (1, 0)
    assert Int(1) != (1, 0)
    with pytest.raises(TypeError):
        assert Int(1) < Int(2)  # type: ignore[operator]


def test_records_do_not_change() -> None:
    made = Int(1)
    with pytest.raises(AttributeError):
        made.int_val = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        made.other = 2  # type: ignore[attr-defined]


def test_dataclasses_know_records() -> None:
    assert [item.name for item in fields(Int)] == ["int_val", "at"]  # type: ignore[arg-type]
    made = replace(Tensor(6, at=4), sizes=(2,))  # type: ignore[type-var]
    assert made == Tensor(6, sizes=(2,))
    assert made.at == 4


def test_records_are_copied_whole() -> None:
    made = Tensor(6, sizes=(2,), at=4)
    for twin in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert twin == made
        assert twin.at == 4
        assert type(twin) is Tensor


def test_patterns_match() -> None:
    match Int(5):
        case Int(number):
            assert number == 5
        case _:
            pytest.fail("an Int is an Int")


def test_the_position_comes_last() -> None:
    with pytest.raises(AssertionError):

        @record
        class Wrong:
            at: int = 0
            number: int = 0
