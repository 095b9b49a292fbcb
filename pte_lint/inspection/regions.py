"""Where the bytes of a file go: every byte belongs to exactly one region."""

from __future__ import annotations

from collections.abc import Iterable

from pte_lint.files.artifact import Buffer
from pte_lint.schema.errors import NotFetchedError
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Span
from pte_lint.schema.str_enum import StrEnum


class RegionKind(StrEnum):
    """What a range of bytes is for."""

    HEADER = "header"
    TABLES = "program tables"
    CONSTANTS = "constants"
    STATE = "initial state"
    BLOB = "delegate blob"
    NAMED = "named data"
    SEGMENT = "unreferenced segment"
    BUNDLE = "bundle tables"
    BUNDLED_DATA = "bundled inputs and outputs"
    PADDING = "padding"
    UNCLAIMED = "unclaimed bytes"
    TRAILING = "trailing bytes"


@dataclass(frozen=True, slots=True)
class Region:
    """A range of the file's bytes and its purpose. `name` tells regions of a kind apart."""

    kind: RegionKind
    name: str
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that says a range is its own. Claims may overlap, nest and leave the file.

    `kind` None makes a hole: inside of it, what nobody else claims is a gap.
    """

    kind: RegionKind | None
    name: str
    span: Span


_PADDING_LOOK = 1 << 16
"""Bytes of a gap that are read to see whether it is padding (zeros)."""


def partition(buffer: Buffer, claims: Iterable[Claim], end: int) -> tuple[Region, ...]:
    """Cuts a file into regions.

    Where claims overlap, the one that starts last wins, so that a part of something is told apart
    from the whole; of two that start together, the smaller. A gap between claims is padding when
    its bytes are zero.

    Args:
        buffer: the file; only gaps are read, and only their first bytes.
        claims: what is claimed.
        end: where the file should end by what its header says; what lies after it is trailing.
    """
    size = len(buffer)
    found = []
    for claim in claims:
        start, stop = max(0, claim.span.start), min(size, claim.span.start + claim.span.size)
        if start < stop:
            found.append((start, -stop, stop, claim))
    found.sort(key=lambda entry: entry[:2])
    owners = _owners(found, size)
    regions: list[Region] = []
    for start, stop, owner in owners:
        if owner is not None and owner.kind is not None:
            regions.append(Region(owner.kind, owner.name, start, stop - start))
            continue
        for first, last in (
            (start, min(stop, max(start, end))),
            (max(start, min(stop, end)), stop),
        ):
            if first < last:
                trailing = first >= end
                regions.append(_gap(buffer, first, last, trailing))
    return tuple(regions)


def _owners(
    found: list[tuple[int, int, int, Claim]], size: int
) -> list[tuple[int, int, Claim | None]]:
    """Sweeps over the claims with a stack of those that are open."""
    pieces: list[tuple[int, int, Claim | None]] = []
    open_claims: list[tuple[int, Claim]] = []
    at = 0

    def advance(to: int) -> None:
        nonlocal at
        while at < to:
            while open_claims and open_claims[-1][0] <= at:
                open_claims.pop()
            stop = min(to, open_claims[-1][0]) if open_claims else to
            pieces.append((at, stop, open_claims[-1][1] if open_claims else None))
            at = stop

    for start, _, stop, claim in found:
        advance(start)
        open_claims.append((stop, claim))
    advance(size)
    merged: list[tuple[int, int, Claim | None]] = []
    for first, last, owner in pieces:
        if merged and merged[-1][2] is owner and merged[-1][1] == first:
            merged[-1] = (merged[-1][0], last, owner)
        else:
            merged.append((first, last, owner))
    return merged


def _gap(buffer: Buffer, start: int, stop: int, trailing: bool) -> Region:
    if trailing:
        return Region(RegionKind.TRAILING, "", start, stop - start)
    try:
        head = buffer[start : min(stop, start + _PADDING_LOOK)]
    except NotFetchedError:
        return Region(RegionKind.UNCLAIMED, "not fetched", start, stop - start)
    kind = RegionKind.PADDING
    if any(head) or stop - start > _PADDING_LOOK:
        kind = RegionKind.UNCLAIMED
    return Region(kind, "", start, stop - start)
