"""Edits that break flatbuffers where it hurts: offsets, lengths, vtables, single bits."""

from __future__ import annotations

import random
import struct

_WORDS = (0, 1, 2, 3, 4, 7, 8, 12, 16, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_HALVES = (0, 1, 2, 4, 5, 6, 8, 10, 12, 16, 0xFFFE, 0xFFFF)
_BYTES = (0, 1, 2, 3, 4, 5, 7, 8, 16, 0x7F, 0x80, 0xFF)


def mutate(document: bytes, choice: random.Random, size: int | None = None) -> bytes:
    """Returns the document with one to three edits in its first `size` bytes (all by default)."""
    edited = bytearray(document)
    end = len(edited) if size is None else size
    for _ in range(choice.choice((1, 1, 1, 2, 3))):
        _edit(edited, end, choice)
    return bytes(edited)


def _edit(edited: bytearray, end: int, choice: random.Random) -> None:
    at = choice.randrange(end)
    kind = choice.random()
    word = min(at & ~3, max(0, end - 4))
    if kind < 0.3:
        edited[at] ^= 1 << choice.randrange(8)
    elif kind < 0.45:
        edited[at] = choice.choice(_BYTES)
    elif kind < 0.6:
        half = min(at & ~1, max(0, end - 2))
        struct.pack_into("<H", edited, half, choice.choice((*_HALVES, choice.randrange(64))))
    elif kind < 0.75:
        struct.pack_into("<I", edited, word, choice.choice((*_WORDS, choice.randrange(end))))
    elif kind < 0.9:
        (old,) = struct.unpack_from("<I", edited, word)
        step = choice.choice((-8, -4, -2, -1, 1, 2, 4, 8))
        struct.pack_into("<I", edited, word, (old + step) & 0xFFFFFFFF)
    else:
        other = min(choice.randrange(end) & ~3, max(0, end - 4))
        edited[word : word + 4] = edited[other : other + 4]
