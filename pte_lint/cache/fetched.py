"""Fetched bytes on disk, so that another run judges the same contents without fetching them."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from pte_lint.cache.canonical import canonical
from pte_lint.cache.store import SHARDS, Store
from pte_lint.files.remote.address import Listed
from pte_lint.files.remote.known_bytes import KnownBytes
from pte_lint.schema.frozen import dataclass

VERSION: Final = "f1"
"""Changes with the form of entries."""

_NUMBER: Final = struct.Struct("<Q")
MOST: Final = 1 << 63
"""What no number in an entry reaches."""


@dataclass(frozen=True, slots=True)
class FetchedStore:
    """A part of the cache folder that takes so many bytes at most; it can be pickled.

    An entry is known by the address and by what a listing calls the content. Its form is 8-byte
    numbers: the size of the file, how many ranges there are, where each begins and how long it is;
    then their bytes.
    """

    folder: Path
    size: int
    """Bytes of all entries; one takes a sixteenth of it at most."""

    def find(self, address: Listed) -> KnownBytes | None:
        """What is kept of a content; None: nothing."""
        raw = _store(self).get(_key(address))
        return None if raw is None else _read(raw)

    def keep(self, address: Listed, content: KnownBytes) -> None:
        """Keeps what is known of a content, in place of what was kept of it."""
        chunks = list(content.chunks())
        places = [number for start, held in chunks for number in (start, len(held))]
        if sum(places[1::2]) > self.size // SHARDS:
            return
        head = struct.pack(f"<{2 + len(places)}Q", len(content), len(chunks), *places)
        _store(self).put(_key(address), b"".join((head, *(held for _, held in chunks))))


@lru_cache(maxsize=4)
def _store(of: FetchedStore) -> Store:
    return Store(of.folder, VERSION, of.size // SHARDS, of.size // SHARDS)


def _key(address: Listed) -> str:
    text = canonical((str(address), address.revision))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_entry(raw: bytes) -> bool:
    """Whether bytes are an entry."""
    return _read(raw) is not None


def _read(raw: bytes) -> KnownBytes | None:
    numbers = _numbers(raw)
    size, count = next(numbers, MOST), next(numbers, MOST)
    if size >= MOST or count > len(raw) // (2 * _NUMBER.size):
        return None
    known = KnownBytes(size)
    at, end = (2 + 2 * count) * _NUMBER.size, 0
    for _ in range(count):
        start, length = next(numbers, MOST), next(numbers, MOST)
        if start < end or start + length > size or at + length > len(raw):
            return None
        known.keep(start, raw[at : at + length])
        at, end = at + length, start + length
    return known if at == len(raw) else None


def _numbers(raw: bytes) -> Iterator[int]:
    for at in range(0, len(raw) - _NUMBER.size + 1, _NUMBER.size):
        yield _NUMBER.unpack_from(raw, at)[0]
