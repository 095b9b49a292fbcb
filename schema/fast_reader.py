"""Decodes a well-formed document quickly, and refuses anything else.

Tables that share a vtable have one inline layout, so a `struct.Struct` compiled once for it reads
all their inline values in one call. Every check of `careful_reader` is made, but folded into a few
comparisons that only answer yes or no. On the first no, `IrregularError` ends the attempt and the
careful reader says what is wrong and where. What this reader returns, the careful one would have
returned too, with no violation; tests hold both to that.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Callable, Sequence
from itertools import count
from operator import itemgetter
from typing import NamedTuple

from pte_lint.schema import limits
from pte_lint.schema.binding import Binding, BoundField, BoundTable, Delivery
from pte_lint.schema.fbs import Form
from pte_lint.schema.program import Span

Read = Callable[[int], object]
Words = Sequence[int] | memoryview

# Vectors up to this length use a precompiled unpacker, and do not count against the budget: the
# number of tables bounds how many of them there can be.
_SHORT = 16


class IrregularError(Exception):
    """Something is not as a well-formed document has it; internal to reading."""


class _Shape(NamedTuple):
    """How to read the tables of one type, vtable and position modulo 8."""

    last: int  # the last position where the inline part still fits
    unpack: Callable[[memoryview, int], tuple[object, ...]]
    absent: tuple[object, ...]  # defaults of absent slots, put behind the unpacked values
    order: Callable[[tuple[object, ...]], tuple[object, ...]]  # to slot order
    children: tuple[tuple[int, int, Read], ...]  # slot, offset in the table, reader
    union: tuple[int, int, dict[object, Read]] | None  # slot, offset in the table, readers by code


class FastReader:
    """One walk over one document whose layout has no table inside itself."""

    def __init__(self, window: memoryview, binding: Binding, origin: int) -> None:
        """Prepares a walk; arguments as for `CarefulReader`."""
        self._window = window
        self._size = len(window)
        self._words = _words(window)
        self._binding = binding
        self._origin = origin
        self._left = limits.content_budget(self._size)
        self._counter = count()
        self._tables: dict[str, Read] = {}
        self._vectors: dict[tuple[object, ...], Read] = {}
        self._strings: dict[int, str] = {}

    def close(self) -> None:
        """Lets go of the buffer, so that an mmap can be closed."""
        if isinstance(self._words, memoryview):
            self._words.release()

    @property
    def tables(self) -> int:
        """How many tables were read; to be asked once, when reading is over."""
        return next(self._counter)

    def read(self) -> object:
        """Decodes the document from its root.

        Raises:
            IrregularError: The document is not well-formed.
        """
        layout = self._binding.layout
        if self._binding.depth is None or self._binding.depth > limits.VERIFIER_MAX_DEPTH:
            raise IrregularError
        if self._size < limits.VERIFIER_MIN_BYTES or self._size > limits.VERIFIER_MAX_BYTES:
            raise IrregularError
        if layout.identifier and self._window[4:8] != layout.identifier:
            raise IrregularError
        root = self._words[0]
        if root <= 0:
            raise IrregularError
        try:
            return self._table(layout.root)(root)
        except (IndexError, struct.error):
            raise IrregularError from None

    def _spend(self, cost: int) -> None:
        self._left -= cost
        if self._left < 0:
            raise IrregularError

    def _table(self, name: str) -> Read:
        """Returns the reader of a table type, made once."""
        known = self._tables.get(name)
        if known is not None:
            return known
        bound = self._binding.tables[name]
        shapes: dict[int, _Shape] = {}
        words = self._words
        window = self._window
        make = bound.make
        tick = self._counter.__next__

        def read(at: int) -> object:
            tick()
            key = ((at - words[at >> 2]) << 3) | (at & 7)
            shape = shapes.get(key)
            if shape is None:
                shape = shapes[key] = self._shape(bound, key >> 3, at & 7)
            last, unpack, absent, order, children, union = shape
            if at > last:
                raise IrregularError
            values = order(unpack(window, at) + absent)
            if not children and not union:
                return make(*values, at)
            row: list[object] = list(values)
            for slot, place, child in children:
                offset: int = row[slot]  # type: ignore[assignment]
                if offset <= 0:
                    raise IrregularError
                row[slot] = child(at + place + offset)
            if union:
                slot, place, members = union
                offset = row[slot]  # type: ignore[assignment]
                target = at + place + offset
                if offset <= 0 or target >= self._size:
                    raise IrregularError
                member = members.get(row[slot - 1])
                row[slot] = member(target) if member else None
            return make(*row, at)

        self._tables[name] = read
        return read

    def _shape(self, bound: BoundTable, vtable: int, residue: int) -> _Shape:
        """Compiles the inline layout that a vtable describes, for one position modulo 8."""
        if residue & 3 or vtable & 1 or not 0 <= vtable <= self._size - 2:
            raise IrregularError
        (size,) = struct.unpack_from("<H", self._window, vtable)
        if size & 1 or vtable + size > self._size:
            raise IrregularError
        entries = struct.unpack_from(f"<{max(0, size - 4) // 2}H", self._window, vtable + 4)
        present = [pair for pair in zip(entries, bound.fields, strict=False) if pair[0]]
        present.sort(key=itemgetter(0))
        text, end, source = "<", 0, {}
        for rank, (entry, field) in enumerate(present):
            slot = field.layout
            if entry < end or (residue + entry) % slot.size:
                raise IrregularError
            # Offsets are read signed: none above 2^31 - 1 is allowed.
            text += f"{entry - end}x{slot.code if slot.form.is_inline else 'i'}"
            end = entry + slot.size
            source[slot.slot] = rank
        absent: list[object] = []
        for slot_number, default in enumerate(bound.defaults):
            if slot_number not in source:
                source[slot_number] = len(present) + len(absent)
                absent.append(default)
        order = _order([source[number] for number in range(len(bound.fields))])
        children, union = self._children(present)
        unpack = struct.Struct(text).unpack_from
        return _Shape(self._size - end, unpack, tuple(absent), order, children, union)

    def _children(
        self, present: list[tuple[int, BoundField]]
    ) -> tuple[tuple[tuple[int, int, Read], ...], tuple[int, int, dict[object, Read]] | None]:
        children = []
        union = None
        for entry, field in present:
            slot = field.layout
            if slot.form is Form.UNION:
                if union is not None:
                    raise IrregularError  # no table of the formats has two
                codes = self._binding.layout.unions[slot.target].items()
                members: dict[object, Read] = {code: self._table(name) for code, name in codes}
                union = (slot.slot, entry, members)
            elif slot.form is Form.TABLE:
                children.append((slot.slot, entry, self._table(slot.target)))
            elif not slot.form.is_inline:
                children.append((slot.slot, entry, self._vector(field)))
        return tuple(children), union

    def _vector(self, field: BoundField) -> Read:
        slot = field.layout
        if slot.form is Form.STRING:
            return self._string
        key = (slot.form, slot.code, slot.target, field.delivery)
        known = self._vectors.get(key)
        if known is None:
            if slot.form is Form.TABLES:
                known = self._each(self._table(slot.target))
            elif slot.form is Form.STRINGS:
                known = self._each(self._string)
            elif field.delivery is Delivery.TUPLE:
                known = self._numbers(slot.code, slot.size)
            else:
                known = self._raw(slot.size, field.delivery)
            self._vectors[key] = known
        return known

    def _end(self, at: int, size: int) -> int:
        """Returns where the vector at `at` ends."""
        length = self._words[at >> 2]
        end = at + 4 + length * size
        if at & 3 or length < 0 or end > self._size:
            raise IrregularError
        return end

    def _numbers(self, code: str, size: int) -> Read:
        unpackers = [struct.Struct(f"<{length}{code}").unpack_from for length in range(_SHORT)]
        words = self._words
        window = self._window

        def read(at: int) -> object:
            length = words[at >> 2]
            if at & 3:
                raise IrregularError
            if 0 <= length < _SHORT:
                return unpackers[length](window, at + 4)
            self._spend(self._end(at, size) - at)
            return struct.unpack_from(f"<{length}{code}", window, at + 4)

        return read

    def _raw(self, size: int, delivery: Delivery) -> Read:
        def read(at: int) -> object:
            end = self._end(at, size)
            if delivery is Delivery.SPAN:
                return Span(at + 4 + self._origin, end - at - 4)
            self._spend(end - at)
            return bytes(self._window[at + 4 : end])

        return read

    def _each(self, read_one: Read) -> Read:
        """Returns a reader of a vector of offsets."""

        def read(at: int) -> object:
            end = self._end(at, 4)
            # Tables yield more than the four bytes of their offset: count them as TABLE_BYTES.
            self._spend((end - at) // 4 * limits.TABLE_BYTES)
            first = at + 4
            offsets = struct.unpack_from(f"<{(end - first) // 4}I", self._window, first)
            places = range(first, end, 4)
            return tuple([read_one(place + to) for place, to in zip(places, offsets, strict=True)])

        return read

    def _string(self, at: int) -> str:
        known = self._strings.get(at)
        if known is not None:
            return known
        end = self._end(at, 1)
        if end >= self._size or self._window[end]:
            raise IrregularError
        self._spend(end - at)
        text = str(self._window[at + 4 : end], "utf-8", "surrogateescape")
        self._strings[at] = text
        return text


def _order(ranks: list[int]) -> Callable[[tuple[object, ...]], tuple[object, ...]]:
    if ranks == list(range(len(ranks))):
        return tuple  # returns an exact tuple as it is
    if len(ranks) == 1:
        raise AssertionError("one rank is always in order")
    return itemgetter(*ranks)


def _words(window: memoryview) -> Words:
    """Returns the buffer as signed 32-bit little-endian words; a tail of 1 to 3 bytes is left out.

    A cast view indexes several times faster than any unpacking.
    """
    whole = window[: len(window) & ~3]
    if sys.byteorder == "little":
        return whole.cast("i")
    swapped = array("i", whole.tobytes())
    swapped.byteswap()
    return swapped
