"""Writes a table of any layout from plain dicts, for formats that have no writer of their own."""

from __future__ import annotations

from functools import partial
from typing import Any

import flatbuffers  # type: ignore[import-untyped]
from flatbuffers import number_types
from pte_lint.schema.fbs import FieldLayout, Form, Layout

_FLAGS = {
    "?": number_types.BoolFlags,
    "b": number_types.Int8Flags,
    "B": number_types.Uint8Flags,
    "h": number_types.Int16Flags,
    "H": number_types.Uint16Flags,
    "i": number_types.Int32Flags,
    "I": number_types.Uint32Flags,
    "q": number_types.Int64Flags,
    "Q": number_types.Uint64Flags,
    "f": number_types.Float32Flags,
    "d": number_types.Float64Flags,
}


def write_document(layout: Layout, root: dict[str, Any], identifier: bytes | None = None) -> bytes:
    """Returns a flatbuffer. Fields not named are absent; a union's type is a field as any other.

    Args:
        layout: The format.
        root: Field name -> number, string, bytes, list, or dict for a table.
        identifier: The file identifier; the layout's by default.
    """
    builder = flatbuffers.Builder(256)
    end = _table(builder, layout, layout.root, root)
    builder.Finish(end, file_identifier=identifier or layout.identifier or None)
    return bytes(builder.Output())


def _table(builder: Any, layout: Layout, name: str, content: dict[str, Any]) -> int:
    fields = layout.tables[name]
    unknown = set(content) - {field.name for field in fields}
    assert not unknown, f"{name} has no {unknown}"
    offsets = {
        field.slot: _child(builder, layout, field, content)
        for field in fields
        if field.name in content and not field.form.is_inline
    }
    builder.StartObject(len(fields))
    for field in fields:
        if field.slot in offsets:
            builder.PrependUOffsetTRelativeSlot(field.slot, offsets[field.slot], 0)
        elif field.name in content:
            builder.PrependSlot(_FLAGS[field.code], field.slot, content[field.name], None)
    return int(builder.EndObject())


def _child(builder: Any, layout: Layout, field: FieldLayout, content: dict[str, Any]) -> int:
    value = content[field.name]
    if field.form is Form.STRING:
        return int(builder.CreateString(value))
    if field.form is Form.TABLE:
        return _table(builder, layout, field.target, value)
    if field.form is Form.UNION:
        member = layout.unions[field.target][content[f"{field.name}_type"]]
        return _table(builder, layout, member, value)
    if field.form in (Form.TABLES, Form.STRINGS):
        make = builder.CreateString
        if field.form is Form.TABLES:
            make = partial(_table, builder, layout, field.target)
        items = [make(item) for item in value]
        builder.StartVector(4, len(items), 4)
        for item in reversed(items):
            builder.PrependUOffsetTRelative(item)
        return int(builder.EndVector())
    if field.form is Form.SCALARS:
        builder.StartVector(field.size, len(value), max(field.size, field.force_align))
        for item in reversed(value):
            builder.Prepend(_FLAGS[field.code], item)
        return int(builder.EndVector())
    raise AssertionError(f"{field.name}: {field.form} is not written")
