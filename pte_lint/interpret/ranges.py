"""An index of byte ranges that are live at one moment, asked for overlaps.

In a correct memory plan the live ranges of an arena are disjoint but for views, which mostly have
the very range of their base. So the index keeps disjoint ranges in one sorted list, where a
question costs a bisection, and the few that overlap an earlier one in a side list.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator

from pte_lint.claims.ledger import Budget


class TooManyOverlaps(Exception):  # noqa: N818 - a limit, handled by the caller
    """The side list has been searched more often than the budget allows."""


class RangeIndex:
    """Half-open byte ranges [start, end) of one arena, each with the names that live there."""

    def __init__(self, budget: Budget) -> None:
        """`budget` is shared by indexes: side entries that may yet be looked at."""
        self._budget = budget
        self._ranges: list[tuple[int, int]] = []
        self._side: dict[tuple[int, int], None] = {}
        self._names: dict[tuple[int, int], dict[int, None]] = {}

    def add(self, start: int, end: int, name: int) -> None:
        """Adds a name at a range; an empty range or a repeated name changes nothing."""
        if start >= end:
            return
        key = (start, end)
        names = self._names.get(key)
        if names is not None:
            names[name] = None
            return
        self._names[key] = {name: None}
        ranges = self._ranges
        at = bisect_left(ranges, key)
        if (at > 0 and ranges[at - 1][1] > start) or (at < len(ranges) and ranges[at][0] < end):
            self._side[key] = None
        else:
            insort(ranges, key)

    def remove(self, start: int, end: int, name: int) -> None:
        """Takes a name away from a range; no error when it is not there."""
        key = (start, end)
        names = self._names.get(key)
        if names is None or name not in names:
            return
        del names[name]
        if names:
            return
        del self._names[key]
        if key in self._side:
            del self._side[key]
        else:
            del self._ranges[bisect_left(self._ranges, key)]

    def overlapping(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Yields (name, its start, its end) for every range that shares a byte with [start, end).

        Raises:
            TooManyOverlaps: when the budget is used up.
        """
        if start >= end:
            return
        ranges = self._ranges
        at = bisect_right(ranges, (start, end))
        while at > 0 and ranges[at - 1][1] > start:
            at -= 1
        while at < len(ranges) and ranges[at][0] < end:
            key = ranges[at]
            if key[1] > start:
                for name in self._names[key]:
                    yield name, key[0], key[1]
            at += 1
        if self._side:
            if not self._budget.spend(len(self._side)):
                raise TooManyOverlaps
            for key in self._side:
                if key[0] < end and key[1] > start:
                    for name in self._names[key]:
                        yield name, key[0], key[1]
