"""Padding between segments that is not zero.

What it finds:
    Bytes other than zero between the program and its first segment, or between two segments.

What the runtime does:
    Nothing: no loader reads them (all versions).

Why it happens:
    A tool overwrote a segment by a shorter one, left old data behind, or hid data there. The
    exporter pads with zeros. What is left behind is shipped to every device.

How to fix it:
    Export the program again:

        program.save("model.pte")

How it is confirmed:
    Written over in a copy of the file, all runs stay the same.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.schema.container import Container
from pte_lint.schema.program import Program

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.segments import program_container
from pte_lint.rulebook.rule import Yields, artifact_rule

_MOST_GAPS = 256
_MOST_BYTES = 4096
"""Read of each gap at most: a gap is smaller than the alignment, unless something is wrong."""


@artifact_rule(
    "PTE021",
    "padding",
    Severity.WARNING,
    "padding that holds data",
    sign=Unseen("no run looks at it", Trial.IDLE),
)
def check(ctx: Context) -> Yields:
    """Only gaps between what the program names are read, never a segment."""
    container, program = program_container(ctx), ctx.program
    if container is None or program is None or container.segment_base_offset == 0:
        return
    found = []
    for n, (start, end) in enumerate(_gaps(container, program)):
        if n == _MOST_GAPS:
            break
        content = bytes(ctx.artifact.buffer[start : min(end, start + _MOST_BYTES)])
        used = len(content) - content.count(0)
        if used:
            found.append((start, end, used))
    if not found:
        return
    start, end, used = found[0]
    more = f", and {len(found) - 1} more places" if len(found) > 1 else ""
    yield Finding(
        message=f"{used} bytes of the padding from byte {start} to {end - 1} are not zero{more}.",
        remediation='Export the program again:\n\n    program.save("model.pte")',
        location=Location(byte_offset=start),
        evidence={"gaps": [{"start": s, "end": e, "bytes": u} for s, e, u in found]},
        subject="padding",
    )


def _gaps(container: Container, program: Program) -> Iterator[tuple[int, int]]:
    """Ranges in the file between the program and the segments, in order."""
    reached = container.program_start + container.program_range.size
    spans = []
    for segment in program.segments or ():
        span = container.segment_range(segment)
        if span is not None and span.size:
            spans.append((span.start, span.start + span.size))
    for start, end in sorted(spans):
        if start > reached:
            yield reached, start
        reached = max(reached, end)
