"""A map of a flatbuffer's bytes: offsets, vtables, lengths, numbers, strings.

Walks a sound file by the layout that the tests keep for themselves, so that it shares nothing with
the reader under test.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_args, get_type_hints

from pte_lint.schema.bundled_program import BundledProgram, BundledTensor, BundledValue
from pte_lint.schema.flat_tensor import FlatTensor
from pte_lint.schema.program import Bool, Double, EValue, Instruction, Int, Program

from pte_lint.testing.builder import _KINDS
from pte_lint.testing.layout import SLOTS
from pte_lint.testing.values import CODES

_WIDTHS = {"u8": 1, "i8": 1, "bool": 1, "i32": 4, "u32": 4, "i64": 8, "u64": 8, "f64": 8}
_UNIONS: dict[type[Any], dict[int, type[Any]]] = {
    EValue: {int(code): kind for kind, code in CODES.items()},
    Instruction: {int(code): kind for kind, code in _KINDS.items()},
    BundledValue: {1: BundledTensor, 2: Int, 3: Bool, 4: Double},
}


@dataclass
class Atlas:
    """Byte positions in a file, by what they hold.

    Attributes:
        end: End of the flatbuffer.
        tables: Where tables start; their first four bytes point back to their vtable.
        vtables: Position and size in bytes of each vtable.
        offsets: 32-bit offsets to tables, vectors and strings.
        lengths: Lengths of vectors and strings.
        scalars: Position and width of stored numbers, elements of vectors included.
        strings: Where strings start (their length).
    """

    end: int = 0
    tables: list[int] = field(default_factory=list)
    vtables: dict[int, int] = field(default_factory=dict)
    offsets: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    scalars: list[tuple[int, int]] = field(default_factory=list)
    strings: list[int] = field(default_factory=list)


_Root = type[Program] | type[FlatTensor] | type[BundledProgram]


def atlas(file: bytes, root: _Root = Program) -> Atlas:
    """Maps a sound file."""
    found = Atlas(end=len(file))
    _Walk(file, found).table(_u32(file, 0), root)
    found.offsets.append(0)
    return found


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


def _u32(file: bytes, at: int) -> int:
    return int.from_bytes(file[at : at + 4], "little")


class _Walk:
    def __init__(self, file: bytes, found: Atlas) -> None:
        self.file = file
        self.found = found
        self.seen: set[tuple[int, Any]] = set()

    def table(self, at: int, kind: type[Any]) -> None:
        if (at, kind) in self.seen:
            return
        self.seen.add((at, kind))
        file, found = self.file, self.found
        found.tables.append(at)
        vtable = at - int.from_bytes(file[at : at + 4], "little", signed=True)
        size = int.from_bytes(file[vtable : vtable + 2], "little")
        found.vtables[vtable] = size
        slots = struct.unpack_from(f"<{(size - 4) // 2}H", file, vtable + 4)
        hints = _hints(kind)
        code = 0
        for (name, word), slot in zip(SLOTS[kind], slots, strict=False):
            if not slot:
                continue
            here = at + slot
            if word in _WIDTHS:
                found.scalars.append((here, _WIDTHS[word]))
                code = file[here]
                continue
            found.offsets.append(here)
            self.content(here + _u32(file, here), word, hints[name], kind, code)

    def content(self, at: int, word: str, hint: Any, kind: type[Any], code: int) -> None:
        if word == "union":
            if code in _UNIONS[kind]:
                self.table(at, _UNIONS[kind][code])
            return
        if word == "table":
            self.table(at, _inner(hint))
            return
        self.found.lengths.append(at)
        length = _u32(self.file, at)
        if word == "str":
            self.found.strings.append(at)
        elif word == "[table]":
            for index in range(length):
                place = at + 4 + 4 * index
                self.found.offsets.append(place)
                if _u32(self.file, place):
                    self.table(place + _u32(self.file, place), _inner(_inner(hint)))
        elif word[1:-1] in _WIDTHS:
            width = _WIDTHS[word[1:-1]]
            self.found.scalars += [(at + 4 + width * i, width) for i in range(length)]


def _inner(hint: Any) -> Any:
    """The type inside `X | None` or `tuple[X, ...]`."""
    return next(each for each in get_args(hint) if each not in (type(None), Ellipsis))
