"""Writes any table of the three formats with ``flatbuffers.Builder``, keeping every field."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

import flatbuffers  # type: ignore[import-untyped]
from flatbuffers import number_types

from pte_lint.schema.program import Span
from pte_lint.testing.layout import SLOTS

_SCALARS: dict[str, tuple[Any, str]] = {
    "u8": (number_types.Uint8Flags, "B"),
    "i8": (number_types.Int8Flags, "b"),
    "bool": (number_types.BoolFlags, "?"),
    "i32": (number_types.Int32Flags, "i"),
    "u32": (number_types.Uint32Flags, "I"),
    "i64": (number_types.Int64Flags, "q"),
    "u64": (number_types.Uint64Flags, "Q"),
    "f64": (number_types.Float64Flags, "d"),
}


class TableWriter:
    """Turns the dataclasses of ``pte_lint.schema`` into one flatbuffer.

    ``None`` is an absent field and ``()`` an empty vector, as in the dataclasses. A ``None`` inside
    a vector of tables becomes a zero offset. A union is written with the code the dataclass holds,
    whatever its content is.

    Attributes:
        source: The bytes that the dataclasses' `Span`s point into.
    """

    def __init__(self, source: bytes = b"") -> None:
        self.source = source
        self._builder = flatbuffers.Builder(1024)

    def finish(self, root: Any, identifier: bytes) -> bytes:
        """Writes ``root`` and everything under it; returns the flatbuffer.

        Raises:
            TypeError, struct.error: A number does not fit its field.
            ValueError: A span lies outside the source.
        """
        self._builder.Finish(self._table(root), file_identifier=identifier)
        return bytes(self._builder.Output())

    def _table(self, item: Any) -> int:
        layout = SLOTS[type(item)]
        children = {
            slot: self._child(word, value)
            for slot, (name, word) in enumerate(layout)
            if word not in _SCALARS and (value := getattr(item, name)) is not None
        }
        builder = self._builder
        builder.StartObject(len(layout))
        for slot, (name, word) in enumerate(layout):
            if slot in children:
                builder.PrependUOffsetTRelativeSlot(slot, children[slot], 0)
            elif word in _SCALARS:
                value = getattr(item, name)
                if value != 0 or math.copysign(1, value) < 0:
                    builder.Prepend(_SCALARS[word][0], value)
                    builder.Slot(slot)
        return int(builder.EndObject())

    def _child(self, word: str, value: Any) -> int:
        if word in ("table", "union"):
            return self._table(value)
        if word == "[table]":
            return self._tables(value)
        if word == "str":
            return int(self._builder.CreateString(value.encode("utf-8", "surrogateescape")))
        if word == "bytes":
            return self._vector(value, 1, 1)
        if word.startswith("span"):
            return self._vector(self._spanned(value), 1, int(word[4:]))
        code = _SCALARS[word[1:-1]][1]
        packed = struct.pack(f"<{len(value)}{code}", *value)
        width = struct.calcsize(f"<{code}")
        return self._vector(packed, width, width)

    def _tables(self, items: Sequence[Any]) -> int:
        offsets = [None if item is None else self._table(item) for item in items]
        builder = self._builder
        builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            if offset is None:
                builder.PrependUint32(0)
            else:
                builder.PrependUOffsetTRelative(offset)
        return int(builder.EndVector())

    def _vector(self, packed: bytes, width: int, alignment: int) -> int:
        """A vector whose content is already encoded; ``width`` is one element's bytes."""
        builder = self._builder
        builder.StartVector(width, len(packed) // width, alignment)
        start = builder.Head() - len(packed)
        builder.head = start
        builder.Bytes[start : start + len(packed)] = packed
        return int(builder.EndVector())

    def _spanned(self, span: Span) -> bytes:
        if not 0 <= span.start <= span.start + span.size <= len(self.source):
            raise ValueError(f"{span} lies outside the {len(self.source)} source bytes")
        return self.source[span.start : span.start + span.size]
