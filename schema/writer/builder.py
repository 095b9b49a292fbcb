"""Builds one flatbuffer from its last byte to its first, as the format is made to be written.

The layout is that of `flatbuffers.Builder` of Python, byte for byte: children before parents, equal
vtables once, padding in front of what is aligned. That package is not used, for it imports numpy
wherever that is installed, which takes longer than to repair a small program.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Final

_MOST_BYTES: Final = 1 << 31
"""What offsets of 32 bits can span, one bit being the sign."""


class TooLargeError(ValueError):
    """The document would be larger than offsets can span."""


class Builder:
    """One document. Offsets are told from its end, which is where writing starts.

    Bytes are kept in reverse until all are there, so that each is appended: numbers are packed with
    their last byte first. `struct.error` is raised for numbers that do not fit.
    """

    def __init__(self) -> None:
        """Begins an empty document."""
        self._reversed = bytearray()
        self._vtables: dict[bytes, int] = {}
        self._alignment = 1

    def string(self, text: bytes) -> int:
        """A string with the zero behind it; gives its offset."""
        self._align(4, len(text) + 1)
        self._reversed.append(0)
        return self._counted(text, len(text))

    def vector(self, content: bytes, count: int, alignment: int) -> int:
        """A vector of `count` elements that are encoded already; gives its offset."""
        self._align(4, len(content))
        self._align(alignment, len(content))
        return self._counted(content, count)

    def offsets(self, offsets: Sequence[int]) -> int:
        """A vector of what was written before; gives its offset."""
        self._align(4, 4 * len(offsets))
        for offset in reversed(offsets):
            self._refer(offset)
        return self._counted(b"", len(offsets))

    def table(self, slots: int, fields: Iterable[tuple[int, str, float]]) -> int:
        """A table; gives its offset.

        Args:
            slots: How many slots the layout has.
            fields: What is stored, in the order of slots: the slot, the letter of `struct` and the
                number, or no letter and the offset of what was written before.
        """
        content = self._reversed
        end = len(content)
        places = [0] * slots
        for slot, code, value in fields:
            if code:
                self._align(struct.calcsize(f">{code}"), 0)
                content += struct.pack(f">{code}", value)
            else:
                self._align(4, 0)
                self._refer(int(value))
            places[slot] = len(content)
        self._align(4, 0)
        content += bytes(4)
        start = len(content)
        while places and not places[-1]:
            places.pop()
        entries = [start - place if place else 0 for place in reversed(places)]
        size = 2 * len(entries) + 4
        vtable = struct.pack(f">{len(entries) + 2}H", *entries, start - end, size)
        at = self._vtables.get(vtable)
        if at is None:
            content += vtable
            at = self._vtables[vtable] = len(content)
        content[start - 4 : start] = struct.pack(">i", at - start)
        return start

    def finish(self, root: int, identifier: bytes) -> bytes:
        """The document with its root and its identifier in front."""
        self._align(self._alignment, 4 + len(identifier))
        self._reversed += identifier[::-1]
        self._refer(root)
        return bytes(memoryview(self._reversed)[::-1])

    def _align(self, size: int, following: int) -> None:
        """Pads so that what is `following` bytes further on lies on a multiple of `size`."""
        self._alignment = max(self._alignment, size)
        end = len(self._reversed) + following
        if end > _MOST_BYTES:
            raise TooLargeError("it would have more than 2 GiB of tables")
        self._reversed += bytes(-end % size)

    def _refer(self, offset: int) -> None:
        self._reversed += struct.pack(">I", len(self._reversed) + 4 - offset)

    def _counted(self, content: bytes, count: int) -> int:
        self._reversed += content[::-1]
        self._reversed += struct.pack(">I", count)
        return len(self._reversed)
