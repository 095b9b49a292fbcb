"""Segments that are not in the order of their offsets.

What it finds:
    A segment table in which an entry with bytes starts before the entry in front of it.

What the runtime does:
    Nothing: each segment is found by its own offset (all versions). Tools that rewrite programs,
    the exporter's own deserialiser among them, take the order for granted
    (exir/_serialize/_program.py: _restore_segments).

Why it happens:
    A tool changed segments. The exporter lays them out in the order of the table.

How to fix it:
    Export the program again:

        program.save("model.pte")

How it is confirmed:
    Not visible by running.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.data.context import Context
from pte_lint.data.segments import program_container
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule("PTE020", "segment-order", Severity.WARNING, "segment tables out of order")
def check(ctx: Context) -> Yields:
    """The first entry that is out of order."""
    container, program = program_container(ctx), ctx.program
    if container is None or program is None:
        return
    before = 0
    for index, segment in enumerate(program.segments or ()):
        if segment.size == 0:
            continue
        if segment.offset < before:
            yield Finding(
                message=f"Segment {index} starts at {segment.offset}, before the segment in front "
                f"of it, which starts at {before}.",
                remediation='Export the program again:\n\n    program.save("model.pte")',
                location=Location(
                    path=f"segments[{index}]", byte_offset=container.program_start + segment.at
                ),
                evidence={"segment": index, "offset": segment.offset, "before": before},
                subject="segments",
            )
            return
        before = segment.offset
