"""Inputs made to make a reader hang, recurse, allocate or crash."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from pathlib import Path


def cuts(document: bytes, count: int = 200) -> Iterator[bytes]:
    """The document cut at `count` lengths, spread over all of it."""
    for index in range(count):
        yield document[: len(document) * index // count]


def noise() -> Iterator[bytes]:
    """Random bytes, plain and behind each format's identifier."""
    choice = random.Random(20)
    for size in (1, 7, 8, 11, 12, 63, 64, 65, 1000, 100_000):
        body = choice.randbytes(size)
        yield body
        for identifier in (b"ET12", b"FT01", b"BP08"):
            yield (struct.pack("<I", 8) + identifier + body)[: max(size, 8)]


def words(value: int, size: int = 200_000) -> bytes:
    """An ET12 file in which every word behind the identifier is the same."""
    return struct.pack("<I4s", 8, b"ET12") + struct.pack("<I", value) * (size // 4)


def shared_tables(width: int) -> bytes:
    """A program whose plans share one plan, whose values share one value: width squared visits.

    Each vector has `width` elements, all leading to the same table; a few kilobytes stand for
    millions of tables.
    """
    out = bytearray(struct.pack("<I4s", 0, b"ET12"))

    def vtable(entries: list[int], size: int) -> int:
        out.extend(bytes(-len(out) % 4))
        at = len(out)
        out.extend(struct.pack(f"<HH{len(entries)}H", 4 + 2 * len(entries), size, *entries))
        out.extend(bytes(-len(out) % 4))
        return at

    def table(vtable_at: int, slots: int) -> int:
        at = len(out)
        out.extend(struct.pack("<i", at - vtable_at) + bytes(4 * slots))
        return at

    def vector(to: int) -> int:
        """A vector in front of its elements' table; `to` is filled in by the caller."""
        at = len(out)
        out.extend(struct.pack("<I", width) + bytes(4 * width))
        return at

    def fill(vector_at: int, to: int) -> None:
        for index in range(width):
            place = vector_at + 4 + 4 * index
            struct.pack_into("<I", out, place, to - place)

    def link(place: int, to: int) -> None:
        struct.pack_into("<I", out, place, to - place)

    program_vtable = vtable([0, 4], 8)
    plan_vtable = vtable([0, 0, 4], 8)
    value_vtable = vtable([], 4)
    program = table(program_vtable, 1)
    plans = vector(0)
    link(program + 4, plans)
    plan = table(plan_vtable, 1)
    fill(plans, plan)
    values = vector(0)
    link(plan + 4, values)
    value = table(value_vtable, 0)
    fill(values, value)
    struct.pack_into("<I", out, 0, program)
    out.extend(bytes(64))
    return bytes(out)


def edited_lengths(document: bytes) -> Iterator[bytes]:
    """The document with each word in turn set to 2^32 - 1, and to 2^31 - 1."""
    for at in range(0, len(document) - 3, 4):
        for value in (0xFFFFFFFF, 0x7FFFFFFF):
            yield document[:at] + struct.pack("<I", value) + document[at + 4 :]


def zeroed(document: bytes) -> Iterator[bytes]:
    """The document with each word in turn set to 0: offsets that lead to themselves."""
    for at in range(0, len(document) - 3, 4):
        yield document[:at] + bytes(4) + document[at + 4 :]


def all_inputs(sample: Path) -> Iterator[bytes]:
    """Every hostile input, those made from a good program included."""
    document = sample.read_bytes()
    yield b""
    yield from noise()
    yield from cuts(document)
    yield from edited_lengths(document)
    yield from zeroed(document)
    for value in (0, 1, 4, 8, 12, 0xFFFFFFFF, 0x00010001, 0x00040004):
        yield words(value)
    for width in (10, 1000, 5000):
        yield shared_tables(width)
    yield document.replace(b"forward", b"\xff\xfe\x80ard\x00")
