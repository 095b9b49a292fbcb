"""Edits of a file as a whole: header, identifier, root offset, segments, size."""

from __future__ import annotations

from random import Random

from pte_lint.schema.program import DataSegment, Program

from tests.fuzz.edits import Edit, FieldEdit, LayoutEdit
from tests.fuzz.subject import Document

_U64 = 2**64


def layout_edit(rng: Random, document: Document, written: bytes, file: int = 0) -> Edit:
    """One edit of the layout, or of the segment table.

    Args:
        rng: What draws.
        document: The document to be edited.
        written: The document as a file, to choose numbers near the right ones.
        file: 0 for the program, 1 and up for its data files.

    Raises:
        LookupError: There is nothing of the kind that was drawn.
    """
    if rng.random() < 0.35:
        return _segment(rng, document, len(written), file)
    field, value = _field(rng, document, written)
    return LayoutEdit("layout", field, value, file)


def _field(rng: Random, document: Document, written: bytes) -> tuple[str, object]:
    size = len(written)
    is_program = isinstance(document.root, Program)
    program_size, base, data = (
        int.from_bytes(written[at : at + 8], "little")
        for at in ((16, 24, 32) if is_program else (24, 32, 40))
    )
    field = rng.choice(
        ("header", "identifier", "root_offset", "magic", "header_length", "header_room",
         "program_size", "segment_base_offset", "segment_data_size", "trailing", "size",
         "segment_alignment", "flatbuffer_offset")
    )  # fmt: skip
    if field == "header":
        return field, False
    if field == "identifier":
        return field, rng.choice([b"ET13", b"FT01", b"BP08", b"\0\0\0\0", b"et12"])
    if field == "root_offset":
        return field, rng.choice([0, 4, 7, 8, 12, 16, size - 4, size - 3, size, 2**31, 2**32 - 1])
    if field == "magic":
        return field, rng.choice([b"eh01", b"EH00", b"\0\0\0\0", b"FH01", b"FH02"])
    if field == "header_length":
        return field, rng.choice([0, 8, 23, 24, 31, 32, 33, 39, 40, 41, 64, 2**31, 2**32 - 1])
    if field == "header_room":
        return field, rng.choice([32, 48, 64, 128])
    if field == "trailing":
        return field, bytes(rng.choice([1, 16, 100]))
    if field == "size":
        return field, rng.choice([0, 7, 63, 64, size // 2, size - 1, size - 16, program_size])
    if field == "segment_alignment":
        return field, rng.choice([1, 16, 64, 256])
    near = {
        "program_size": program_size,
        "segment_base_offset": base,
        "segment_data_size": data,
        "flatbuffer_offset": 48,
    }[field]
    choices = (0, 1, 7, 8, near - 1, near + 1, near - 16, near + 16, near // 2, near * 2, size,
               size - 1, size + 1, 2**31, 2**63, _U64 - 1, _U64 - near)  # fmt: skip
    return field, rng.choice(choices) % _U64


def _segment(rng: Random, document: Document, size: int, file: int) -> FieldEdit:
    segments = list(document.root.segments or ())
    if not segments:
        raise LookupError("no segments")
    number = rng.randrange(len(segments))
    old = segments[number]
    field = rng.choice(("offset", "size"))
    near = getattr(old, field)
    value = rng.choice(
        (0, near - 1, near + 1, near + 16, near // 2, near * 2, size, size + 1, 2**63,
         _U64 - 1, _U64 - size, _U64 - 64)
    ) % _U64  # fmt: skip
    offset, length = (value, old.size) if field == "offset" else (old.offset, value)
    segments[number] = DataSegment(offset, length)
    return FieldEdit(
        "layout", (("segments", tuple(segments)),), f"{field} of segment {number} is {value}", file
    )
