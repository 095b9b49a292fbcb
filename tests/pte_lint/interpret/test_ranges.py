"""The index of live byte ranges against a plain list."""

from __future__ import annotations

import random

import pytest

from pte_lint.claims.ledger import Budget, Ledger, Unjudged
from pte_lint.interpret.ranges import RangeIndex, TooManyOverlaps


def budget(amount: int, ledger: Ledger | None = None) -> Budget:
    return Budget(Ledger() if ledger is None else ledger, "the ranges", "they overlap", amount)


@pytest.mark.parametrize("seed", range(30))
def test_answers_as_a_plain_list_does(seed: int) -> None:
    rng = random.Random(seed)
    index = RangeIndex(budget(1_000_000))
    plain: list[tuple[int, int, int]] = []
    for name in range(200):
        if plain and rng.random() < 0.4:
            gone = plain.pop(rng.randrange(len(plain)))
            index.remove(gone[1], gone[2], gone[0])
        start = rng.randrange(100)
        entry = (name, start, start + rng.choice((0, 1, 3, 10, 40)))
        if entry[1] < entry[2]:
            plain.append(entry)
        index.add(entry[1], entry[2], name)
        a = rng.randrange(100)
        b = a + rng.choice((0, 1, 5, 30))
        assert sorted(index.overlapping(a, b)) == sorted(
            e for e in plain if e[1] < b and a < e[2] and a < b
        )


def test_removing_what_is_not_there_is_no_error() -> None:
    index = RangeIndex(budget(10))
    index.remove(0, 4, 1)
    index.add(0, 4, 1)
    index.remove(0, 4, 2)
    assert list(index.overlapping(0, 1)) == [(1, 0, 4)]


def test_the_budget_bounds_the_search_through_overlapping_ranges() -> None:
    ledger = Ledger()
    index = RangeIndex(budget(100, ledger))
    for name in range(60):
        index.add(0, 10 + name, name)
    list(index.overlapping(0, 1))
    assert not ledger
    with pytest.raises(TooManyOverlaps):
        list(index.overlapping(0, 1))
    assert list(ledger) == [Unjudged("the ranges", "they overlap")]
