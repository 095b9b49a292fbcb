"""Looks at the bytes of a table for what decoding leaves out."""

from __future__ import annotations

from pte_lint.schema.container import Buffer


def stores_field(buffer: Buffer, at: int, slot: int) -> bool:
    """Whether a table has an entry for a field, other than by its default.

    Args:
        buffer: The file.
        at: Where the table is in it.
        slot: The field's position in the layout, a union's code counted as a field of its own.

    Returns:
        False also where the table or its vtable leaves the file.
    """

    def read(start: int, size: int, signed: bool = False) -> int:
        return int.from_bytes(bytes(buffer[start : start + size]), "little", signed=signed)

    if not 0 <= at <= len(buffer) - 4:
        return False
    vtable = at - read(at, 4, signed=True)
    entry = 4 + 2 * slot
    if not 0 <= vtable <= len(buffer) - entry - 2 or read(vtable, 2) < entry + 2:
        return False
    return read(vtable + entry, 2) != 0
