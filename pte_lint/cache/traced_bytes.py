"""Keeps account of which bytes of a large file a judgement is made of.

What the rules say is a function of the bytes that are read, of the size of the file, and of nothing
else of it. If the same ranges have the same content again, then reading would go the same way
again, step by step, and end in the same words. So the ranges that were read identify the judgement,
without a look at the weights between them.
"""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from pte_lint.files.fetched import Fetched

_CHUNK: Final = 1 << 20

Range = tuple[int, int]
"""Start and stop, in bytes."""


class TracedBytes:
    """A mapped file that remembers what was read of it."""

    def __init__(self, mapped: mmap.mmap) -> None:
        """Nothing is read yet."""
        self._mapped = mapped
        self._ranges: list[Range] = []

    @property
    def fetched(self) -> Fetched | None:
        """Nothing is fetched: the file is here."""
        return None

    def __len__(self) -> int:
        return len(self._mapped)

    def __getitem__(self, key: slice, /) -> bytes:
        start, stop, step = key.indices(len(self._mapped))
        if step != 1:
            raise ValueError("ranges of an artifact have no step")
        self._note(start, stop)
        return self._mapped[start:stop]

    @contextmanager
    def part(self, start: int, stop: int) -> Iterator[memoryview]:
        """A view without a copy; all of it counts as read."""
        start, stop, _ = slice(start, stop).indices(len(self._mapped))
        self._note(start, stop)
        with memoryview(self._mapped) as whole, whole[start:stop] as view:
            yield view

    def whole(self) -> bytes | None:
        """All bytes: they are here, but nobody wants to read them just for that."""
        return None

    def ranges(self) -> tuple[Range, ...]:
        """What was read, in order of position, without overlaps."""
        merged: list[Range] = []
        for start, stop in sorted(self._ranges):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(merged[-1][1], stop))
            else:
                merged.append((start, stop))
        self._ranges = list(merged)
        return tuple(merged)

    def _note(self, start: int, stop: int) -> None:
        if start < stop:
            self._ranges.append((start, stop))
            if len(self._ranges) % 4096 == 0:
                self.ranges()


def digest_of(mapped: mmap.mmap, ranges: Iterable[Range]) -> str | None:
    """The SHA-256 of the bytes in some ranges; None where a range is none of this file."""
    digest = hashlib.sha256()
    for start, stop in ranges:
        if not 0 <= start <= stop <= len(mapped):
            return None
        for at in range(start, stop, _CHUNK):
            digest.update(mapped[at : min(at + _CHUNK, stop)])
    return digest.hexdigest()
