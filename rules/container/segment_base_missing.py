"""Segments in use, but no extended header that says where they start.

What it finds:
    A program whose methods use constants (or named data) in segments although the header's magic
    is not `eh00`, the header is absent, or its segment_base_offset is 0.

What the runtime does:
    Without a base, offsets count from the file's first byte: constants are read from the program's
    own tables, and the method runs to wrong numbers, NaN mostly, with status Ok. 1.2 to 1.5 alike;
    no verification level notices (runtime/executor/program.cpp: Program::load). Delegate blobs and
    initial state in segments are refused instead (NotFound): PTE413, PTE506.

Why it happens:
    A tool rebuilt the flatbuffer from its JSON or schema and lost the header, or the header was
    damaged. The exporter writes a header whenever any segment holds bytes.

How to fix it:
    Export the program again; flatc and other generic flatbuffer tools cannot write this format:

        program.save("model.pte")

How it is confirmed:
    With the base, or the header's magic, written into a copy the same inputs give other outputs.

Seen in:
    executorch#12294
"""

from __future__ import annotations

from pte_lint.schema.container import HeaderState

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, undefined
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.segments import has_constants, program_container, segment_at
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count


@method_rule(
    "PTE008",
    "segment-base-missing",
    Severity.ERROR,
    "segments used without a segment base",
    sign=Unseen(
        "tables are read in place of constants, and no check looks: only results would tell",
        Trial.COMPARE,
    ),
)
def check(method: Method, ctx: Context) -> Yields:
    """Only constants: everything else in segments is refused, and others say so."""
    container, program = program_container(ctx), ctx.program
    if container is None or program is None or container.segment_base_offset != 0:
        return
    segment = program.constant_segment
    if segment is None or not has_constants(program):
        return
    place = segment_at(program, segment.segment_index)
    # An empty constant segment has no bytes to be wrong: PTE503.
    if place is None or place.size == 0 or container.segment_range(place) is None:
        return
    used = [v for v in method.constants if method.nbytes(v) > 0]
    if not used:
        return
    if container.header_state is HeaderState.PRESENT:
        why, at = "the header's segment_base_offset is 0", 24
    else:
        magic = container.program_start + 8
        found = bytes(ctx.artifact.buffer[magic : magic + 4])
        why, at = f"there is no extended header (bytes {found.hex(' ')} where eh00 belongs)", 8
    yield Finding(
        message=f"{count(len(used), 'constant is', 'constants are')} in a segment, but {why}: the "
        "program's own tables are read instead, and every result that depends on them is wrong.",
        remediation="Export the program again; generic flatbuffer tools lose the header:\n\n"
        '    program.save("model.pte")',
        location=Location(path="header", byte_offset=container.program_start + at),
        forecast=Forecast.always(undefined(Stage.EXECUTE)),
        evidence={"constants": len(used), "header": str(container.header_state)},
        subject="header.segment_base_offset",
    )
