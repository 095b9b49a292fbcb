"""The parts of a large artifact that are known."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager

from pte_lint.files.fetched import Fetched
from pte_lint.schema.errors import NotFetchedError


class KnownBytes:
    """Bytes of which only some ranges are here; taking others raises. Can be pickled."""

    def __init__(self, size: int) -> None:
        """Knows nothing yet of an artifact of `size` bytes."""
        self._size = size
        self._starts: list[int] = []
        self._chunks: list[bytes] = []
        self._fetched: Fetched | None = None

    @property
    def fetched(self) -> Fetched | None:
        """What was fetched to know what is known."""
        return self._fetched

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, key: slice, /) -> bytes:
        start, stop, step = key.indices(self._size)
        if step != 1:
            raise ValueError("ranges of an artifact have no step")
        if stop <= start:
            return b""
        gaps = list(self._gaps(start, stop))
        if gaps:
            self._miss(gaps, start, stop)
        return self._known(start, stop)

    @contextmanager
    def part(self, start: int, stop: int) -> Iterator[memoryview]:
        """A view of a range."""
        with memoryview(self[start:stop]) as view:
            yield view

    def whole(self) -> bytes | None:
        """All bytes, if all are here."""
        if next(self._gaps(0, self._size), None) is not None:
            return None
        return self._known(0, self._size) if self._size else b""

    def keep(self, start: int, content: bytes) -> None:
        """Adds a range; what is here already must not be added again."""
        if content:
            at = bisect_right(self._starts, start)
            self._starts.insert(at, start)
            self._chunks.insert(at, content)

    def chunks(self) -> Iterator[tuple[int, bytes]]:
        """What is here: where each range begins, and its bytes."""
        return zip(self._starts, self._chunks, strict=True)

    def detached(self) -> KnownBytes:
        """A copy that never fetches: it has what this one has."""
        copy = KnownBytes(self._size)
        copy._starts, copy._chunks = list(self._starts), list(self._chunks)
        copy._fetched = self.fetched
        return copy

    def _miss(self, gaps: list[tuple[int, int]], start: int, stop: int) -> None:
        """What to do about ranges that are not here: fetch them, or raise."""
        raise NotFetchedError(f"bytes {start} to {stop - 1} were not fetched")

    def _gaps(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """The parts of a range that are not here."""
        at = start
        for n in range(max(0, bisect_right(self._starts, start) - 1), len(self._starts)):
            first = self._starts[n]
            if first >= stop:
                break
            if first > at:
                yield at, first
            at = max(at, first + len(self._chunks[n]))
        if at < stop:
            yield at, stop

    def _known(self, start: int, stop: int) -> bytes:
        """A range all of which is here; its chunks become one, so that this is done once."""
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, stop - 1)
        if last - first > 1:
            self._chunks[first:last] = [b"".join(self._chunks[first:last])]
            del self._starts[first + 1 : last]
        base = self._starts[first]
        return self._chunks[first][start - base : stop - base]
