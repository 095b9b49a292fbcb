"""A fixed sample of the sweep, and the sweep's own parts."""

from __future__ import annotations

from itertools import islice

import pytest

from pte_lint.ops.checks import conditions, lists
from pte_lint.ops.checks.call import Operand
from pte_lint.ops.checks.table import KNOWN
from pte_lint.ops.schemas import operator_schema
from tests.kernels.bases import bases
from tests.kernels.cases import distinct, drawn, singles, whole
from tests.kernels.laws import sums, unswept
from tests.kernels.sweep import described, kind_of
from tests.kernels.trial import CONTENTS, trials
from tests.support.kernel_calls import KernelCall, T
from tests.support.runtime import need_runtime

#: One in so many changes to every call that works.
STRIDE = 400

#: Calls of changed operators that are tried at most: some of each, where there are more.
MOST = 2000


def test_every_followed_kernel_is_swept() -> None:
    assert {call.operator for _, call in bases()} == KNOWN


def test_calls_have_the_arguments_of_their_operators() -> None:
    for label, call in islice(singles(), 0, None, 97):
        schema = operator_schema(call.operator)
        assert schema is not None
        assert len(call.args) == len(schema.parameters), label


def test_the_same_calls_each_time() -> None:
    first, again = drawn(3, 20), drawn(3, 20)
    assert list(map(str, first)) == list(map(str, again))
    assert list(distinct(iter([("a", _sum()), ("b", _sum())]))) == [("a", _sum())]


def _sum(*, kept: str = "float32", bounded: bool = False) -> KernelCall:
    args = (T((2, 3), kept, bounded=bounded), T((2, 3), kept), 1, T((2, 3)))
    return KernelCall("aten::add.out", args)


@pytest.mark.runtime
def test_what_counts_as_a_difference() -> None:
    need_runtime()
    divided = KernelCall("aten::floor_divide.out", (T((4,), "int64"),) * 3)
    shorter = KernelCall("aten::mm.out", (T((3, 5), bounded=True), T((4, 2)), T((3, 2))))
    calls = [("sum", _sum()), ("divided", divided), ("shorter", shorter)]
    seen = {trial.label: trial for trial in trials(calls)}
    assert kind_of(seen["sum"]) == "agree: runs"
    assert kind_of(seen["divided"]) == CONTENTS
    assert kind_of(seen["shorter"]) == "agree: bad"
    assert not any(trial.is_difference for trial in seen.values())


@pytest.mark.runtime
def test_a_sample_agrees() -> None:
    need_runtime()
    cases = [*distinct(singles(STRIDE)), *drawn(2, 100)]
    found = list(trials(cases))
    assert len(found) == len(cases)
    differences = [described(trial) for trial in found if trial.is_difference]
    assert not differences, "\n".join(differences)
    kinds = {kind_of(trial) for trial in found}
    assert {"agree: runs", "agree: bad"} <= kinds


def _castable(part: Operand, out: Operand) -> None:
    """Another check than that of lists."""


_castable.__module__ = lists.__name__


def _changed(before: dict[str, str]) -> set[str]:
    return {name for name, now in sums().items() if now != before[name]}


def test_what_a_change_is_about(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sums()
    assert before.keys() == KNOWN
    monkeypatch.setattr(lists, "_castable", _castable)
    assert _changed(before) == {"aten::cat.out", "aten::stack.out"}
    monkeypatch.undo()
    assert not _changed(before)
    # What all of them share, and one number that some name.
    monkeypatch.setattr(conditions, "need_order", _castable)
    assert len(_changed(before)) > 100
    monkeypatch.undo()
    monkeypatch.setattr(lists, "REAL_OR_BOOL", frozenset({1}))
    assert "aten::cat.out" in _changed(before)
    assert "aten::addmm.out" not in _changed(before)


@pytest.mark.runtime
def test_operators_agree_whose_checks_are_not_what_was_swept() -> None:
    need_runtime()
    cases = [*whole(unswept())]
    some = cases[:: 1 + len(cases) // MOST]
    differences = [described(trial) for trial in trials(some) if trial.is_difference]
    assert not differences, "\n".join(differences)
