"""The table of prim ops against the real runtime."""

from __future__ import annotations

import math
import random

import pytest
from pte_lint.schema.enums import KernelTypes

from pte_lint.ops.numbers import NAN, NEGATIVE_ZERO, double
from pte_lint.ops.prims import PRIM_OPS, Result, result
from tests.pte_lint.ops.prim_calls import PrimCall, all_calls, disagreements
from tests.support.runtime import need_runtime


@pytest.fixture(scope="module")
def sample() -> list[PrimCall]:
    """3,000 calls that go well, and some that fail in each way that an op has."""
    calls = list(all_calls())
    random.Random(8).shuffle(calls)
    well = [call for call in calls if call.failure is None][:3000]
    failing: dict[tuple[str, str], PrimCall] = {}
    for call in calls:
        if call.failure is not None:
            failing.setdefault((call.operator, call.failure), call)
    return [*well, *failing.values()]


def test_the_runtime_does_what_the_table_says(sample: list[PrimCall]) -> None:
    need_runtime()
    assert list(disagreements(sample)) == []


def test_the_sample_has_everything(sample: list[PrimCall]) -> None:
    assert {call.operator for call in sample} == {n for n, op in PRIM_OPS.items() if op.value}
    assert {call.failure for call in sample} == {None, "InvalidType", "SIGABRT", "SIGFPE"}


def test_a_wrong_table_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    need_runtime()
    monkeypatch.setattr(
        "tests.pte_lint.ops.prim_calls.result",
        lambda _name, _operands: Result(KernelTypes.DOUBLE, NEGATIVE_ZERO),
    )
    (difference,) = disagreements([PrimCall("executorch_prim::mul.Scalar", (0.0, 7))])
    assert "'inf'" in difference


def test_doubles_that_python_takes_for_one_another() -> None:
    assert double(float("nan")) == NAN
    assert double(-0.0) == NEGATIVE_ZERO != double(0.0)
    assert len({double(-0.0), double(0.0), NAN, double(-math.nan)}) == 3
    assert float(NEGATIVE_ZERO) == 0.0


def test_what_is_known_of_unknown_numbers() -> None:
    number, whole = Result(KernelTypes.DOUBLE), Result(KernelTypes.INT)
    some = Result(KernelTypes.INT, 3)
    add = "executorch_prim::add.Scalar"
    assert result(add, [whole, some]) == Result(KernelTypes.INT)
    assert result(add, [number, some]) == Result(KernelTypes.DOUBLE)
    assert result(add, [Result(-1), some]) == Result(-1)
    choice = "executorch_prim::sym_ite.Scalar"
    assert result(choice, [Result(KernelTypes.BOOL, True), some, number]) == some
    assert result(choice, [Result(KernelTypes.BOOL), some, whole]) == whole
    assert result(choice, [Result(KernelTypes.BOOL), some, number]) == Result(-1)
