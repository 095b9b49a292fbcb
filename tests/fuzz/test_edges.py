"""Every number of small files next to what it is: of the header, and of each field of each table.

As in `test_drawn.py` nothing here tells whether what is said is right; there the edits are drawn
from large programs, here they are all that there are of small ones.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.data_builder import DataTensor, build_data
from pte_lint.testing.program_builder import build_program
from tests.fuzz.fieldmap import FieldKind, Place, field_map
from tests.fuzz.judged import judged
from tests.fuzz.subject import Document, data_document, program_document
from tests.support.examples import counter, delegated, externally, scaler
from tests.support.golden import check_golden
from tests.support.said import in_short

GOLDEN = Path(__file__).parent / "golden" / "edges"

DATA = build_data({"w": DataTensor([1, 2, 3, 4], (2, 2))}).bytes()


def _device() -> MethodBuilder:
    b = MethodBuilder()
    there = b.h2d(b.input((2, 2)))
    (result,) = b.delegate("CudaBackend", [there], outputs=[(2, 2)], device="cuda:0")
    b.output(b.d2h(result))
    return b


def _flow() -> MethodBuilder:
    """A jump, a list, a view, a scalar and a move."""
    b = MethodBuilder()
    x, end = b.input((2, 3)), Label()
    size, kept = b.int_value(2), b.int_value(0)
    flat = b.call("aten::view_copy.out", x, b.ints([3, 2]), out=(3, 2))
    both = b.tensor((6, 2))
    b.call("aten::cat.out", b.tensor_list([flat, flat]), b.int_value(0), out=both)
    b.jump_false(b.bool_value(True), end)
    b.move(size, kept)
    b.mark(end)
    b.output(both)
    return b


METHODS: dict[str, Callable[[], MethodBuilder]] = {
    "scaler": scaler, "counter": counter, "delegated": delegated, "externally": externally,
    "device": _device, "flow": _flow,
}  # fmt: skip


def _told(cases: Iterator[tuple[str, bytes, tuple[bytes, ...]]]) -> str:
    lines = []
    for label, program, data in cases:
        report, _ = judged(program, data)
        lines += [label, *(f"    {line}" for line in in_short(report.artifacts[0]))]
    return "\n".join(lines) + "\n"


def _data_of(name: str) -> tuple[bytes, ...]:
    return (DATA,) if name == "externally" else ()


def _frames(document: Document) -> Iterator[tuple[str, bytes]]:
    whole = document.written()
    size, length = len(whole), int.from_bytes(whole[12:16], "little")
    words = [whole[at : at + 8] for at in range(16, 8 + length, 8)]
    names = ("program_size", "segment_base_offset", "segment_data_size")
    right = [int.from_bytes(word, "little") for word in words[-3:]]
    for name, was in zip(names, right, strict=True):
        ends = (was - 128, was - 1, was + 1, was + 128, 0, 1, 15, size - 1, size, size + 1)
        for value in dict.fromkeys((*ends, 2**32, 2**63, 2**64 - 1)):
            if 0 <= value != was:
                yield f"{name} = {value}", document.with_layout(**{name: value}).written()
    for value in (0, 8, 23, 24, 25, 31, 32, 33, 39, 40, 41, 64):
        yield f"header_length = {value}", document.with_layout(header_length=value).written()
    for value in (0, 4, 8, size - 4, size - 1, size, 2**32 - 1):
        yield f"root_offset = {value}", document.with_layout(root_offset=value).written()
    for value in (0, 1, 4, 7, 8, 11, 12, 31, 32, 39, 40, 63, 64, right[0] - 1, right[0],
                  right[1] - 1, right[1], right[1] + 1, size - 1):  # fmt: skip
        yield f"cut to {value}", whole[:value]
    for trailing in (1, 15, 16, 17, 128):
        yield f"{trailing} bytes more", whole + bytes(trailing)
        yield f"{trailing} bytes more of something", whole + b"\1" * trailing
    yield "another magic", document.with_layout(magic=b"eh01").written()
    yield "another version", document.with_layout(identifier=whole[4:7] + b"9").written()
    yield "another identifier", document.with_layout(identifier=b"abcd").written()


@pytest.mark.parametrize("name", ["scaler", "delegated", "counter", "no program"])
def test_frames_of_programs(name: str) -> None:
    method = METHODS.get(name, scaler)()
    document = program_document(build_program(method).bytes())
    if name == "no program":
        document = document.with_layout(identifier=b"abcd")
    cases = ((label, file, ()) for label, file in _frames(document))
    check_golden(GOLDEN / f"frame of {name}.txt", _told(cases))


def test_frames_of_data() -> None:
    program = build_program(externally()).bytes()
    cases = ((label, program, (file,)) for label, file in _frames(data_document(DATA)))
    check_golden(GOLDEN / "frame of data.txt", _told(cases))


_RANGES = {
    "u8": (0, 2**8 - 1), "i8": (-(2**7), 2**7 - 1), "i32": (-(2**31), 2**31 - 1),
    "u32": (0, 2**32 - 1), "i64": (-(2**63), 2**63 - 1), "u64": (0, 2**64 - 1),
}  # fmt: skip


def _others(kind: FieldKind, place: Place) -> Iterator[tuple[str, Any]]:
    """Other values of a field: those next to it, none of it, one item less and one more."""
    value, word = place.value, kind.word.strip("[]")
    if value is not None and kind.word not in _RANGES:
        yield "None", None
    if kind.word in _RANGES:
        low, high = _RANGES[kind.word]
        for new in dict.fromkeys((value - 1, value + 1, 0, high)):
            if low <= new <= high and new != value:
                yield str(new), new
    elif isinstance(value, bool):
        yield str(not value), not value
    elif isinstance(value, str):
        yield "empty", ""
        yield "longer", value + "x"
    elif kind.word.startswith("[") and isinstance(value, tuple):
        yield "emptied", ()
        if value:
            yield "one less", value[:-1]
            yield "one more", (*value, value[-1])
            if word in _RANGES:
                yield "the first one more", (value[0] + (value[0] < _RANGES[word][1]), *value[1:])
                yield "the last one less", (*value[:-1], max(value[-1] - 1, _RANGES[word][0]))


def _fields(document: Document) -> Iterator[tuple[str, bytes]]:
    for kind, places in field_map(document.root).items():
        # Of many alike the first and the last.
        for place in places if len(places) < 4 else (places[0], places[-1]):
            for label, value in _others(kind, place):
                try:
                    file = document.with_field(place.path, value).written()
                except (TypeError, ValueError, AttributeError, struct.error):
                    continue  # The format cannot say that.
                yield f"{place.path} = {label}", file


PARTS = 6
"""Tests of few seconds: a change of the product meets a small one first."""


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", METHODS)
def test_fields_of_programs(name: str, part: int) -> None:
    document = program_document(build_program(METHODS[name]()).bytes())
    chosen = islice(_fields(document), part, None, PARTS)
    cases = ((label, file, _data_of(name)) for label, file in chosen)
    check_golden(GOLDEN / f"fields of {name}" / f"{part}.txt", _told(cases))


def test_fields_of_data() -> None:
    program = build_program(externally()).bytes()
    cases = ((label, program, (file,)) for label, file in _fields(data_document(DATA)))
    check_golden(GOLDEN / "fields of data.txt", _told(cases))
