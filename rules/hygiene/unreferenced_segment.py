"""A segment that nothing refers to.

What it finds:
    Segments with bytes that neither constants, initial state, delegates nor named data name; with
    the number of bytes that are shipped for nothing, and whether they leave the file.

What the runtime does:
    Nothing: a segment is read when something asks for it (all versions).

Why it happens:
    A tool removed a delegate or a key and kept its bytes, or renumbered segments wrongly.

How to fix it:
    Export the program again:

        program.save("model.pte")

How it is confirmed:
    Left out of a copy of the file, all runs stay the same.

Seen in:
    executorch#12960
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.segments import program_container, references
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule(
    "PTE701",
    "unreferenced-segment",
    Severity.WARNING,
    "segments that nothing refers to",
    sign=Unseen("no run looks at it", Trial.IDLE),
)
def check(ctx: Context) -> Yields:
    """One finding for all of them."""
    container, program = program_container(ctx), ctx.program
    if container is None or program is None:
        return
    used = {reference.index for reference in references(program)}
    unused = [
        (index, segment)
        for index, segment in enumerate(program.segments or ())
        if segment.size and index not in used
    ]
    if not unused:
        return
    total = sum(segment.size for _, segment in unused)
    outside = [index for index, s in unused if container.segment_range(s) is None]
    first = unused[0]
    names = ", ".join(str(index) for index, _ in unused[:5]) + (", ..." if len(unused) > 5 else "")
    several = len(unused) > 1
    left = f"; {len(outside)} of them leave the file" if outside else ""
    if outside and not several:
        left = "; it leaves the file"
    yield Finding(
        message=f"Nothing refers to segment{'s' if several else ''} {names} ({total} bytes){left}.",
        remediation='Export the program again:\n\n    program.save("model.pte")',
        location=Location(
            path=f"segments[{first[0]}]", byte_offset=container.program_start + first[1].at
        ),
        evidence={"segments": [i for i, _ in unused], "bytes": total, "outside": outside},
        subject="segments",
    )
