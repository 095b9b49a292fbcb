"""Inputs that are hardly programs: noise, other formats, what remains of files."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from random import Random

from tests.fuzz.subject import Seed

_HEADS = (
    b"", b"ET12", b"FT01", b"BP08", b"PK\x03\x04", b"\x7fELF", b"<!DOCTYPE html>", b"\x1f\x8b\x08",
    b"version https://git-lfs.github.com/spec/v1\n", b"\x08\x03\x12\x07pytorch", b"TFL3",
)  # fmt: skip


def garbage(rng: Random, seeds: Sequence[Seed]) -> bytes:
    """One such input."""
    seed = rng.choice(seeds)
    file = rng.choice((seed.file, *seed.data))
    way = rng.randrange(8)
    if way == 0:
        return rng.choice(_HEADS) + rng.randbytes(rng.choice((0, 1, 7, 60, 64, 500, 5000)))
    if way == 1:
        identifier = rng.choice((b"ET12", b"FT01", b"BP08", b"ET13"))
        word = struct.pack("<I", rng.choice((0, 1, 4, 8, 12, 0xFFFFFFFF, rng.randrange(2**32))))
        return struct.pack("<I", rng.randrange(64)) + identifier + word * rng.randrange(1, 2000)
    if way == 2:
        return file[: rng.randrange(len(file))]
    if way == 3:
        return file[rng.randrange(len(file)) :]
    if way == 4:
        return file.replace(b"\n", b"\r\n")
    if way == 5:
        return zlib.compress(file)
    if way == 6:
        at = rng.randrange(len(file))
        return file[:at] + rng.randbytes(rng.randrange(64)) + file[at:]
    words = list(struct.unpack(f"<{len(file) // 4}I", file[: len(file) & ~3]))
    for _ in range(rng.randrange(1, 30)):
        words[rng.randrange(len(words))] = rng.choice(words)
    return struct.pack(f"<{len(words)}I", *words)
