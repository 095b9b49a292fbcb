"""What elements of results are made of, as terms, for operators whose calls go wrong by layout.

A term is a number: two elements have the same one when they surely hold the same. Terms of
constants and of what is computed from them have bounds, so that a maximum takes one of its
elements, and zero times a number is zero.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable

from pte_lint.ops.layouts import bounds
from pte_lint.ops.layouts.bounds import Bounds

Row = list[int]
"""Terms of a tensor's elements, row-major."""


class Terms:
    """Numbers for what elements are made of."""

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}
        self._bounds: dict[int, Bounds] = {}
        self._extremes: dict[int, tuple[str, int, frozenset[int]]] = {}
        self._totals: dict[int, tuple[Hashable, tuple[int, ...]]] = {}

    def of(self, *what: Hashable) -> int:
        """The term of something, the same for the same."""
        return self._known.setdefault(what, len(self._known))

    def constant(self, dtype: int, data: bytes) -> int:
        """The term of an element that has these bytes."""
        number = bounds.decoded(dtype, data)
        is_nan = number is not None and math.isnan(number)
        term = self.of("constant", dtype, "NaN" if is_nan else data)
        if number is not None:
            self._bounds[term] = number, number
        return term

    def bounds(self, term: int) -> Bounds | None:
        """Between which numbers it lies; None where that is not known."""
        return self._bounds.get(term)

    def bounded(self, term: int, dtype: int, between: Bounds | None) -> int:
        """The term, now that its bounds are known; that of a constant where they are one number."""
        if between is None:
            return term
        is_one = between is bounds.NAN or between[0] == between[1]
        data = bounds.encoded(dtype, between[0]) if is_one else None
        if data is not None:
            return self.constant(dtype, data)
        self._bounds.setdefault(term, between)
        return term

    def total(self, kind: Hashable, share: int, parts: Iterable[int]) -> int:
        """The sum of elements divided by a number; `kind` tells what it is computed with."""
        left = list(parts)
        known = [self._totals.get(part) for part in left]
        same = {each[0] for each in known if each is not None}
        if left and len(same) == 1 and None not in known:
            # A sum of sums, in whatever order.
            (inner,) = same
            inside = sorted(term for each in known if each is not None for term in each[1])
            key = (inner, kind, share)
        else:
            inside, key = sorted(left), (None, kind, share)
        term = self.of("total", key, tuple(inside))
        self._totals[term] = key, tuple(inside)
        return term

    def extreme(self, name: str, dtype: int, parts: Iterable[int]) -> int:
        """The largest of elements of one type, or the smallest (`name` is amax or amin)."""
        left: set[int] = set()
        for part in parts:
            # The largest of what are the largest themselves.
            *kind, inner = self._extremes.get(part, ("", 0, frozenset()))
            left |= inner if kind == [name, dtype] else {part}
        known = {part: self._bounds[part] for part in left if part in self._bounds}
        sure = {part: each for part, each in known.items() if not math.isnan(each[0])}
        if sure:
            # What surely is no larger than another is left out.
            pick, end, other = (max, 0, 1) if name == "amax" else (min, 1, 0)
            best = pick(sure, key=lambda part: (sure[part][end], part))
            edge = sure[best][end]
            beaten = {p for p, each in sure.items() if pick(each[other], edge) == edge}
            left -= beaten - {best}
        if len(left) == 1:
            return left.pop()
        term = self.of(name, dtype, frozenset(left))
        self._extremes[term] = name, dtype, frozenset(left)
        if sure and left <= sure.keys():
            low, high = (pick(sure[part][n] for part in left) for n in (0, 1))
            self._bounds.setdefault(term, (low, high))
        return term
