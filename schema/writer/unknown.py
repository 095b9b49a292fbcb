"""Finds what a document holds beyond the layout: a newer exporter's fields, which nobody may drop.

A vtable lists one entry a slot. An entry that is not zero behind the last known slot, or in a
deprecated one, is a field that is stored and that no record here can carry. So is the content of a
union whose type is none of those known.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import cast

from pte_lint.schema.binding import Binding, BoundTable
from pte_lint.schema.fbs import Form
from pte_lint.schema.record import POSITION, Record


def unknown_fields(window: memoryview, binding: Binding, root: object) -> Iterator[str]:
    """Names every stored field that the layout does not have, such as `Tensor, slot 10`.

    Args:
        window: The document that `root` was read from, without violations.
        binding: The bound layout of its format.
        root: The decoded document.
    """
    tables = {t.record: t for t in binding.tables.values() if t.record is not None}
    unions = {
        t.name: [n for n, field in enumerate(t.fields) if field.layout.form is Form.UNION]
        for t in tables.values()
    }
    told: set[tuple[int, type]] = set()
    stack = [cast(Record, root)]
    while stack:
        record = stack.pop()
        table = tables[type(record)]
        at = getattr(record, POSITION)
        vtable = at - struct.unpack_from("<i", window, at)[0]
        for slot in unions.get(table.name, ()):
            if record[slot] is None and _entry(window, vtable, slot):
                yield f"{table.name}, a union of unknown type"
        # Tables that share a vtable have the same slots.
        if (vtable, type(record)) not in told:
            told.add((vtable, type(record)))
            yield from _beyond(window, vtable, table)
        for value in record:
            if isinstance(value, Record):
                stack.append(value)
            elif value.__class__ is tuple and value and isinstance(value[0], Record):
                stack.extend(value)


def _entry(window: memoryview, vtable: int, slot: int) -> int:
    size: int = struct.unpack_from("<H", window, vtable)[0]
    at = 4 + 2 * slot
    return int(struct.unpack_from("<H", window, vtable + at)[0]) if at + 2 <= size else 0


def _beyond(window: memoryview, vtable: int, table: BoundTable) -> Iterator[str]:
    size = struct.unpack_from("<H", window, vtable)[0]
    entries = struct.unpack_from(f"<{max(size // 2 - 2, 0)}H", window, vtable + 4)
    for slot, entry in enumerate(entries):
        is_known = slot < len(table.fields)
        if entry and not (is_known and table.fields[slot].layout.form is not Form.DEPRECATED):
            yield f"{table.name}, slot {slot}"
