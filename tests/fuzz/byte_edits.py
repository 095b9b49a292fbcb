"""Edits of bytes: some know where offsets, vtables and lengths are, the others are blind."""

from __future__ import annotations

import struct
from random import Random

from tests.fuzz.atlas import Atlas
from tests.fuzz.edits import ByteEdit

_WORDS = (0, 1, 4, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFC, 0x40000000)


def structure_edit(rng: Random, file: bytes, map_: Atlas, number: int = 0) -> ByteEdit:
    """An edit of one piece of the flatbuffer's structure.

    Raises:
        LookupError: There is no such piece.
    """
    return rng.choice(_STRUCTURE)(rng, file, map_, number)


def blind_edit(rng: Random, file: bytes, others: list[bytes], number: int = 0) -> ByteEdit:
    """An edit that knows nothing of the format.

    Args:
        rng: What draws.
        file: The file.
        others: Files to take bytes from.
        number: 0 for the program, 1 and up for its data files.
    """
    at = rng.randrange(len(file))
    way = rng.choice(("flip", "flip", "flip", "byte", "word", "cut", "zero", "splice", "insert",
                      "delete"))  # fmt: skip
    if way == "flip":
        return _edit(
            "blind", at, bytes([file[at] ^ (1 << rng.randrange(8))]), "bit flipped", number
        )
    if way == "byte":
        return _edit("blind", at, bytes([rng.randrange(256)]), "another byte", number)
    if way == "word":
        word = rng.choice((*_WORDS, rng.randrange(2**32), rng.randrange(len(file))))
        return _edit("blind", at & ~3, struct.pack("<I", word), "another word", number)
    if way == "cut":
        return ByteEdit("blind", at, len(file) - at, b"", "cut", number)
    length = rng.choice((1, 2, 4, 8, 16, 64))
    if way == "zero":
        return _edit("blind", at, bytes(length), "zeros", number)
    if way == "delete":
        return ByteEdit("blind", at, length, b"", "bytes taken out", number)
    other = rng.choice(others)
    start = rng.randrange(len(other))
    some = other[start : start + length]
    if way == "insert":
        return ByteEdit("blind", at, 0, some, "bytes put in", number)
    return _edit("blind", at, some, "bytes of another place", number)


def _edit(family: str, at: int, content: bytes, why: str, number: int) -> ByteEdit:
    return ByteEdit(family, at, len(content), content, why, number)


def _word(at: int, value: int, why: str, number: int) -> ByteEdit:
    return _edit("structure", at, struct.pack("<I", value % 2**32), why, number)


def _offset(rng: Random, file: bytes, map_: Atlas, number: int) -> ByteEdit:
    at = rng.choice(map_.offsets)
    old = int.from_bytes(file[at : at + 4], "little")
    target = rng.choice((rng.choice(map_.tables), rng.choice(map_.lengths), len(file) - 4))
    choices = (0, old + 4, old - 4, old + 1, old + 2, target - at, target - at, target - at,
               rng.choice(_WORDS), len(file) - at, len(file) - at - 1)  # fmt: skip
    return _word(at, rng.choice(choices), "an offset", number)


def _vtable_offset(rng: Random, file: bytes, map_: Atlas, number: int) -> ByteEdit:
    at = rng.choice(map_.tables)
    other = rng.choice(list(map_.vtables))
    old = int.from_bytes(file[at : at + 4], "little")
    choices = (at - other, at - other, at - other, old + 2, old - 2, old + 1, 0, at, at + 2,
               rng.choice(_WORDS), at - len(file))  # fmt: skip
    return _word(at, rng.choice(choices), "the way to a vtable", number)


def _vtable(rng: Random, file: bytes, map_: Atlas, number: int) -> ByteEdit:
    at, size = rng.choice(list(map_.vtables.items()))
    place = at + rng.choice((0, 2, *range(4, size, 2), *range(4, size, 2)))
    old = int.from_bytes(file[place : place + 2], "little")
    other = 4 + 2 * rng.randrange(max(1, (size - 4) // 2))
    twin = int.from_bytes(file[at + other : at + other + 2], "little")
    value = rng.choice((0, old + 2, old + 4, old + 1, old - 2, twin, twin, 4, size, 0xFFFF, 0x7FFE))
    return _edit("structure", place, struct.pack("<H", value % 2**16), "a vtable", number)


def _length(rng: Random, file: bytes, map_: Atlas, number: int) -> ByteEdit:
    at = rng.choice(map_.lengths)
    old = int.from_bytes(file[at : at + 4], "little")
    room = len(file) - at - 4
    choices = (old + 1, old - 1, 0, old * 2, old // 2, room, room // 4, room // 4 + 1, room // 8,
               rng.choice(_WORDS))  # fmt: skip
    return _word(at, rng.choice(choices), "a length", number)


def _scalar(rng: Random, file: bytes, map_: Atlas, number: int) -> ByteEdit:
    at, width = rng.choice(map_.scalars)
    most = 2 ** (8 * width)
    old = int.from_bytes(file[at : at + width], "little")
    value = rng.choice(
        (old + 1, old - 1, 0, 1, most - 1, most // 2, rng.randrange(most), old ^ 128)
    )
    return _edit("structure", at, (value % most).to_bytes(width, "little"), "a number", number)


def _string(rng: Random, file: bytes, map_: Atlas, number: int) -> ByteEdit:
    if not map_.strings:
        raise LookupError("no strings")
    at = rng.choice(map_.strings)
    length = int.from_bytes(file[at : at + 4], "little")
    place = at + 4 + rng.choice((length, rng.randrange(length + 1)))
    return _edit("structure", place, bytes([rng.choice((0, 1, 0x41, 0xFF))]), "a string", number)


def _header(rng: Random, file: bytes, map_: Atlas, number: int) -> ByteEdit:
    at = rng.choice((0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40))
    old = int.from_bytes(file[at : at + 4], "little")
    value = rng.choice((old + 1, old - 1, old + 16, old - 16, 0, 24, 32, len(file), len(file) + 1,
                        rng.choice(_WORDS)))  # fmt: skip
    return _word(at, value, "the header", number)


_STRUCTURE = (_offset, _offset, _vtable_offset, _vtable, _length, _scalar, _string, _header)
