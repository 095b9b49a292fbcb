"""Looking up a key as a delegate does: first the given data files, then the program's own.

Follows `Method::init` (runtime/executor/method.cpp), the internal `MergedDataMap`
(runtime/executor/merged_data_map.h), `PteDataMap::get_data` (runtime/executor/pte_data_map.cpp)
and `FlatTensorDataMap::get_data`.
"""

from __future__ import annotations

from functools import cached_property

from pte_lint.data.context import Context
from pte_lint.data.data_files import Entry, entries, is_in_file, is_usable, segment_fault
from pte_lint.data.segments import Place, place, program_container, references
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Span
from pte_lint.schema.str_enum import StrEnum


class Found(StrEnum):
    """How a look-up ends."""

    DATA = "data"
    NO_MAP = "no map"
    """There is neither named data in the program nor a data file: the backend gets null."""
    MISSING = "missing"
    BROKEN = "broken"
    """The map returns an error of its own."""
    WRAPPED = "wrapped"
    """Other bytes than the meant ones are read: the offset passes 2^64."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """What a key gives. `size` is set where bytes are found, `error` where the map fails."""

    found: Found
    size: int = 0
    error: str | None = None
    why: str = ""
    span: Span | None = None
    """The bytes in the artifact; None when they are in a data file."""


class NamedData:
    """The maps of one program and the data files given with it."""

    def __init__(self, ctx: Context) -> None:
        """Indexes the keys; linear in them."""
        self._ctx = ctx
        self._external: dict[str, Entry] = entries(ctx.data)
        self.is_certain = all(is_usable(file) for file in ctx.data)
        """False when a data file cannot be read, so that a missing key proves nothing."""
        program = ctx.program
        table = program.named_data if program is not None else None
        self.has_own = bool(table)
        self._has_map = table is not None or bool(ctx.data)
        self._own: dict[str, int] = {}
        self._stop: int | None = None
        for n, entry in enumerate(table or ()):
            if entry.key is None:
                self._stop = n
                break
            self._own.setdefault(entry.key, n)

    @cached_property
    def may_be_external(self) -> bool:
        """True when a missing key may well be in a data file that was not given.

        A program with keys of its own, or with segments that nothing names, was written with its
        data inside.
        """
        if self._ctx.data or self.has_own:
            return False
        program = self._ctx.program
        if program is None:
            return True
        used = {reference.index for reference in references(program)}
        segments = enumerate(program.segments or ())
        return not any(s.size and n not in used for n, s in segments)

    def may_lack(self, key: str) -> bool:
        """Whether a key is nowhere, but may well be in a data file that was not given."""
        return self.look_up(key).found in (Found.MISSING, Found.NO_MAP) and (
            self.may_be_external or not self.is_certain
        )

    def look_up(self, key: str) -> Lookup:
        """What a delegate that asks for `key` gets."""
        if not self._has_map:
            return Lookup(Found.NO_MAP)
        external = self._external.get(key)
        if external is not None:
            return _external(external)
        return self._own_entry(key)

    def _own_entry(self, key: str) -> Lookup:
        number = self._own.get(key)
        if number is None:
            if self._stop is not None:
                why = f"entry {self._stop} has no key, which ends the search"
                return Lookup(Found.BROKEN, error="InvalidArgument", why=why)
            return Lookup(Found.MISSING)
        program, container = self._ctx.program, program_container(self._ctx)
        assert program is not None
        assert container is not None
        index = (program.named_data or ())[number].segment_index
        segments = program.segments or ()
        if index >= len(segments):
            why = f"it is in segment {index}, but there are {len(segments)}"
            return Lookup(Found.BROKEN, error="InvalidArgument", why=why)
        segment = segments[index]
        where = place(container, segment)
        span = container.segment_range(segment)
        if where is Place.OUTSIDE or span is None:
            why = f"segment {index} leaves the file"
            return Lookup(Found.BROKEN, error="InvalidArgument", why=why)
        if where is Place.WRAPS or container.segment_base_offset == 0:
            return Lookup(Found.WRAPPED, segment.size)
        return Lookup(Found.DATA, segment.size, span=span)


def _external(entry: Entry) -> Lookup:
    fault = segment_fault(entry)
    if fault is not None:
        return Lookup(Found.BROKEN, error=fault.prediction.error, why=fault.message)
    segment = entry.segment
    assert segment is not None
    if not is_in_file(entry.file.container, segment, segment.size):
        why = f"its bytes leave {entry.file.name}"
        return Lookup(Found.BROKEN, error="InvalidArgument", why=why)
    return Lookup(Found.DATA, segment.size)
