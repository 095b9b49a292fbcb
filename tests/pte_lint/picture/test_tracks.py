"""Jumps as lines in the margin."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pte_lint.picture.tracks import MOST_TRACKS, Piece, Span, tracks


def test_a_jump_forwards_and_one_backwards() -> None:
    assert tracks([Span(0, 2)], 3) == [
        [Piece(0, "start")],
        [Piece(0, "through")],
        [Piece(0, "end")],
    ]
    assert tracks([Span(2, 0)], 3) == [
        [Piece(0, "end", True)],
        [Piece(0, "through", True)],
        [Piece(0, "start", True)],
    ]


def test_the_shorter_of_two_nested_jumps_is_nearer() -> None:
    pieces = tracks([Span(0, 5), Span(1, 3)], 6)
    assert pieces[2] == [Piece(0, "through"), Piece(1, "through")]
    assert Piece(0, "start") in pieces[1]


def test_jumps_apart_share_a_track() -> None:
    pieces = tracks([Span(0, 1), Span(2, 3)], 4)
    assert {piece.track for row in pieces for piece in row} == {0}


@settings(deadline=None)
@given(st.lists(st.builds(Span, st.integers(0, 30), st.integers(0, 30)), max_size=30))
def test_no_two_jumps_on_one_track_touch(spans: list[Span]) -> None:
    pieces = tracks(spans, 31)
    for row in pieces:
        used = [piece.track for piece in row]
        assert len(used) == len(set(used))
        assert all(track < MOST_TRACKS for track in used)
    starts = sum(piece.part == "start" for row in pieces for piece in row)
    ends = sum(piece.part == "end" for row in pieces for piece in row)
    assert starts == ends <= len({s for s in spans if s.source != s.target})
