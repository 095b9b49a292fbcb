"""Arranges byte ranges in one arena so that those needed at the same time do not meet.

Minimising the size is NP-hard (dynamic storage allocation). Placing in some order, each at the
lowest free offset, always reaches the optimum for the right order: a few orders are tried, all of
them where there are few ranges, and the search ends as soon as the lower bound is reached.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence

from pte_lint.fix.intervals import CannotPlan, Need
from pte_lint.schema.frozen import dataclass

_EXACT = 8
"""Ranges up to which all orders are tried."""

_PAIRS = 1 << 20
_PAIRS_EACH = 64
"""Meetings that are looked at: so many, and so many more for each range. Exporters' programs have
a few dozen tensors at any one time."""

Places = dict[int, int]
"""Offset in bytes by position in the list of needs."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Where each need goes.

    Attributes:
        offsets: Byte offset of each need, in the order given.
        size: Bytes of the arena.
        bound: Bytes that no arrangement can do without: the most that is needed at one time.
    """

    offsets: tuple[int, ...]
    size: int
    bound: int


def arrange(needs: Sequence[Need], alignment: int) -> Arrangement:
    """Arranges the needs of one arena.

    Args:
        needs: What is to be placed.
        alignment: Of every offset and of the size, in bytes.

    Raises:
        CannotPlan: More of them meet than is looked at.
    """
    sizes = [-(-need.size // alignment) * alignment for need in needs]
    bound = peak(needs, sizes)
    meeting = _meeting(needs)
    best: Places | None = None
    best_size = 0
    for order in _orders(needs, sizes) if needs else ():
        places, size = _place(order, sizes, meeting)
        if best is None or size < best_size:
            best, best_size = places, size
        if best_size == bound:
            break
    if best is None:
        return Arrangement((), 0, 0)
    if best_size > bound and len(needs) <= _EXACT:
        best, best_size = _search(sizes, meeting, best, best_size, bound)
    return Arrangement(tuple(best[n] for n in range(len(needs))), best_size, bound)


def peak(needs: Sequence[Need], sizes: Sequence[int]) -> int:
    """The most bytes that are needed at one time."""
    changes: dict[int, int] = {}
    for need, size in zip(needs, sizes, strict=True):
        for first, last in need.spans:
            changes[first] = changes.get(first, 0) + size
            changes[last + 1] = changes.get(last + 1, 0) - size
    most = now = 0
    for time in sorted(changes):
        now += changes[time]
        most = max(most, now)
    # What is needed at no time still has to fit in.
    return max([most, *sizes], default=0)


def _meeting(needs: Sequence[Need]) -> list[array[int]]:
    """For each need, the others that are needed at some time when it is. A sweep over time."""
    meeting = [array("I") for _ in needs]
    alive: list[tuple[int, int]] = []
    left = _PAIRS + _PAIRS_EACH * len(needs)
    for first, last, n in sorted((*span, n) for n, need in enumerate(needs) for span in need.spans):
        alive = [each for each in alive if each[0] >= first]
        left -= len(alive)
        if left < 0:
            raise CannotPlan("too many tensors are needed at the same time")
        for _, m in alive:
            if m != n:
                meeting[n].append(m)
                meeting[m].append(n)
        alive.append((last, n))
    if all(len(need.spans) <= 1 for need in needs):
        return meeting
    return [array("I", dict.fromkeys(others)) for others in meeting]


def _orders(needs: Sequence[Need], sizes: Sequence[int]) -> Iterable[list[int]]:
    """Orders worth trying: large ones first, long ones first, early ones first."""
    keys: tuple[Callable[[int], tuple[int, ...]], ...] = (
        lambda n: (-sizes[n], needs[n].first - needs[n].last, n),
        lambda n: (needs[n].first - needs[n].last, -sizes[n], n),
        lambda n: (-sizes[n] * (needs[n].last - needs[n].first + 1), n),
        lambda n: (needs[n].first, -sizes[n], n),
        lambda n: (-needs[n].last, -sizes[n], n),
    )
    for key in keys:
        yield sorted(range(len(needs)), key=key)


def _lowest(n: int, places: Places, sizes: Sequence[int], meeting: list[array[int]]) -> int:
    """The lowest offset at which a range meets none of those in its way."""
    taken = sorted((places[m], places[m] + sizes[m]) for m in meeting[n] if m in places)
    offset = 0
    for start, end in taken:
        if start - offset >= sizes[n]:
            break
        offset = max(offset, end)
    return offset


def _place(
    order: Iterable[int], sizes: Sequence[int], meeting: list[array[int]]
) -> tuple[Places, int]:
    places: Places = {}
    total = 0
    for n in order:
        offset = _lowest(n, places, sizes, meeting)
        places[n] = offset
        total = max(total, offset + sizes[n])
    return places, total


def _search(
    sizes: Sequence[int], meeting: list[array[int]], best: Places, best_size: int, bound: int
) -> tuple[Places, int]:
    """Tries all orders, leaving out what cannot become better."""
    places: Places = {}

    def go(total: int) -> None:
        nonlocal best, best_size
        if total >= best_size or best_size == bound:
            return
        if len(places) == len(sizes):
            best, best_size = dict(places), total
            return
        for n in range(len(sizes)):
            if n not in places:
                offset = _lowest(n, places, sizes, meeting)
                places[n] = offset
                go(max(total, offset + sizes[n]))
                del places[n]

    go(0)
    return best, best_size
