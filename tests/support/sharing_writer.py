"""Writes programs in which references share their targets, as no exporter does.

Each record, tuple and string that is one object is written once, whatever refers to it: a few
kilobytes can refer to one table thousands of times. Targets stand behind everything that refers to
them, since offsets only lead forward.
"""

from __future__ import annotations

import struct
from typing import Any

from pte_lint.schema.fbs import FieldLayout, Form, layout
from pte_lint.schema.program import Program

_LAYOUT = layout("program")
_Key = tuple[int, str]


def write_shared(program: Program, segments: bytes = b"") -> bytes:
    """The bytes of a .pte with an extended header.

    Args:
        program: The program; an object that it refers to several times is written once. Vectors of
            bytes are given as `bytes`.
        segments: What follows the program.
    """
    return _Writer().write(program, segments)


class _Writer:
    def __init__(self) -> None:
        self._levels: dict[_Key, int] = {}
        self._things: dict[_Key, tuple[Any, FieldLayout | None]] = {}
        self._at: dict[_Key, int] = {}
        self._links: list[tuple[int, _Key]] = []
        self._out = bytearray()

    def write(self, program: Program, segments: bytes) -> bytes:
        root = self._visit(program, "Program", None, 0)
        # Root offset, identifier, and an extended header that is filled in at the end.
        self._out += struct.pack("<I4s4sIQQQ", 0, b"ET12", b"eh00", 32, 0, 0, len(segments))
        for key in sorted(self._things, key=self._levels.__getitem__):
            self._write(key)
        for place, key in [(0, root), *self._links]:
            struct.pack_into("<I", self._out, place, self._at[key] - place)
        self._out += bytes(-len(self._out) % 16)
        struct.pack_into("<QQ", self._out, 16, len(self._out), len(self._out))
        return bytes(self._out) + segments

    def _visit(self, thing: Any, kind: str, field: FieldLayout | None, level: int) -> _Key:
        key = id(thing), kind
        if self._levels.get(key, -1) >= level:
            return key
        self._levels[key] = level
        self._things[key] = thing, field
        if field is None:
            for child, slot in _outside(thing, kind):
                self._visit(child, *_kind(slot, thing), level + 1)
        elif field.form is Form.TABLES:
            for child in thing:
                self._visit(child, field.target, None, level + 1)
        return key

    def _write(self, key: _Key) -> None:
        thing, field = self._things[key]
        self._out += bytes(-len(self._out) % 8)
        if field is None:
            self._table(key, thing)
            return
        if field.form is Form.SCALARS and field.size == 8:
            self._out += bytes(4)
        self._at[key] = len(self._out)
        if field.form is Form.STRING:
            content = thing.encode()
            self._out += struct.pack("<I", len(content)) + content + b"\0"
        elif field.form is Form.TABLES:
            start = len(self._out) + 4
            self._out += struct.pack("<I", len(thing)) + bytes(4 * len(thing))
            places = enumerate(thing)
            self._links += [(start + 4 * n, (id(each), field.target)) for n, each in places]
        else:
            self._out += struct.pack(f"<I{len(thing)}{field.code}", len(thing), *thing)

    def _table(self, key: _Key, thing: Any) -> None:
        slots = _LAYOUT.tables[key[1]]
        entries, end, inline = [0] * len(slots), 4, bytearray(4)
        links = []
        for slot, value in zip(slots, thing, strict=False):
            if slot.form is Form.DEPRECATED or value is None:
                continue
            code, size = (slot.code, slot.size) if slot.form.is_inline else ("I", 4)
            end += -end % size
            inline += bytes(end - len(inline))
            entries[slot.slot] = end
            inline += struct.pack(f"<{code}", value if slot.form.is_inline else 0)
            if not slot.form.is_inline:
                links.append((end, (id(value), _kind(slot, thing)[0])))
            end += size
        vtable = len(self._out)
        self._out += struct.pack(f"<HH{len(slots)}H", 4 + 2 * len(slots), end, *entries)
        self._out += bytes(-len(self._out) % 8)
        self._at[key] = at = len(self._out)
        struct.pack_into("<i", inline, 0, at - vtable)
        self._out += inline
        self._links += [(at + place, target) for place, target in links]


def _outside(thing: Any, table: str) -> list[tuple[Any, FieldLayout]]:
    """What the fields of a table refer to."""
    slots = zip(_LAYOUT.tables[table], thing, strict=False)
    return [
        (value, slot)
        for slot, value in slots
        if value is not None and not slot.form.is_inline and slot.form is not Form.DEPRECATED
    ]


def _kind(slot: FieldLayout, parent: Any) -> tuple[str, FieldLayout | None]:
    """What tells targets apart that are one object in Python, and the field of a vector."""
    if slot.form is Form.TABLE:
        return slot.target, None
    if slot.form is Form.UNION:
        return _LAYOUT.unions[slot.target][parent[slot.slot - 1]], None
    return f"{slot.form} {slot.target} {slot.code}", slot
