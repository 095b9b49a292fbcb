"""Bytes after the end of the program that nothing accounts for.

What it finds:
    A file that goes on after what its header promises: garbage, or a second file.

What the runtime does:
    Nothing: loaders read the ranges they are asked for (every version).

Why it happens:
    Files were concatenated, a shorter program was written over a longer one without truncating,
    or a transfer padded the file. Data hidden there is shipped to every device.

How to fix it:
    Cut the file at the size that the header gives:

        truncate -s SIZE model.pte

How it is confirmed:
    Written over in a copy of the file, all runs stay the same.

Seen in:
    executorch#18824
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.segments import program_container
from pte_lint.rulebook.rule import Yields, artifact_rule
from pte_lint.text.words import count


@artifact_rule(
    "PTE017",
    "trailing-bytes",
    Severity.WARNING,
    "bytes after the end of the program",
    sign=Unseen("no run looks at it", Trial.IDLE),
)
def check(ctx: Context) -> Yields:
    """Only where the header promises a size; a program without header is the whole file."""
    container = program_container(ctx)
    if container is None or container.trailing_bytes == 0:
        return
    # A segment area that the header gives too small is PTE007, and its rest is no trailing data.
    base = container.segment_base_offset
    segments = ctx.program.segments or () if ctx.program is not None else ()
    promised = container.size - container.trailing_bytes
    end = max([promised, *(base + s.offset + s.size for s in segments if base)])
    extra = container.size - end
    if extra <= 0:
        return
    yield Finding(
        message=f"{count(extra, 'byte follows', 'bytes follow')} the end of the program at byte "
        f"{end}.",
        remediation=f"Cut the file there:\n\n    truncate -s {end} model.pte",
        location=Location(byte_offset=container.program_start + end),
        evidence={"end": end, "extra": extra},
        subject="file",
    )
