"""Decodes a well-formed document quickly, and refuses anything else.

Tables that share a vtable have one inline layout, so code made once for it (`shape_code`) reads
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
from typing import Any

from pte_lint.schema import limits
from pte_lint.schema.binding import Binding, BoundField, Delivery
from pte_lint.schema.fbs import FieldLayout, Form
from pte_lint.schema.program import Span
from pte_lint.schema.shape_code import compiled, inline, unpack_format

Read = Callable[[int], object]
Words = Sequence[int] | memoryview

# Vectors up to this length use a precompiled unpacker, and do not count against the budget: the
# number of tables bounds how many of them there can be.
_SHORT = 16


class IrregularError(Exception):
    """Something is not as a well-formed document has it; internal to reading."""


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
        # Tables in vectors: the others are a few for each of these.
        self._rows_left = limits.table_budget(self._size)
        self._counter = count()
        self._tables: dict[str, Read] = {}
        self._shapes: dict[str, dict[int, Read]] = {}
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
        words = self._words
        shapes: dict[int, Read] = {}
        self._shapes[name] = shapes

        def read(at: int) -> object:
            key = ((at - words[at >> 2]) << 3) | (at & 7)
            return (shapes.get(key) or self._shape(name, key))(at)

        self._tables[name] = read
        return read

    def _shape(self, name: str, key: int) -> Read:
        """Makes the reader of the tables of one type, vtable and position modulo 8.

        Args:
            name: The table type.
            key: Position of the vtable times 8, plus position of the table modulo 8.
        """
        vtable, residue = key >> 3, key & 7
        if residue & 3 or vtable & 1 or not 0 <= vtable <= self._size - 2:
            raise IrregularError
        (size,) = struct.unpack_from("<H", self._window, vtable)
        if size & 1 or vtable + size > self._size:
            raise IrregularError
        entries = struct.unpack_from(f"<{max(0, size - 4) // 2}H", self._window, vtable + 4)
        bound = self._binding.tables[name]
        pairs = [
            (place, field)
            for place, field in zip(entries, bound.fields, strict=False)
            if place and field.layout.form is not Form.DEPRECATED
        ]
        pairs.sort(key=itemgetter(0))
        present = tuple((place, field.layout) for place, field in pairs)
        text = unpack_format(present)
        if text is None or any((residue + place) % inline(field)[1] for place, field in present):
            raise IrregularError
        scope: dict[str, Any] = {
            "window": self._window,
            "unpack": struct.Struct(text).unpack_from,
            "tick": self._counter.__next__,
            "make": bound.make,
            "size": self._size,
            "Irregular": IrregularError,
        }
        for _, bound_field in pairs:
            if not bound_field.layout.form.is_inline:
                scope[f"child{bound_field.layout.slot}"] = self._child(bound_field)
        exec(compiled(self._layouts(name), present), scope)
        read: Read = scope["read"]
        self._shapes[name][key] = read
        return read

    def _layouts(self, name: str) -> tuple[FieldLayout, ...]:
        return self._binding.layout.tables[name]

    def _child(self, field: BoundField) -> Read | dict[int, Read]:
        slot = field.layout
        if slot.form is Form.UNION:
            codes = self._binding.layout.unions[slot.target]
            return {code: self._table(member) for code, member in codes.items()}
        if slot.form is Form.TABLE:
            return self._table(slot.target)
        return self._vector(field)

    def _vector(self, field: BoundField) -> Read:
        slot = field.layout
        if slot.form is Form.STRING:
            return self._string
        key = (slot.form, slot.code, slot.target, field.delivery)
        known = self._vectors.get(key)
        if known is None:
            if slot.form is Form.TABLES:
                known = self._rows(slot.target)
            elif slot.form is Form.STRINGS:
                known = self._texts
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
            end = self._end(at, size)
            self._spend((end - at) // size * limits.ELEMENT_BYTES)
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

    def _offsets(self, at: int) -> tuple[int, tuple[int, ...]]:
        """Returns where a vector of offsets has its first element, and the elements."""
        end = self._end(at, 4)
        self._spend((end - at) // 4 * limits.ELEMENT_BYTES)
        self._rows_left -= (end - at) // 4
        if self._rows_left < 0:
            raise IrregularError
        return at + 4, struct.unpack_from(f"<{(end - at) // 4 - 1}I", self._window, at + 4)

    def _rows(self, name: str) -> Read:
        """Returns the reader of a vector of tables: `_table`'s, written out in the loop."""
        self._table(name)
        words = self._words
        shape_of = self._shapes[name].get

        def read(at: int) -> object:
            first, offsets = self._offsets(at)
            rows = []
            for place, to in enumerate(offsets):
                row = first + 4 * place + to
                key = ((row - words[row >> 2]) << 3) | (row & 7)
                rows.append((shape_of(key) or self._shape(name, key))(row))
            return tuple(rows)

        return read

    def _texts(self, at: int) -> object:
        first, offsets = self._offsets(at)
        return tuple([self._string(first + 4 * place + to) for place, to in enumerate(offsets)])

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
