"""Arrangements: nothing that is needed at one time meets, and small ones are the best there are."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pte_lint.fix.arrange import arrange
from pte_lint.fix.intervals import CannotPlan, Need


def need(size: int, first: int, last: int) -> Need:
    return Need((0,), 1, size, ((first, last),))


NEEDS = st.lists(
    st.tuples(st.integers(0, 70), st.integers(-1, 6), st.integers(-1, 6)).map(
        lambda t: need(t[0], min(t[1:]), max(t[1:]))
    ),
    max_size=12,
)


def sound(needs: list[Need], offsets: tuple[int, ...], size: int) -> bool:
    """Checked byte by byte and time by time, as slowly as it is plain."""
    for time in range(-1, 8):
        taken: set[int] = set()
        for each, offset in zip(needs, offsets, strict=True):
            if each.first <= time <= each.last:
                mine = set(range(offset, offset + each.size))
                if taken & mine:
                    return False
                taken |= mine
    ends = [offset + each.size for each, offset in zip(needs, offsets, strict=True)]
    return max(ends, default=0) <= size


@settings(deadline=None, max_examples=300)
@given(NEEDS, st.sampled_from([1, 16]))
def test_nothing_meets_and_the_bound_is_one(needs: list[Need], alignment: int) -> None:
    found = arrange(needs, alignment)
    assert sound(needs, found.offsets, found.size)
    assert all(offset % alignment == 0 for offset in found.offsets)
    assert found.size % alignment == 0
    assert found.bound <= found.size


def best(needs: list[Need]) -> int:
    """The least size over all orders, each placed at the lowest free byte."""
    least = 1 << 30
    for order in permutations(range(len(needs))):
        placed: dict[int, int] = {}
        for n in order:
            offset = 0
            while any(
                needs[n].meets(needs[m])
                and offset < placed[m] + needs[m].size
                and placed[m] < offset + needs[n].size
                for m in placed
            ):
                offset += 1
            placed[n] = offset
        least = min(least, max((placed[n] + needs[n].size for n in placed), default=0))
    return least


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 4), st.integers(0, 4)), max_size=5))
def test_few_ranges_are_placed_as_well_as_can_be(rows: list[tuple[int, int, int]]) -> None:
    needs = [need(size, min(a, b), max(a, b)) for size, a, b in rows]
    assert arrange(needs, 1).size == best(needs)


def test_a_plan_that_greedy_by_size_misses() -> None:
    # What is large first goes to the bottom; the ones in between then have to lie on top of it.
    needs = [need(3, 0, 1), need(3, 4, 5), need(2, 1, 4), need(1, 0, 0), need(1, 5, 5)]
    assert arrange(needs, 1).size == best(needs) == 5


def test_what_nobody_needs_may_lie_anywhere() -> None:
    found = arrange([need(10, 0, -1), need(20, 0, 3)], 1)
    assert found.size == found.bound == 20


def test_nothing_needs_nothing() -> None:
    assert arrange([], 16).size == 0


def test_more_meetings_than_are_looked_at_are_no_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three ranges of which each meets both others: three pairs."""
    needs = [need(16, 0, 2), need(16, 1, 3), need(16, 2, 4)]
    monkeypatch.setattr("pte_lint.fix.arrange._PAIRS_EACH", 1)
    monkeypatch.setattr("pte_lint.fix.arrange._PAIRS", 0)
    assert arrange(needs, 16).size == 48
    monkeypatch.setattr("pte_lint.fix.arrange._PAIRS", -1)
    with pytest.raises(CannotPlan, match="too many tensors are needed at the same time"):
        arrange(needs, 16)
