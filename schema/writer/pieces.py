"""A file that is to be written, as pieces: new bytes, and ranges of the file it is made from.

Weights stay where they are until the file is written, whatever their size.
"""

from __future__ import annotations

from collections.abc import Iterable

from pte_lint.schema.program import Span
from pte_lint.schema.ranges import Buffer, take

Piece = bytes | Span
"""Bytes as they are, or a range of the source."""


def length(piece: Piece) -> int:
    """Bytes of one piece."""
    return piece.size if isinstance(piece, Span) else len(piece)


def joined(pieces: Iterable[Piece], source: Buffer) -> bytes:
    """All pieces in memory, for files that are known to be small."""
    return b"".join(
        take(source, piece.start, piece.start + piece.size) if isinstance(piece, Span) else piece
        for piece in pieces
    )


def padding(size: int, alignment: int) -> int:
    """Bytes that are missing to the next multiple of `alignment`."""
    return -size % alignment
