"""Calls that kernels refuse are refused as well where sizes may change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.kernels.cases import Case, distinct, singles
from tests.kernels.sweep import described, kind_of
from tests.kernels.trial import trials
from tests.support.kernel_calls import Argument, Item, T
from tests.support.runtime import need_runtime

#: One in so many changes to every call that works.
STRIDE = 300


def _twin(item: Item) -> Item:
    return replace(item, bounded=True) if isinstance(item, T) and not item.zeros else item


def _twins() -> Iterator[Case]:
    for label, call in singles(STRIDE):
        args: list[Argument] = [
            [_twin(item) for item in argument]
            if isinstance(argument, list)
            else argument
            if isinstance(argument, str)
            else _twin(argument)
            for argument in call.args
        ]
        yield label, replace(call, args=tuple(args))


@pytest.mark.runtime
def test_calls_with_sizes_that_may_change_agree() -> None:
    """The runtime is given the largest sizes, and so are the checks."""
    need_runtime()
    found = list(trials(distinct(_twins())))
    wrong = [trial for trial in found if trial.is_difference]
    assert [described(trial) for trial in wrong] == []
    assert {"agree: runs", "agree: bad"} <= {kind_of(trial) for trial in found}
