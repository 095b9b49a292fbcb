"""A file that is not written yet, to be read as if it were: ranges of another and new bytes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate

from pte_lint.files.fetched import Fetched
from pte_lint.schema.program import Span
from pte_lint.schema.ranges import Buffer, take, window
from pte_lint.schema.writer.pieces import Piece, length


class PiecedBytes:
    """Bytes made of pieces; what is taken of them is copied, and nothing else."""

    def __init__(self, pieces: Sequence[Piece], source: Buffer) -> None:
        """Pieces in order; spans are ranges of `source`."""
        self.pieces = [piece for piece in pieces if length(piece)]
        self._source = source
        self._ends = list(accumulate(map(length, self.pieces)))

    def __len__(self) -> int:
        """Bytes of all pieces."""
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, key: slice, /) -> bytes:
        """A copy of the bytes of a slice without a step."""
        start, stop, _ = key.indices(len(self))
        return b"".join(self._content(piece) for piece in self.within(start, stop))

    @contextmanager
    def part(self, start: int, stop: int, /) -> Iterator[memoryview]:
        """A view of a range: in place where it lies in one piece."""
        pieces = list(self.within(*slice(start, stop).indices(len(self))[:2]))
        if len(pieces) == 1 and isinstance(pieces[0], Span):
            span = pieces[0]
            with window(self._source, span.start, span.start + span.size) as view:
                yield view
            return
        with memoryview(b"".join(map(self._content, pieces))) as view:
            yield view

    @property
    def fetched(self) -> Fetched | None:
        """Nothing is fetched for it."""
        return None

    def whole(self) -> bytes | None:
        """All bytes, for files that are hashed: those are small."""
        return self[0 : len(self)]

    def within(self, start: int, stop: int) -> Iterator[Piece]:
        """The pieces of a range, in terms of the source."""
        at = bisect_right(self._ends, start)
        while start < stop and at < len(self.pieces):
            piece, end = self.pieces[at], self._ends[at]
            inside = start - (end - length(piece))
            size = min(stop, end) - start
            if isinstance(piece, Span):
                yield Span(piece.start + inside, size)
            else:
                yield piece[inside : inside + size]
            start += size
            at += 1

    def resolved(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Pieces whose spans are ranges of this file, in terms of the source."""
        found: list[Piece] = []
        for piece in pieces:
            if isinstance(piece, Span):
                found.extend(self.within(piece.start, piece.start + piece.size))
            else:
                found.append(piece)
        return found

    def _content(self, piece: Piece) -> bytes:
        if isinstance(piece, Span):
            return take(self._source, piece.start, piece.start + piece.size)
        return piece
