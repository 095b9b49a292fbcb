"""A bounds-checked view of a blob, for formats that are plain structs and not flatbuffers."""

from __future__ import annotations

import struct

from pte_lint.schema.program import Span


class OutsideError(Exception):
    """A field lies outside the blob; internal to describing."""

    def __init__(self, at: int, what: str) -> None:
        super().__init__(f"{what} lies outside the blob")
        self.at = at


class Window:
    """A blob's bytes. Positions are relative to its first byte."""

    def __init__(self, view: memoryview, start: int) -> None:
        """Wraps `view`, which begins at byte `start` of the file."""
        self.view = view
        self.start = start

    def __len__(self) -> int:
        return len(self.view)

    @property
    def span(self) -> Span:
        """The blob's bytes in the file."""
        return Span(self.start, len(self.view))

    def take(self, at: int, size: int, what: str = "a field") -> bytes:
        """Returns a copy of `size` bytes.

        Raises:
            OutsideError: They are not all there.
        """
        if at < 0 or size < 0 or at + size > len(self.view):
            raise OutsideError(self.start + min(max(0, at), len(self.view)), what)
        return bytes(self.view[at : at + size])

    def unpack(self, text: str, at: int, what: str = "a field") -> tuple[int, ...]:
        """Returns the integers of a struct format.

        Raises:
            OutsideError: They are not all there.
        """
        return struct.unpack(text, self.take(at, struct.calcsize(text), what))

    def starts_with(self, magic: bytes, at: int = 0) -> bool:
        """Whether the bytes at `at` are `magic`."""
        return self.view[at : at + len(magic)] == magic
