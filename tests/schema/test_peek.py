"""Whether a table stores a field, at the edges of table, vtable and file."""

from __future__ import annotations

import struct

import pytest
from pte_lint.schema.peek import stores_field


def table(*entries: int, vtable_size: int | None = None, before: int = 0) -> tuple[bytes, int]:
    """A vtable with entries, and right behind it its table of four bytes; where that is."""
    size = 4 + 2 * len(entries)
    vtable = struct.pack(f"<HH{len(entries)}H", vtable_size or size, 8, *entries)
    return bytes(before) + vtable + struct.pack("<i", size), before + size


@pytest.mark.parametrize(
    ("slot", "expected"), [(0, True), (1, False), (2, True), (3, False), (4, False)]
)
def test_entries(slot: int, expected: bool) -> None:
    for before in (0, 6):
        content, at = table(4, 0, 256, before=before)
        assert stores_field(content, at, slot) is expected


def test_a_vtable_that_ends_before_the_entry() -> None:
    content, at = table(4, 4, 4, vtable_size=8)
    assert [stores_field(content, at, slot) for slot in range(3)] == [True, True, False]
    content, at = table(4, 4, 4, vtable_size=9)
    assert [stores_field(content, at, slot) for slot in range(3)] == [True, True, False]


def test_tables_and_vtables_that_leave_the_file() -> None:
    content, at = table(4)
    assert stores_field(content, at, 0)
    assert not stores_field(content, at + 1, 0)
    assert not stores_field(content, -1, 0)
    assert not stores_field(content[:-1], at, 0)
    outside = struct.pack("<i", 1) + content
    assert not stores_field(outside, 0, 0)
    # Behind the table, to the last byte of the file.
    behind = struct.pack("<i", -4) + struct.pack("<HHH", 6, 8, 4)
    assert stores_field(behind, 0, 0)
    assert not stores_field(behind[:-1], 0, 0)
