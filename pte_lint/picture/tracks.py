"""Jumps as lines in the margin: each takes a track from its row to the row it goes to."""

from __future__ import annotations

from collections.abc import Iterable

from pte_lint.schema.frozen import dataclass

MOST_TRACKS = 5
"""Lines side by side; a jump for which there is no room is told in words only."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What a track does in one row: `start` or `end` of a jump, or `through`.

    `up` says that the jump goes backwards, so that it leaves its row upwards.
    """

    track: int
    part: str
    up: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """A jump from one row to another, by position among all rows."""

    source: int
    target: int


def tracks(spans: Iterable[Span], rows: int) -> list[list[Piece]]:
    """Gives every span a track so that no two on one track touch; the shortest come first.

    Args:
        spans: the jumps.
        rows: how many rows there are.

    Returns:
        By row, the pieces of tracks in it.
    """
    pieces: list[list[Piece]] = [[] for _ in range(rows)]
    taken: list[list[tuple[int, int]]] = []
    moving = {span for span in spans if span.source != span.target}
    for span in sorted(moving, key=lambda s: (abs(s.target - s.source), s.source, s.target)):
        low, high = sorted((span.source, span.target))
        track = _free(taken, low, high)
        if track is None:
            continue
        up = span.target < span.source
        pieces[span.source].append(Piece(track, "start", up))
        pieces[span.target].append(Piece(track, "end", up))
        for row in range(low + 1, high):
            pieces[row].append(Piece(track, "through", up))
    return pieces


def _free(taken: list[list[tuple[int, int]]], low: int, high: int) -> int | None:
    """The first track with nothing between two rows; a new one if there may be another."""
    for track, used in enumerate(taken):
        if all(b < low or high < a for a, b in used):
            used.append((low, high))
            return track
    if len(taken) == MOST_TRACKS:
        return None
    taken.append([(low, high)])
    return len(taken) - 1
