"""Whether two ranges of files hold the same bytes, looked at piece by piece and up to a limit."""

from __future__ import annotations

from typing import Final

from pte_lint.schema.errors import NotFetchedError
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Span
from pte_lint.schema.ranges import Buffer, window

_PIECE: Final = 1 << 20
MOST_COMPARED: Final = 64 << 20
"""Bytes; more would make a check of small programs wait for their weights."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two ranges compare.

    Attributes:
        differs_at: The first byte that differs, or the end of the shorter one.
        compared: How many bytes were looked at.
        is_whole: Whether that was all of them.
    """

    differs_at: int | None
    compared: int
    is_whole: bool

    @property
    def are_same(self) -> bool:
        """Whether all bytes are the same, as far as all were looked at."""
        return self.differs_at is None and self.is_whole


def compare_bytes(one: Buffer, first: Span, other: Buffer, second: Span) -> Comparison:
    """Compares two ranges; what may not be fetched ends the comparison."""
    length = min(first.size, second.size)
    most = min(length, MOST_COMPARED)
    for start in range(0, most, _PIECE):
        stop = min(start + _PIECE, most)
        try:
            with (
                window(one, first.start + start, first.start + stop) as ours,
                window(other, second.start + start, second.start + stop) as theirs,
            ):
                if ours != theirs:
                    at = next(i for i in range(stop - start) if ours[i] != theirs[i])
                    return Comparison(start + at, start + at + 1, True)
        except NotFetchedError:
            return Comparison(None, start, False)
    if first.size != second.size:
        return Comparison(length, most, most == length)
    return Comparison(None, most, most == length)
