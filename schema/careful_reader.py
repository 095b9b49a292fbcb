"""Decodes any buffer at all, and lists every violation with its path.

Follows flatbuffers::Verifier and the code generated from a layout check by check (flatbuffers
24.3.25, include/flatbuffers/verifier.h, src/idl_gen_cpp.cpp GenVerifyCall), including what they
leave out: elements of a vector of offsets are followed without looking at the offset itself,
vector content is not checked for alignment, and a union of unknown type is passed over.

Where the verifier would stop, this reader goes on as the unverified accessors would (table.h,
vector.h) as long as that stays inside the buffer.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from pte_lint.schema import limits
from pte_lint.schema.binding import Binding, BoundField, BoundTable, Delivery
from pte_lint.schema.enums import MAX_RANK
from pte_lint.schema.fbs import Form
from pte_lint.schema.program import Span
from pte_lint.schema.violations import Violation, ViolationKind

# Innermost first: (parent, field name or index).
Path = tuple["Path | None", str | int]

_COMMON = {"I": struct.Struct("<I"), "i": struct.Struct("<i"), "H": struct.Struct("<H")}


class CarefulReader:
    """One walk over one document."""

    def __init__(
        self, window: memoryview, binding: Binding, origin: int, is_verified: bool = True
    ) -> None:
        """Prepares a walk.

        Args:
            window: The document, format "B". Byte 0 is what offsets and alignment count from.
            binding: The bound layout.
            origin: Byte offset of the window in the file; added to positions in the file, which
                are those of spans and violations, not those of tables.
            is_verified: Whether a runtime may verify such a document. Of one that none does,
                vectors of tables that leave it are read as far as they are inside.
        """
        self._window = window
        self._size = len(window)
        self._binding = binding
        self._origin = origin
        self._is_verified = is_verified
        self._depth = 0
        self._left = limits.memory_budget(self._size)
        self._tables_allowed = limits.table_budget(self._size)
        self._is_over = False
        self._has_too_many = False
        self._blanks: dict[str, object] = {}
        self._decoded = 0
        self._faults = 0
        self.tables = 0
        """Tables visited, as the verifier counts them: each time that something refers to it."""
        self.violations: list[Violation] = []
        self._has_hard = False

    def read(self) -> object | None:
        """Decodes the document from its root; None when there is no root to decode.

        Mirrors Verifier::VerifyBufferFromStart.
        """
        identifier = self._binding.layout.identifier
        if self._size < limits.VERIFIER_MIN_BYTES:
            self._report(
                ViolationKind.TOO_SMALL,
                0,
                None,
                f"{self._size} bytes cannot hold a flatbuffer; the least is "
                f"{limits.VERIFIER_MIN_BYTES}",
                hard=True,
            )
            return None
        found = bytes(self._window[4:8])
        if identifier and found != identifier:
            self._report(
                ViolationKind.IDENTIFIER, 4, None, f"identifier {found!r} is not {identifier!r}"
            )
        target = self._follow(0, None)
        if target is None:
            return None
        return self._table(self._binding.tables[self._binding.layout.root], target, None)

    def _report(
        self,
        kind: ViolationKind,
        at: int,
        path: Path | None,
        message: str,
        *,
        hard: bool = False,
    ) -> None:
        self._faults += 1
        has_room = len(self.violations) < limits.MAX_VIOLATIONS
        # Where reading stopped is always said: what was not read only looks absent.
        if has_room or kind is ViolationKind.BUDGET or (hard and not self._has_hard):
            # A vtable can be sought before the first byte, a table after the last.
            where = min(max(at, 0), self._size) + self._origin
            self.violations.append(Violation(kind, where, _text(path), message, hard))
        self._has_hard |= hard

    def _in_bounds(self, at: int, length: int) -> bool:
        return length < self._size and 0 <= at <= self._size - length

    def _scalar(
        self, code: str, size: int, at: int, path: Path | None, what: str
    ) -> int | float | bool | None:
        """Reads one scalar; None when it lies outside. `what` names it, with an article."""
        if not self._in_bounds(at, size):
            self._outside(at, size, path, what)
            return None
        if at % size:
            self._report(
                ViolationKind.MISALIGNED, at, path, f"{what} is not aligned to its {size} bytes"
            )
        compiled = _COMMON.get(code) or struct.Struct(f"<{code}")
        value: int | float | bool = compiled.unpack_from(self._window, at)[0]
        return value

    def _outside(
        self, at: int, length: int, path: Path | None, what: str, *, hard: bool = True
    ) -> None:
        here = at + self._origin
        self._report(
            ViolationKind.OUT_OF_BOUNDS,
            at,
            path,
            f"{what} would take {length} bytes at byte {here}, but there are only "
            f"{self._size} bytes" + (f" from byte {self._origin}" if self._origin else ""),
            hard=hard,
        )

    def _follow(self, at: int, path: Path | None) -> int | None:
        """Follows the offset at `at`; None when it leads outside."""
        offset = self._scalar("I", 4, at, path, "an offset")
        if offset is None:
            return None
        target = at + int(offset)
        if not self._in_bounds(target, 1):
            self._report(
                ViolationKind.OUT_OF_BOUNDS,
                at,
                path,
                f"offset {offset} leads to byte {target + self._origin}, outside",
                hard=True,
            )
            return None
        if offset == 0 or offset > limits.VERIFIER_MAX_BYTES:
            self._report(ViolationKind.BAD_OFFSET, at, path, f"offset {offset} is not allowed")
        return target

    def _table(self, bound: BoundTable, at: int, path: Path | None) -> object:
        """Decodes a table; one without any field stands for what cannot be decoded."""
        self.tables += 1
        self._decoded += 1
        if self._is_over:
            return self._blank(bound, at)
        self._depth += 1
        try:
            vtable = self._vtable(at, path, len(bound.fields))
            row = list(bound.defaults)
            if vtable is not None:
                self._fields(bound, at, vtable, row, path)
            return bound.make(*row, at)
        finally:
            self._depth -= 1

    def _blank(self, bound: BoundTable, at: int) -> object:
        """Stands for every table of a type once the budget is spent: the same one, at no cost."""
        blank = self._blanks.get(bound.name)
        if blank is None:
            blank = self._blanks[bound.name] = bound.make(*bound.defaults, at)
        return blank

    def _vtable(self, at: int, path: Path | None, known: int) -> tuple[int, ...] | None:
        """Returns the table's vtable entries; None when the table is undecodable.

        Mirrors Verifier::VerifyTableStart. A vtable that is too long is harmless to accessors as
        long as the entries of the `known` fields are inside.
        """
        distance = self._scalar("i", 4, at, path, "a table")
        if distance is None or not self._may_go_on(at, path):
            return None
        start = at - int(distance)
        size = self._scalar("H", 2, start, path, "a vtable")
        if size is None:
            return None
        size = int(size)
        if size & 1:
            self._report(ViolationKind.BAD_VTABLE, start, path, f"vtable size {size} is odd")
        if not self._in_bounds(start, size):
            fits = self._in_bounds(start, 4 + 2 * known)
            self._outside(start, size, path, "a vtable", hard=not fits)
            if not fits:
                return None
            size = 4 + 2 * known
        count = max(0, (size - 4 + 1) // 2)
        if start + 4 + 2 * count > self._size:
            count -= 1
        return struct.unpack_from(f"<{count}H", self._window, start + 4) if count > 0 else ()

    def _may_go_on(self, at: int, path: Path | None) -> bool:
        """Mirrors Verifier::VerifyComplexity, and holds the reader's own budget."""
        if self._depth > limits.VERIFIER_MAX_DEPTH:
            self._report(
                ViolationKind.TOO_DEEP,
                at,
                path,
                f"tables are nested deeper than {limits.VERIFIER_MAX_DEPTH}",
                hard=True,
            )
            return False
        # Not every table comes this far, so the first one beyond a limit may not.
        if self.tables > limits.VERIFIER_MAX_TABLES:
            self._too_many(at, path)
        if self._decoded > self._tables_allowed:
            self._exhausted(at, path, "tables")
        return self._decoded <= self._tables_allowed and self._spend(limits.RECORD_BYTES, at, path)

    def _too_many(self, at: int, path: Path | None) -> None:
        if self._has_too_many:
            return
        self._has_too_many = True
        message = f"more than {limits.VERIFIER_MAX_TABLES} tables"
        self._report(ViolationKind.TOO_MANY_TABLES, at, path, message)

    def _exhausted(self, at: int, path: Path | None, what: str) -> None:
        if self._is_over:
            return
        self._is_over = True
        self._report(
            ViolationKind.BUDGET,
            at,
            path,
            f"{what} are too many for the size of the file; the rest was not looked at",
            hard=True,
        )

    def _fields(
        self,
        bound: BoundTable,
        at: int,
        vtable: tuple[int, ...],
        row: list[object],
        path: Path | None,
    ) -> None:
        for field, entry in zip(bound.fields, vtable, strict=False):
            slot = field.layout
            if not entry or slot.form is Form.DEPRECATED:
                continue
            here: Path = (path, slot.name)
            if slot.form.is_inline:
                value = self._scalar(slot.code, slot.size, at + entry, here, "a value")
                if value is not None:
                    row[slot.slot] = value
                continue
            target = self._follow(at + entry, here)
            if target is None:
                continue
            if slot.form is Form.UNION:
                member = self._binding.layout.unions[slot.target].get(_code(row[slot.slot - 1]))
                if member is not None:
                    row[slot.slot] = self._table(self._binding.tables[member], target, here)
            elif slot.form is Form.TABLE:
                row[slot.slot] = self._table(self._binding.tables[slot.target], target, here)
            else:
                row[slot.slot] = self._content(field, target, here)

    def _content(self, field: BoundField, at: int, path: Path) -> object:
        slot = field.layout
        if slot.form is Form.STRING:
            return self._string(at, path)
        length = self._length(at, slot.size, path)
        start = at + 4
        if length is None:
            if self._is_verified or not self._in_bounds(at, 4):
                return None
            # Accessors take one element at a time: those that are inside can be reached.
            length = (self._size - start) // slot.size
            if slot.form is not Form.TABLES:
                length = min(length, MAX_RANK)
        if field.delivery is Delivery.SPAN:
            return Span(start + self._origin, length * slot.size)
        if slot.form is Form.TABLES:
            bound = self._binding.tables[slot.target]
            return self._each(start, length, path, lambda to, way: self._table(bound, to, way))
        if slot.form is Form.STRINGS:
            return self._each(start, length, path, self._string)
        if field.delivery is Delivery.BYTES:
            fits = self._spend(length, at, path)
            return bytes(self._window[start : start + length]) if fits else None
        if not self._spend(length * limits.number_bytes(slot.size), at, path):
            return None
        return struct.unpack_from(f"<{length}{slot.code}", self._window, start)

    def _each(
        self, start: int, length: int, path: Path, read: Callable[[int, Path], object]
    ) -> tuple[object, ...] | None:
        """Follows each offset of a vector: unchecked, as Vector::Get does."""
        if not self._spend(length * limits.REFERENCE_BYTES, start, path):
            return None
        offsets = struct.unpack_from(f"<{length}I", self._window, start)
        return tuple(
            [
                read(start + 4 * index + offset, (path, index))
                for index, offset in enumerate(offsets)
            ]
        )

    def _length(self, at: int, size: int, path: Path) -> int | None:
        """Reads a vector's length; None when the vector lies outside.

        Mirrors Verifier::VerifyVectorOrString.
        """
        stored = self._scalar("I", 4, at, path, "a vector length")
        if stored is None:
            return None
        length = int(stored)
        if not self._in_bounds(at, 4 + length * size):
            self._outside(at, 4 + length * size, path, f"a vector or string of length {length}")
            return None
        if length >= limits.VERIFIER_MAX_BYTES // size:
            self._report(ViolationKind.TOO_LONG, at, path, f"vector length {length} is too large")
        return length

    def _string(self, at: int, path: Path) -> str | None:
        length = self._length(at, 1, path)
        if length is None or not self._spend(length, at, path):
            return None
        end = at + 4 + length
        if not self._in_bounds(end, 1) or self._window[end]:
            self._report(
                ViolationKind.NO_TERMINATOR, end, path, "a string is not followed by a zero byte"
            )
        return str(self._window[at + 4 : end], "utf-8", "surrogateescape")

    def _spend(self, cost: int, at: int, path: Path | None) -> bool:
        self._left -= cost
        if self._left < 0:
            self._exhausted(at, path, "tables and numbers")
            return False
        return True


def _code(value: object) -> int:
    return value if isinstance(value, int) else 0


def _text(path: Path | None) -> str:
    steps: list[str] = []
    while path is not None:
        path, step = path
        steps.append(f"[{step}]" if isinstance(step, int) else f".{step}")
    return "".join(reversed(steps)).removeprefix(".")
