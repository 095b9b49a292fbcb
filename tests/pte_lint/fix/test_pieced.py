"""Bytes made of pieces read like the bytes they stand for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pte_lint.schema.program import Span
from pte_lint.schema.writer.pieces import Piece, joined

from pte_lint.fix.pieced import PiecedBytes

SOURCE = bytes(range(200))
PIECES = st.lists(
    st.binary(max_size=9)
    | st.tuples(st.integers(0, 199), st.integers(0, 40)).map(
        lambda t: Span(t[0], min(t[1], 200 - t[0]))
    ),
    max_size=8,
)


@given(PIECES, st.integers(-5, 120), st.integers(-5, 120))
def test_slices_and_views(pieces: list[Piece], start: int, stop: int) -> None:
    whole = joined(pieces, SOURCE)
    read = PiecedBytes(pieces, SOURCE)
    assert len(read) == len(whole)
    assert read.whole() == whole
    assert read[start:stop] == whole[start:stop]
    with read.part(start, stop) as view:
        assert bytes(view) == whole[start:stop]


@given(PIECES, PIECES)
def test_pieces_of_pieces_are_pieces_of_the_source(inner: list[Piece], outer: list[Piece]) -> None:
    first = PiecedBytes(inner, SOURCE)
    size = len(first)
    fitting = [
        Span(p.start % (size + 1), min(p.size, size - p.start % (size + 1)))
        if isinstance(p, Span)
        else p
        for p in outer
    ]
    expected = joined(fitting, joined(inner, SOURCE))
    assert joined(first.resolved(fitting), SOURCE) == expected
