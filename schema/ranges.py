"""Ranges of an artifact's bytes: in place where it is at hand, fetched where it is far away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from mmap import mmap
from typing import Protocol


class LazyBytes(Protocol):
    """Bytes that are not all here, or are watched: what is taken of them may be fetched first.

    Taking one may raise `NotFetchedError` (the bytes are there, but a limit forbids to fetch them)
    and OSError (they cannot be had).
    """

    def __len__(self) -> int:
        """The size in bytes, known without fetching."""
        ...

    def __getitem__(self, key: slice, /) -> bytes:
        """Returns the bytes of a slice without a step, as `bytes` would."""
        ...

    def part(self, start: int, stop: int, /) -> AbstractContextManager[memoryview]:
        """A view (format "B") of a range, valid inside the `with` block."""
        ...


Buffer = bytes | bytearray | memoryview | mmap | LazyBytes
"""What an artifact can be read from."""


def take(buffer: Buffer, start: int, stop: int) -> bytes:
    """Returns a copy of the bytes from `start` to `stop`, fewer where the buffer ends."""
    return bytes(buffer[start:stop])


@contextmanager
def window(buffer: Buffer, start: int, stop: int) -> Iterator[memoryview]:
    """Yields a view (format "B") of the bytes from `start` to `stop`, without copying them.

    What is lazy is fetched. The view is valid inside the `with` block only.
    """
    if isinstance(buffer, bytes | bytearray | memoryview | mmap):
        with memoryview(buffer) as raw, raw.cast("B") as view, view[start:stop] as part:
            yield part
    else:
        with buffer.part(start, stop) as part:
            yield part
