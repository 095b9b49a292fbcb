"""A small format of the tests' own, with every kind of field, and edits at known places."""

from __future__ import annotations

import struct
from typing import Any

import flatbuffers  # type: ignore[import-untyped]
from pte_lint.schema import fbs
from pte_lint.schema.binding import Binding, bind
from pte_lint.schema.flatbuffer import Decoded, decode
from pte_lint.schema.program import Span
from pte_lint.schema.record import record

TEXT = """
// Every form a slot can have.
file_identifier "TEST";
enum Colour : ubyte { RED, GREEN = 5, BLUE }
table Leaf { number: int; }
table Pair { left: long = -1; right: bool = true; }
union Either { Leaf, Pair }
table Root {
  tiny: byte;
  wide: long;
  colour: Colour = GREEN;
  text: string;
  leaf: Leaf;
  either: Either;
  numbers: [int];
  raw: [ubyte];
  blob: [ubyte] (force_align: 16);
  words: [string];
  leaves: [Leaf];
  ratio: float = 0.5;
  longs: [long];
}
root_type Root;
"""


@record
class Leaf:
    number: int = 0
    at: int = 0


@record
class Pair:
    left: int = -1
    right: bool = True
    at: int = 0


@record
class Root:
    tiny: int = 0
    wide: int = 0
    colour: int = 5
    text: str | None = None
    leaf: Leaf | None = None
    either_type: int = 0
    either: Leaf | Pair | None = None
    numbers: tuple[int, ...] | None = None
    raw: bytes | None = None
    blob: Span | None = None
    words: tuple[str, ...] | None = None
    leaves: tuple[Leaf, ...] | None = None
    ratio: float = 0.5
    longs: tuple[int, ...] | None = None
    at: int = 0


SLOTS = {name: slot for slot, name in enumerate(Root.__dataclass_fields__)}
LAYOUT = fbs.parse(TEXT, lambda name: "")
BINDING: Binding = bind(LAYOUT, {"Leaf": Leaf, "Pair": Pair, "Root": Root})


def _leaf(builder: Any, number: int) -> int:
    builder.StartObject(1)
    builder.PrependInt32Slot(0, number, 0)
    return int(builder.EndObject())


def _offsets(builder: Any, items: list[int]) -> int:
    builder.StartVector(4, len(items), 4)
    for item in reversed(items):
        builder.PrependUOffsetTRelative(item)
    return int(builder.EndVector())


def good_document() -> bytes:
    """A document with every field set."""
    builder = flatbuffers.Builder(256)
    text = builder.CreateString("hello")
    words = _offsets(builder, [builder.CreateString(word) for word in ("a", "", "bcd")])
    leaves = _offsets(builder, [_leaf(builder, number) for number in (7, 8, 9)])
    leaf = _leaf(builder, -3)
    builder.StartObject(2)
    builder.PrependInt64Slot(0, 1 << 40, -1)
    builder.PrependBoolSlot(1, False, True)
    pair = builder.EndObject()
    builder.StartVector(4, 3, 4)
    for number in (30, -20, 10):
        builder.PrependInt32(number)
    numbers = builder.EndVector()
    builder.StartVector(8, 2, 8)
    builder.PrependInt64(-2)
    builder.PrependInt64(1 << 60)
    longs = builder.EndVector()
    raw = builder.CreateByteVector(b"\x01\x02\xff")
    blob = builder.CreateByteVector(bytes(range(40)))
    builder.StartObject(len(SLOTS) - 1)
    builder.PrependInt8Slot(SLOTS["tiny"], -5, 0)
    builder.PrependInt64Slot(SLOTS["wide"], -(1 << 50), 0)
    builder.PrependUint8Slot(SLOTS["colour"], 6, 5)
    builder.PrependUint8Slot(SLOTS["either_type"], 2, 0)
    builder.PrependFloat32Slot(SLOTS["ratio"], 0.25, 0.5)
    for name, offset in (
        ("text", text), ("leaf", leaf), ("either", pair), ("numbers", numbers), ("raw", raw),
        ("blob", blob), ("words", words), ("leaves", leaves),
        ("longs", longs),
    ):  # fmt: skip
        builder.PrependUOffsetTRelativeSlot(SLOTS[name], offset, 0)
    builder.Finish(builder.EndObject(), file_identifier=b"TEST")
    return bytes(builder.Output())


def read(document: bytes, *, origin: int = 0) -> Decoded:
    """Decodes a document of the small format."""
    return decode(memoryview(document), BINDING, origin=origin)


class Editor:
    """A document whose parts can be found and overwritten."""

    def __init__(self, document: bytes | None = None) -> None:
        self.bytes = bytearray(good_document() if document is None else document)

    def get(self, code: str, at: int) -> int:
        """The number at a position."""
        return int(struct.unpack_from(f"<{code}", self.bytes, at)[0])

    def put(self, code: str, at: int, value: int) -> Editor:
        """Overwrites the number at a position."""
        struct.pack_into(f"<{code}", self.bytes, at, value)
        return self

    @property
    def root(self) -> int:
        """Position of the root table."""
        return self.get("I", 0)

    def vtable(self, table: int) -> int:
        """Position of a table's vtable."""
        return table - self.get("i", table)

    def entry(self, name: str) -> int:
        """Position of a root field's vtable entry."""
        return self.vtable(self.root) + 4 + 2 * SLOTS[name]

    def inline(self, name: str) -> int:
        """Position of a root field's inline value or offset."""
        return self.root + self.get("H", self.entry(name))

    def target(self, name: str) -> int:
        """Position that a root field's offset leads to."""
        place = self.inline(name)
        return place + self.get("I", place)

    def read(self) -> Decoded:
        """Decodes the edited document."""
        return read(bytes(self.bytes))
