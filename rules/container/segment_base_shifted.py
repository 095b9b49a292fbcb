"""A segment base that is not where an exporter puts it.

What it finds:
    A segment_base_offset that leaves more room after the program than its own alignment explains.
    It is an error where the bytes left over at the file's end are exactly what is missing to the
    next multiple of 128: then the base was moved and every segment is read from the wrong place.

What the runtime does:
    Nothing checks the base against the program or against any alignment; a moved base reads all
    constants, blobs and named data too early, with status Ok and wrong numbers, in every version
    (runtime/executor/program.cpp: Program::load).

Why it happens:
    A tool changed the header, or inserted or removed bytes without moving the base. The exporter
    puts the base at the first multiple of segment_alignment (128 by default) after the program
    (exir/_serialize/_program.py: serialize_pte_binary).

How to fix it:
    Export the program again, or put the base back:

        import struct

        struct.pack_into("<Q", data, 24, -(-program_size // 128) * 128)

How it is confirmed:
    With the right base written into a copy the same inputs give other outputs.

Seen in:
    executorch#12294
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, undefined
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.segments import program_container
from pte_lint.rulebook.rule import Yields, artifact_rule

_ALIGNMENT = 128
"""The exporter's default segment_alignment."""


@artifact_rule(
    "PTE009",
    "segment-base-shifted",
    Severity.ERROR,
    "segment bases off their alignment",
    sign=Unseen(
        "bytes beside the constants are read, and no check looks: only results would tell",
        Trial.COMPARE,
    ),
)
def check(ctx: Context) -> Yields:
    """A base before the program's end overlaps it: PTE015."""
    container = program_container(ctx)
    if container is None or container.header is None or ctx.program is None:
        return
    base, program = container.segment_base_offset, container.program_size
    gap = base - program
    # The largest power of two that divides the base is the largest alignment it can have had.
    if base == 0 or gap < (base & -base) or base > container.size:
        return
    missing = -base % _ALIGNMENT
    moved = missing > 0 and container.trailing_bytes == missing
    message = (
        f"The segment base {base} is {gap} bytes after the program's end and a multiple of "
        f"{base & -base} only"
    )
    if moved:
        message += (
            f"; {missing} bytes are left over at the end of the file, just what is missing to "
            f"{base + missing}: segments are read {missing} bytes too early."
        )
    else:
        message += ": no segment alignment explains the gap."
    yield Finding(
        message=message,
        remediation="Export the program again. The exporter puts the base at the first multiple "
        "of segment_alignment after the program.",
        location=Location(
            path="header.segment_base_offset", byte_offset=container.program_start + 24
        ),
        forecast=Forecast.always(undefined(Stage.EXECUTE)) if moved else None,
        evidence={"segment_base_offset": base, "program_size": program, "gap": gap},
        subject="header.segment_base_offset",
        severity=Severity.ERROR if moved else Severity.WARNING,
    )
