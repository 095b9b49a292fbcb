"""The same bytes more than once.

What it finds:
    Constants, segments and keys of data files with equal content, and the bytes that are shipped
    twice. It reads all weights, so it only runs when it is asked for (`--select PTE705`, ALL, or a
    severity for it).

What the runtime does:
    Each copy is loaded and kept (all versions). The exporter shares constants of equal content
    inside one program, and under all keys of one data file, but not between constants, initial
    state, delegates' blobs, named data and several data files.

Why it happens:
    A weight is used by two delegates that do not share weights, or inside and outside of a
    delegate; equal tensors were sent to data files of different names.

How to fix it:
    Let delegates share their weights by name, where the backend can:

        from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

        partitioner=[XnnpackPartitioner()]  # weights go to named data, equal ones once

    Write equal tensors into one data file, where their keys share the bytes:

        from executorch.exir import ExecutorchBackendConfig

        ExecutorchBackendConfig(external_constants=True)

How it is confirmed:
    Not visible by running.

Seen in:
    executorch#12960
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Span
from pte_lint.schema.ranges import Buffer, window

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.data.constants import constant_area, constants
from pte_lint.data.context import Context
from pte_lint.data.data_files import all_entries, data_files
from pte_lint.data.places import named_place
from pte_lint.data.segments import Use, extent, references
from pte_lint.rulebook.rule import Yields, artifact_rule

_LEAST = 256
"""Bytes below which a copy is not worth a word."""
_SHOWN = 20


_BY_NAME = (
    "Let delegates share their weights by name, where the backend can, and lower all methods in "
    "one call:\n\n"
    "    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner"
    "\n\n"
    "    partitioner=[XnnpackPartitioner()]  # weights go to named data, equal ones once"
)
_IN_ONE_FILE = (
    "Write equal tensors into one data file, where their keys share the bytes:\n\n"
    "    from executorch.exir import ExecutorchBackendConfig\n\n"
    "    ExecutorchBackendConfig(external_constants=True)"
)


@dataclass(frozen=True, slots=True)
class _Range:
    """Bytes of a file: what they are in words, where they are named, and where they lie."""

    words: str
    path: str
    buffer: Buffer
    span: Span
    is_in_data_file: bool = False


@artifact_rule(
    "PTE705",
    "duplicate-data",
    Severity.INFO,
    "data that is there more than once",
    is_optional=True,
)
def check(ctx: Context) -> Yields:
    """Hashes only ranges whose size is there more than once."""
    by_size: dict[int, dict[tuple[int, int], _Range]] = {}
    for each in (*_of_program(ctx), *_of_data_files(ctx)):
        if each.span.size >= _LEAST:
            places = by_size.setdefault(each.span.size, {})
            places.setdefault((id(each.buffer), each.span.start), each)
    copies: list[list[_Range]] = []
    wasted = 0
    for size, places in by_size.items():
        groups: dict[bytes, list[_Range]] = {}
        if len(places) > 1:
            for each in places.values():
                start = each.span.start
                with window(each.buffer, start, start + size) as content:
                    groups.setdefault(hashlib.sha256(content).digest(), []).append(each)
        for alike in groups.values():
            if len(alike) > 1:
                copies.append(alike)
                wasted += size * (len(alike) - 1)
    if copies:
        same = " = ".join(each.words for each in copies[0][:3])
        in_data_files = all(each.is_in_data_file for alike in copies for each in alike)
        yield Finding(
            message=f"{wasted} bytes are copies of others: {same}"
            + (f", and {len(copies) - 1} more groups." if len(copies) > 1 else "."),
            remediation=_IN_ONE_FILE if in_data_files else _BY_NAME,
            location=Location(path=copies[0][1].path),
            evidence={
                "bytes": wasted,
                "copies": [[each.path for each in alike] for alike in copies[:_SHOWN]],
            },
            subject="data",
        )


def _of_program(ctx: Context) -> Iterator[_Range]:
    """Constants one by one, other segments as a whole."""
    if ctx.program is None:
        return
    buffer = ctx.artifact.buffer
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
                    yield _Range(name, name, buffer, Span(whole.start + offset, constant.nbytes))
    for reference in references(ctx.program):
        span = extent(ctx, reference.index)
        if reference.use is not Use.CONSTANTS and span is not None:
            yield _Range(named_place(ctx.program, reference.path), reference.path, buffer, span)


def _of_data_files(ctx: Context) -> Iterator[_Range]:
    """Keys; those of one file may share their bytes, which are no copies."""
    for entry in all_entries(data_files(ctx)):
        span, buffer = entry.span, entry.file.buffer
        if span is not None and buffer is not None:
            words = f"{entry.text} in {entry.file.name or 'the data file'}"
            yield _Range(words, entry.path, buffer, span, is_in_data_file=True)
