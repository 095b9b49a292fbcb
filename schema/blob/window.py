"""A bounds-checked look at a blob, for formats that are plain structs and not flatbuffers."""

from __future__ import annotations

import struct
from contextlib import AbstractContextManager

from pte_lint.schema.program import Span
from pte_lint.schema.ranges import Buffer, take, window


class OutsideError(Exception):
    """A field lies outside the blob; internal to describing."""

    def __init__(self, at: int, what: str) -> None:
        super().__init__(f"{what} lies outside the blob")
        self.at = at


class TooLargeError(OutsideError):
    """A part is larger than any tool writes it, and is not read; internal to describing."""

    def __init__(self, at: int, what: str) -> None:
        super().__init__(at, what)
        self.args = (f"{what} is larger than is read",)


class Window:
    """A blob's bytes. Positions are relative to its first byte; only what is asked for is read."""

    def __init__(self, buffer: Buffer, span: Span) -> None:
        """Looks at `span` of the file `buffer`, which must lie inside it."""
        self.span = span
        self._buffer = buffer

    def __len__(self) -> int:
        return self.span.size

    @property
    def start(self) -> int:
        """The blob's first byte in the file."""
        return self.span.start

    def take(self, at: int, size: int, what: str = "a field") -> bytes:
        """Returns a copy of `size` bytes.

        Raises:
            OutsideError: They are not all there.
        """
        if at < 0 or size < 0 or at + size > len(self):
            raise OutsideError(self.start + min(max(0, at), len(self)), what)
        return take(self._buffer, self.start + at, self.start + at + size)

    def part(self, at: int, size: int) -> AbstractContextManager[memoryview]:
        """A view of `size` bytes, fewer where the blob ends."""
        stop = min(at + size, len(self))
        return window(self._buffer, self.start + min(at, stop), self.start + stop)

    def within(self, at: int, size: int) -> Window:
        """A look at a part.

        Raises:
            OutsideError: It is not all there.
        """
        if at < 0 or size < 0 or at + size > len(self):
            raise OutsideError(self.start + min(max(0, at), len(self)), "a part")
        return Window(self._buffer, Span(self.start + at, size))

    def look(self, at: int, size: int) -> bytes:
        """Returns a copy of `size` bytes, fewer where the blob ends."""
        stop = min(at + size, len(self))
        return take(self._buffer, self.start + min(at, stop), self.start + stop)

    def unpack(self, text: str, at: int, what: str = "a field") -> tuple[int, ...]:
        """Returns the integers of a struct format.

        Raises:
            OutsideError: They are not all there.
        """
        return struct.unpack(text, self.take(at, struct.calcsize(text), what))

    def starts_with(self, magic: bytes, at: int = 0) -> bool:
        """Whether the bytes at `at` are `magic`."""
        return self.look(at, len(magic)) == magic
