"""Where the bytes of a file go, as bars."""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.inspection.model import Inspection
from pte_lint.inspection.regions import RegionKind
from pte_lint.picture.chart import Frame
from pte_lint.picture.svg import element, text_node
from pte_lint.schema.frozen import dataclass

_MOST = 14
"""Rows from which on things of one kind are added up."""

_SMALL = 0.01
"""Part of the file below which things of one kind are added up."""

_ONE_BY_ONE = frozenset({RegionKind.BLOB, RegionKind.SEGMENT, RegionKind.NAMED})
"""Kinds of regions that are told one by one."""

_CLASSES = {
    RegionKind.HEADER: "head",
    RegionKind.TABLES: "tables",
    RegionKind.BUNDLE: "tables",
    RegionKind.CONSTANTS: "constants",
    RegionKind.STATE: "constants",
    RegionKind.NAMED: "named",
    RegionKind.BUNDLED_DATA: "named",
    RegionKind.BLOB: "blob",
}
"""Classes of colour; what is left out is padding and what nothing refers to."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One thing that takes bytes."""

    what: str
    name: str
    nbytes: int
    share: float
    """Of the file, 0 to 1."""
    colour: str


def bars(inspection: Inspection) -> tuple[Bar, ...]:
    """The things that take most bytes, largest first; together they are the whole file."""
    whole = inspection.size or 1
    named: dict[tuple[RegionKind, str], int] = {}
    for region in inspection.regions:
        key = (region.kind, region.name if region.kind in _ONE_BY_ONE else "")
        named[key] = named.get(key, 0) + region.size
    ranked = sorted(named.items(), key=lambda item: (-item[1], item[0]))
    totals: dict[tuple[RegionKind, str], int] = {}
    small: dict[RegionKind, list[int]] = {}
    for (kind, name), size in ranked:
        if name and (size / whole < _SMALL or len(totals) >= _MOST):
            small.setdefault(kind, []).append(size)
        else:
            totals[kind, name] = size
    for kind, sizes in small.items():
        if len(sizes) == 1:
            totals[kind, next(name for (k, name), size in ranked[::-1] if k is kind)] = sizes[0]
        else:
            totals[kind, f"{len(sizes):,} smaller ones"] = sum(sizes)
    return tuple(
        Bar(str(kind), name, size, size / whole, _CLASSES.get(kind, "spare"))
        for (kind, name), size in sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    )


def stacked(found: tuple[Bar, ...], frame: Frame) -> Iterator[str]:
    """Yields the elements of one bar of the whole file."""
    at = 0.0
    for bar in found:
        title = element("title", text_node(f"{bar.what} {bar.name}: {bar.nbytes:,} bytes"))
        yield element(
            "rect",
            title,
            class_=f"bytes {bar.colour}",
            x=frame.x(at),
            y=0,
            width=frame.x(bar.share),
            height=frame.height,
        )
        at += bar.share
