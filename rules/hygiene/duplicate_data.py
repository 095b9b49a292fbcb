"""The same bytes more than once.

What it finds:
    Constants and segments with equal content, and the bytes that are shipped twice. It reads all
    weights, so it only runs when it is asked for (`--select PTE705`, ALL, or a severity for it).

What the runtime does:
    Each copy is loaded and kept (all versions). The exporter shares constants of equal content
    inside one program, but not between constants, initial state, delegates' blobs and named data.

Why it happens:
    A weight is used by two delegates that do not share weights, or inside and outside of a
    delegate.

How to fix it:
    Let delegates share their weights by name, where the backend can:

        from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

        partitioner=[XnnpackPartitioner()]  # weights go to named data, equal ones once

How it is confirmed:
    Not visible by running.

Seen in:
    executorch#12960
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from pte_lint.schema.program import Span
from pte_lint.schema.ranges import window

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.data.constants import constant_area, constants
from pte_lint.data.context import Context
from pte_lint.data.places import named_place
from pte_lint.data.segments import Use, extent, references
from pte_lint.rulebook.rule import Yields, artifact_rule

_LEAST = 256
"""Bytes below which a copy is not worth a word."""
_SHOWN = 20


@artifact_rule(
    "PTE705",
    "duplicate-data",
    Severity.INFO,
    "data that is there more than once",
    is_optional=True,
)
def check(ctx: Context) -> Yields:
    """Hashes only ranges whose size is there more than once."""
    if ctx.program is None:
        return
    by_size: dict[int, dict[int, str]] = {}
    for name, span in _ranges(ctx):
        if span.size >= _LEAST:
            by_size.setdefault(span.size, {}).setdefault(span.start, name)
    copies: list[list[str]] = []
    wasted = 0
    for size, places in by_size.items():
        groups: dict[bytes, list[str]] = {}
        if len(places) > 1:
            for start, name in places.items():
                with window(ctx.artifact.buffer, start, start + size) as content:
                    groups.setdefault(hashlib.sha256(content).digest(), []).append(name)
        for names in groups.values():
            if len(names) > 1:
                copies.append(names)
                wasted += size * (len(names) - 1)
    if copies:
        same = " = ".join(named_place(ctx.program, place) for place in copies[0][:3])
        yield Finding(
            message=f"{wasted} bytes are copies of others: {same}"
            + (f", and {len(copies) - 1} more groups." if len(copies) > 1 else "."),
            remediation="Let delegates share their weights by name, where the backend can.",
            location=Location(path=copies[0][1]),
            evidence={"bytes": wasted, "copies": copies[:_SHOWN]},
            subject="data",
        )


def _ranges(ctx: Context) -> Iterator[tuple[str, Span]]:
    """Constants one by one, other segments as a whole."""
    assert ctx.program is not None
    area = constant_area(ctx)
    whole = extent(ctx, area.index) if area is not None else None
    if area is not None and whole is not None:
        for method in ctx.methods:
            for constant in constants(method):
                if constant.entry >= len(area.offsets):
                    continue
                offset = area.offsets[constant.entry]
                if offset + constant.nbytes <= area.size:
                    name = f"constant {constant.entry}"
                    yield name, Span(whole.start + offset, constant.nbytes)
    for reference in references(ctx.program):
        span = extent(ctx, reference.index)
        if reference.use is not Use.CONSTANTS and span is not None:
            yield reference.path, span
