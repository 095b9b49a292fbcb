"""Decodes a document in which many references share their targets: each target once.

The verifier goes through a table every time that something refers to it. A reader that did so would
take the product of what is referred to and how often, which a file of some kilobytes can make as
large as it likes. Here what is met for the second time is kept, with how many tables it counts for,
so that the cost follows the distinct bytes of the document and the number of its references.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pte_lint.schema import limits
from pte_lint.schema.binding import Binding, BoundField, BoundTable
from pte_lint.schema.careful_reader import CarefulReader, Path
from pte_lint.schema.fbs import Form

_T = TypeVar("_T")


class SharingReader(CarefulReader):
    """One walk over one document; the result is the careful reader's, with shared content shared.

    What has a violation inside is decoded anew for each reference, since its path tells who is
    concerned.
    """

    def __init__(
        self, window: memoryview, binding: Binding, origin: int, is_verified: bool = True
    ) -> None:
        """Prepares a walk; arguments as for `CarefulReader`."""
        super().__init__(window, binding, origin, is_verified)
        self._met = bytearray(len(window) // 4 + 1)
        """One flag for four bytes: something there was decoded."""
        self._kept: dict[tuple[object, int], tuple[object, int]] = {}
        """By what it is and where: what was decoded, and its tables as the verifier counts them."""

    def _table(self, bound: BoundTable, at: int, path: Path | None) -> object:
        read = super()._table
        return self._once(bound.name, at, path, lambda: read(bound, at, path))

    def _content(self, field: BoundField, at: int, path: Path) -> object:
        read = super()._content
        if field.layout.form is Form.STRING:
            return read(field, at, path)
        return self._once(id(field), at, path, lambda: read(field, at, path))

    def _string(self, at: int, path: Path) -> str | None:
        read = super()._string
        return self._once(str, at, path, lambda: read(at, path))

    def _once(self, what: object, at: int, path: Path | None, read: Callable[[], _T]) -> _T:
        key = what, at
        kept = self._kept.get(key)
        if kept is not None:
            value, more = kept
            self.tables += more
            if self.tables > limits.VERIFIER_MAX_TABLES:
                self._too_many(at, path)
            return value  # type: ignore[return-value]  # what this key was decoded to
        if not 0 <= at < self._size or not self._met[at >> 2]:
            if 0 <= at < self._size:
                self._met[at >> 2] = 1
            return read()
        before, faults = self.tables, self._faults
        value = read()
        if self._faults == faults and self._spend(limits.SHARED_BYTES, at, path):
            self._kept[key] = value, self.tables - before
        return value
