"""Writes the records of any bound layout as one flatbuffer, keeping every field.

The encoding is `flatbuffers.Builder`'s; which slot holds what comes from the same layout that the
readers follow, so a field is described once.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any, cast

from pte_lint.schema.binding import Binding, BoundField, BoundTable, Delivery
from pte_lint.schema.errors import UnwritableError
from pte_lint.schema.fbs import Form
from pte_lint.schema.program import Span
from pte_lint.schema.ranges import Buffer, take
from pte_lint.schema.record import Record

_SHORT = 64
"""Elements of strings and vectors up to which each mention is written: exporters share none, and
Python may give equal short ones one identity."""

_FLAGS: dict[str, str] = {
    "?": "Bool",
    "b": "Int8",
    "B": "Uint8",
    "h": "Int16",
    "H": "Uint16",
    "i": "Int32",
    "I": "Uint32",
    "q": "Int64",
    "Q": "Uint64",
    "f": "Float32",
    "d": "Float64",
}


class TableWriter:
    """Writes one document.

    `None` is an absent field and `()` an empty vector, as in the records. A union is written with
    the code that the record holds.
    """

    def __init__(self, binding: Binding, source: Buffer = b"", most_alignment: int = 1) -> None:
        """Prepares a document.

        Args:
            binding: The bound layout of its format.
            source: What the records' spans point into.
            most_alignment: Bulk bytes keep the alignment that they have in the source, up to so
                many bytes: exporters align them by settings that the file does not hold.
        """
        self._tables: dict[type, BoundTable] = {
            table.record: table for table in binding.tables.values() if table.record is not None
        }
        self._identifier = binding.layout.identifier
        self._source = source
        self._most_alignment = most_alignment
        # Imported where something is written: the package imports numpy where that is installed.
        import flatbuffers  # type: ignore[import-untyped]
        from flatbuffers import number_types

        self._builder = flatbuffers.Builder(1024)
        self._flags = {code: getattr(number_types, f"{n}Flags") for code, n in _FLAGS.items()}
        self._too_large = flatbuffers.builder.BuilderSizeError
        self._written: dict[tuple[int, object], int] = {}
        self._kept: list[object] = []
        """What was written, so that nothing else can get the identity of it."""
        self.alignment = 1
        """The largest alignment in bytes that anything written so far asks for."""

    def finish(self, root: object) -> bytes:
        """Writes `root` and everything under it; returns the flatbuffer.

        Raises:
            UnwritableError: A number does not fit its field, or a span lies outside the source.
        """
        try:
            self._builder.Finish(self._table(cast(Record, root)), file_identifier=self._identifier)
        except struct.error as exc:
            raise UnwritableError(f"a number does not fit its field ({exc})") from exc
        except (TypeError, ValueError, self._too_large) as exc:
            raise UnwritableError(str(exc)) from exc
        return bytes(self._builder.Output())

    def _once(self, value: object, kind: object, write: Callable[[], int]) -> int:
        """Writes what is one object once, however often it is referred to: sources may share
        tables, strings and vectors, and so be much shorter than what they say."""
        key = id(value), kind
        written = self._written.get(key)
        if written is None:
            self._kept.append(value)
            written = self._written[key] = write()
        return written

    def _table(self, record: Record) -> int:
        return self._once(record, Form.TABLE, lambda: self._new_table(record))

    def _new_table(self, record: Record) -> int:
        fields = self._tables[type(record)].fields
        children = [
            None if value is None or slot.layout.form.is_inline else self._child(slot, value)
            for slot, value in zip(fields, record, strict=False)
        ]
        builder = self._builder
        builder.StartObject(len(fields))
        for position, (slot, child) in enumerate(zip(fields, children, strict=True)):
            layout = slot.layout
            if child is not None:
                builder.PrependUOffsetTRelativeSlot(position, child, 0)
            elif layout.form.is_inline and not _is_default(record[position], layout.default):
                builder.Prepend(self._flags[layout.code], record[position])
                builder.Slot(position)
        return int(builder.EndObject())

    def _child(self, slot: BoundField, value: Any) -> int:
        layout = slot.layout
        match layout.form:
            case Form.TABLE | Form.UNION:
                return self._table(value)
            case Form.STRING:
                return self._string(value)
            case Form.SCALARS if slot.delivery is Delivery.SPAN:
                return self._bulk(value, layout.size, layout.force_align)
            case _ if len(value) > _SHORT:
                kind = layout.form, layout.code, layout.force_align
                return self._once(value, kind, lambda: self._list(slot, value))
            case _:
                return self._list(slot, value)

    def _list(self, slot: BoundField, value: Sequence[Any]) -> int:
        layout = slot.layout
        match layout.form:
            case Form.TABLES:
                return self._offsets([self._table(item) for item in value])
            case Form.STRINGS:
                return self._offsets([self._string(item) for item in value])
            case Form.SCALARS:
                packed = struct.pack(f"<{len(value)}{layout.code}", *value)
                return self._vector(packed, layout.size, max(layout.size, layout.force_align))
            case _:
                raise UnwritableError(f"{layout.name} is deprecated and cannot be written")

    def _string(self, text: str) -> int:
        def write() -> int:
            return int(self._builder.CreateString(text.encode("utf-8", "surrogateescape")))

        return self._once(text, Form.STRING, write) if len(text) > _SHORT else write()

    def _offsets(self, offsets: Sequence[int]) -> int:
        builder = self._builder
        builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            builder.PrependUOffsetTRelative(offset)
        return int(builder.EndVector())

    def _bulk(self, span: Span, width: int, least: int) -> int:
        """Bytes of the source, as they are."""
        if not 0 <= span.start <= span.start + span.size <= len(self._source):
            raise UnwritableError(f"{span} lies outside the {len(self._source)} source bytes")
        alignment = max(least, width, min(span.start & -span.start, self._most_alignment))
        content = take(self._source, span.start, span.start + span.size)
        return self._vector(content, width, alignment)

    def _vector(self, packed: bytes, width: int, alignment: int) -> int:
        """A vector whose content is encoded already; `width` is one element's bytes."""
        self.alignment = max(self.alignment, alignment)
        builder = self._builder
        builder.StartVector(width, len(packed) // width, alignment)
        start = builder.Head() - len(packed)
        builder.head = start
        builder.Bytes[start : start + len(packed)] = packed
        return int(builder.EndVector())


def _is_default(value: Any, default: Any) -> bool:
    """Whether an absent slot stands for the value: -0.0 is another number than 0.0."""
    return bool(value == default) and math.copysign(1, value) == math.copysign(1, default)
