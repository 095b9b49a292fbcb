"""Views of bytes that are at hand, and of such as may have to be fetched."""

from __future__ import annotations

import mmap
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pte_lint.schema.ranges import take, window

CONTENT = bytes(range(16))


class Lazy:
    """Bytes that note what is asked of them."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return len(CONTENT)

    def __getitem__(self, key: slice) -> bytes:
        return CONTENT[key]

    @contextmanager
    def part(self, start: int, stop: int) -> Iterator[memoryview]:
        self.asked.append((start, stop))
        yield memoryview(CONTENT)[start:stop]


def test_what_is_lazy_is_asked_for_a_part() -> None:
    lazy = Lazy()
    with window(lazy, 4, 8) as view:
        assert bytes(view) == CONTENT[4:8]
    assert lazy.asked == [(4, 8)]
    assert take(lazy, 14, 20) == CONTENT[14:]


@pytest.mark.parametrize(
    "buffer",
    [CONTENT, bytearray(CONTENT), memoryview(CONTENT), memoryview(array("I", CONTENT))],
    ids=["bytes", "bytearray", "memoryview", "of words"],
)
def test_what_is_at_hand_is_a_view_of_bytes(buffer: bytes | bytearray | memoryview) -> None:
    with window(buffer, 4, 8) as view:
        assert (view.format, bytes(view)) == ("B", CONTENT[4:8])
    with pytest.raises(ValueError, match="released"):
        bytes(view)


def test_a_mapped_file(tmp_path: Path) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(CONTENT)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        with window(mapped, 15, 99) as view:
            assert bytes(view) == CONTENT[15:]
        assert take(mapped, 0, 2) == CONTENT[:2]
