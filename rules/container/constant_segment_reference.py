"""A constant segment that does not exist, or constants stored twice.

What it finds:
    A program that keeps constants in a segment but has no segment table, names a segment outside
    it, or has inline constants (`constant_buffer`) as well.

What the runtime does:
    Program::load checks all three while it loads the constant segment, and refuses the program
    with InvalidProgram, in every version (runtime/executor/program.cpp).

Why it happens:
    A tool moved constants from the flatbuffer into a segment, or back, and forgot one side. The
    exporter writes one of the two, never both (exir/_serialize/_program.py:
    serialize_pte_binary).

How to fix it:
    Export the program again:

        program.save("model.pte")

How it is confirmed:
    Loading the file gives InvalidProgram.

Seen in:
    executorch#12294
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadProgramStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.segments import has_constants, program_container
from pte_lint.rulebook.rule import Yields, artifact_rule
from pte_lint.text.words import count

_REFUSED = Forecast.always(error(Stage.LOAD_PROGRAM, "InvalidProgram"))


@artifact_rule(
    "PTE011",
    "constant-segment-reference",
    Severity.ERROR,
    "constant segments that are not there",
    sign=(
        Sign(r"segment index {segment_index} invalid for program segments range {segments}\b"),
        Sign("No segments in program", when={"segments": None}),
        Sign(r"constant_buffer contains {inline_constants} items"),
    ),
)
def check(ctx: Context) -> Yields:
    """The three tests in the loader's order; it stops at the first."""
    container, program = program_container(ctx), ctx.program
    if container is None or program is None or not has_constants(program):
        return
    segment = program.constant_segment
    assert segment is not None
    stored = len(segment.offsets or ()) - 1
    inline, segments = program.constant_buffer or (), program.segments
    if inline:
        step = 0
        message = (
            f"The program has {count(len(inline), 'inline constant')} (constant_buffer) and "
            f"{stored} in a segment; only one of the two is allowed."
        )
    elif segments is None:
        step = 1
        message = (
            f"{count(stored, 'constant is', 'constants are')} in segment "
            f"{segment.segment_index}, but there are none."
        )
    elif segment.segment_index >= len(segments):
        step = 2
        message = (
            f"{count(stored, 'constant is', 'constants are')} in segment "
            f"{segment.segment_index}, but the program has {count(len(segments), 'segment')}."
        )
    else:
        return
    yield Finding(
        message=message,
        remediation='Export the program again:\n\n    program.save("model.pte")',
        location=Location(
            path="constant_segment", byte_offset=container.program_start + segment.at
        ),
        forecast=_REFUSED,
        order=(LoadProgramStep.CONSTANT_SEGMENT, step),
        evidence={
            "segment_index": segment.segment_index,
            "segments": None if segments is None else len(segments),
            "inline_constants": len(inline),
        },
        subject="constant_segment",
    )
