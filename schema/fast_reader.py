"""Decodes a well-formed document quickly, and refuses anything else.

Tables are read in batches: all tables of one type that a batch of their parents refers to. Those
that share a vtable have one inline layout, so one compiled struct reads them all, column by
column, and nearly all work is done by loops in C. Every check of `careful_reader` is made, but on
columns and with yes or no for an answer. On the first no, `IrregularError` ends the attempt and
the careful reader says what is wrong and where. What this reader returns, the careful one would
have returned too, with no violation; tests hold both to that.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, compress, count, islice, repeat
from operator import add, and_, eq

from pte_lint.schema import limits
from pte_lint.schema.binding import UNKEPT, Binding, BoundField, BoundTable, Delivery
from pte_lint.schema.fbs import FieldLayout, Form
from pte_lint.schema.program import Span

Read = Callable[[list[int]], list[object]]
"""Reads what is at some positions; as many objects, in the same order."""
Words = Sequence[int] | memoryview

_BATCH = 4096
"""Tables read at once at most, so that what is only needed meanwhile stays small."""
_SHORT = 16
"""Vectors of fewer elements use a compiled unpacker, and are counted once they are there: a batch
of them takes little. Others are counted before they are unpacked."""

_LAYOUTS = 2048
"""Layouts kept from file to file."""

_Unpack = Callable[..., tuple[object, ...]]
_FEW = 8
"""Up to so many kinds among others are picked out one after the other."""
_new: Callable[..., object] = tuple.__new__


class IrregularError(Exception):
    """Something is not as a well-formed document has it; internal to reading."""


class OverBudgetError(IrregularError):
    """So much is referred to that the same content must be shared; internal to reading."""


class FastReader:
    """One walk over one document whose layout has no table inside itself."""

    def __init__(self, window: memoryview, binding: Binding, origin: int) -> None:
        """Prepares a walk; arguments as for `CarefulReader`."""
        self._window = window
        self._size = len(window)
        self._words = _words(window)
        self._binding = binding
        self._origin = origin
        self._left = limits.memory_budget(self._size)
        self._tables_allowed = limits.table_budget(self._size)
        self.tables = 0
        """How many tables were read."""
        self._shapes: dict[tuple[str, int], Read] = {}
        self._children: dict[tuple[object, ...], Read] = {}
        self._strings: dict[int, str] = {}

    def close(self) -> None:
        """Lets go of the buffer, so that an mmap can be closed, and of what refers to itself."""
        self._shapes.clear()
        self._children.clear()
        if isinstance(self._words, memoryview):
            self._words.release()

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
            return self._read_tables(self._binding.tables[layout.root], [root])[0]
        except (IndexError, struct.error):
            raise IrregularError from None

    # -- tables -----------------------------------------------------------------------------------

    def _tables(self, name: str) -> Read:
        """Returns the reader of a table type."""
        bound = self._binding.tables[name]

        def read(positions: list[int]) -> list[object]:
            if len(positions) <= _BATCH:
                return self._read_tables(bound, positions)
            rows: list[object] = []
            for start in range(0, len(positions), _BATCH):
                rows += self._read_tables(bound, positions[start : start + _BATCH])
            return rows

        return read

    def _read_tables(self, bound: BoundTable, positions: list[int]) -> list[object]:
        """Reads tables of one type, those of one shape together."""
        words = self._words
        self.tables += len(positions)
        self._spend(len(positions) * limits.RECORD_BYTES)
        if self.tables > self._tables_allowed:
            raise OverBudgetError
        keys = [((at - words[at >> 2]) << 3) | (at & 7) for at in positions]
        return _by_kind(keys, positions, lambda key: self._shape(bound, key))

    def _shape(self, bound: BoundTable, key: int) -> Read:
        """Returns the reader of the tables of one type, vtable and position modulo 8.

        Args:
            bound: The table type.
            key: Position of the vtable times 8, plus position of the table modulo 8.
        """
        known = self._shapes.get((bound.name, key))
        if known is None:
            known = self._shapes[bound.name, key] = self._make_shape(bound, *divmod(key, 8))
        return known

    def _make_shape(self, bound: BoundTable, vtable: int, residue: int) -> Read:
        if residue & 3 or vtable & 1 or not 0 <= vtable <= self._size - 2:
            raise IrregularError
        (size,) = struct.unpack_from("<H", self._window, vtable)
        if size & 1 or vtable + size > self._size:
            raise IrregularError
        number = min(max(0, size - 4) // 2, len(bound.fields))
        entries = struct.unpack_from(f"<{number}H", self._window, vtable + 4)
        inline = _inline_layout(bound, entries, residue)
        if inline is None:
            raise IrregularError
        unpack, slots, outside = inline
        followed = [(place, field.layout.slot, self._child(field)) for place, field in outside]

        def read(positions: list[int]) -> list[object]:
            columns: list[Iterable[object]] = [repeat(default) for default in bound.defaults]
            stored = zip(*map(unpack, repeat(self._window), positions), strict=True)
            for slot, column in zip(slots, stored, strict=False):
                columns[slot] = column
            for place, slot, child in followed:
                offsets: Sequence[int] = columns[slot]  # type: ignore[assignment]
                if min(offsets) <= 0:
                    raise IrregularError
                targets = [at + place + to for at, to in zip(positions, offsets, strict=True)]
                columns[slot] = child(targets, columns[slot - 1])
            if bound.record is None:
                return [UNKEPT] * len(positions)
            return list(map(_new, repeat(bound.record), zip(*columns, positions, strict=False)))

        return read

    def _child(self, field: BoundField) -> Callable[[list[int], Iterable[object]], list[object]]:
        """Returns the reader of what a field refers to.

        It is given the positions and the values of the slot before, which hold a union's type.
        """
        slot = field.layout
        if slot.form is Form.UNION:
            members = {
                code: self._tables(member)
                for code, member in self._binding.layout.unions[slot.target].items()
            }

            def read(positions: list[int], codes: Iterable[object]) -> list[object]:
                if max(positions) >= self._size:
                    raise IrregularError
                kinds: list[int] = list(islice(codes, len(positions)))  # type: ignore[arg-type]
                return _by_kind(kinds, positions, lambda code: members.get(code, _nothing))

            return read
        known = self._reader(field)
        return lambda positions, _: known(positions)

    def _reader(self, field: BoundField) -> Read:
        slot = field.layout
        key = (slot.form, slot.code, slot.target, field.delivery)
        known = self._children.get(key)
        if known is None:
            if slot.form is Form.TABLE:
                known = self._tables(slot.target)
            elif slot.form is Form.TABLES:
                known = self._rows(slot.target)
            elif slot.form is Form.STRING:
                known = self._texts
            elif slot.form is Form.STRINGS:
                known = self._text_rows
            elif field.delivery is Delivery.TUPLE:
                known = self._numbers(slot.code, slot.size)
            else:
                known = self._raw(slot.size, field.delivery)
            self._children[key] = known
        return known

    # -- vectors and strings ----------------------------------------------------------------------

    def _spend(self, cost: int) -> None:
        self._left -= cost
        if self._left < 0:
            raise OverBudgetError

    def _end(self, at: int, size: int) -> int:
        """Returns where the vector at `at` ends."""
        length = self._words[at >> 2]
        end = at + 4 + length * size
        if at & 3 or length < 0 or end > self._size:
            raise IrregularError
        return end

    def _numbers(self, code: str, size: int) -> Read:
        words, window = self._words, self._window
        cost = limits.number_bytes(size)
        unpackers = _Unpackers(code, lambda length: self._spend(length * cost))

        def read(positions: list[int]) -> list[object]:
            if any(map(and_, positions, repeat(3))):
                raise IrregularError
            rows = [unpackers[words[at >> 2]](window, at + 4) for at in positions]
            lengths = list(map(len, rows))
            if max(lengths) < _SHORT:
                self._spend(cost * sum(lengths))
            else:
                self._spend(cost * sum(length for length in lengths if length < _SHORT))
            return list[object](rows)

        return read

    def _raw(self, size: int, delivery: Delivery) -> Read:
        def one(at: int) -> object:
            end = self._end(at, size)
            if delivery is Delivery.SPAN:
                return Span(at + 4 + self._origin, end - at - 4)
            self._spend(end - at)
            return bytes(self._window[at + 4 : end])

        return lambda positions: list(map(one, positions))

    def _elements(self, at: int) -> Iterator[int]:
        """Returns what the elements of a vector of offsets refer to."""
        length = (self._end(at, 4) - at) // 4
        self._spend(length * limits.REFERENCE_BYTES)
        return map(
            add, count(at + 4, 4), struct.unpack_from(f"<{length - 1}I", self._window, at + 4)
        )

    def _rows(self, name: str) -> Read:
        """Returns the reader of vectors of tables; the tables of all of them are read together."""
        read_tables = self._tables(name)

        def read(positions: list[int]) -> list[object]:
            vectors = [list(self._elements(at)) for at in positions]
            rows = iter(read_tables(list(chain.from_iterable(vectors))))
            return [tuple(islice(rows, len(vector))) for vector in vectors]

        return read

    def _text_rows(self, positions: list[int]) -> list[object]:
        return [tuple(self._texts(list(self._elements(at)))) for at in positions]

    def _texts(self, positions: list[int]) -> list[object]:
        return list(map(self._string, positions))

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


class _Unpackers(dict[int, Callable[..., tuple[object, ...]]]):
    """By length, what unpacks a vector of scalars; only those of short ones are kept."""

    def __init__(self, code: str, spend: Callable[[int], None]) -> None:
        self._code = code
        self._spend = spend

    def __missing__(self, length: int) -> Callable[..., tuple[object, ...]]:
        if length < 0:
            raise IrregularError
        unpack = struct.Struct(f"<{length}{self._code}").unpack_from
        if length < _SHORT:
            self[length] = unpack
        else:
            self._spend(length)
        return unpack


def _by_kind(
    kinds: Sequence[int], positions: list[int], reader: Callable[[int], Read]
) -> list[object]:
    """Reads what is at some positions, each as its kind says, those of one kind together."""
    distinct = dict.fromkeys(kinds)
    if len(distinct) == 1:
        return reader(kinds[0])(positions)
    sorted_out: dict[int, list[int]] = {kind: [] for kind in distinct}
    if len(distinct) <= _FEW:
        for kind in distinct:
            sorted_out[kind] = list(compress(positions, map(eq, kinds, repeat(kind))))
    else:
        for kind, at in zip(kinds, positions, strict=True):
            sorted_out[kind].append(at)
    rows = {kind: iter(reader(kind)(places)) for kind, places in sorted_out.items()}
    return list(map(next, map(rows.__getitem__, kinds)))


def _nothing(positions: list[int]) -> list[object]:
    """Stands for a union of unknown type."""
    return [None] * len(positions)


@lru_cache(maxsize=_LAYOUTS)
def _inline_layout(
    bound: BoundTable, entries: tuple[int, ...], residue: int
) -> tuple[_Unpack, tuple[int, ...], tuple[tuple[int, BoundField], ...]] | None:
    """Returns what reads the tables of one vtable; None when their values are not in order.

    Exporters write the same few vtables into every file, so that many files share this work.

    Args:
        bound: The table type.
        entries: The vtable's entries for the known fields.
        residue: Position of the tables modulo 8.

    Returns:
        What unpacks the inline values, the slots that they belong to, and the fields whose
        content lies outside the table with the places of their offsets in it.
    """
    fields = sorted(
        (
            (place, field)
            for place, field in zip(entries, bound.fields, strict=False)
            if place and field.layout.form is not Form.DEPRECATED
        ),
        key=lambda each: (each[0], each[1].layout.slot),
    )
    text = _unpack_format([(place, field.layout) for place, field in fields])
    if text is None or any((residue + at) % _inline(f.layout)[1] for at, f in fields):
        return None
    outside = tuple((at, field) for at, field in fields if not field.layout.form.is_inline)
    return struct.Struct(text).unpack_from, tuple(f.layout.slot for _, f in fields), outside


def _unpack_format(present: Sequence[tuple[int, FieldLayout]]) -> str | None:
    """Returns the struct format that reads the inline values in memory order.

    Args:
        present: Byte offset in the table and field, by ascending offset.

    Returns:
        The format, or None when two values overlap. Offsets are read signed, since none above
        2^31 - 1 is allowed.
    """
    text, end = "<", 0
    for place, field in present:
        code, width = _inline(field)
        if place < end:
            return None
        text += f"{place - end}x{code}"
        end = place + width
    return text


def _inline(field: FieldLayout) -> tuple[str, int]:
    """Returns the struct format character and the width in bytes of a slot's inline value."""
    return (field.code, field.size) if field.form.is_inline else ("i", 4)


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
