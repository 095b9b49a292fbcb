"""A constant segment that leaves the file.

What it finds:
    A segment of constants whose bytes are not all in the file, and one whose start passes 2^64 and
    comes back inside the file.

What the runtime does:
    The constant segment is loaded with the program: a range outside the file is InvalidArgument
    from the loader, in every version. A start that wraps is not checked: other bytes are read as
    constants, with status Ok and wrong numbers (runtime/executor/program.cpp: Program::load adds
    base and offset without an overflow test).

Why it happens:
    The file is cut, the segment table was damaged, or a tool moved segments without updating it.

How to fix it:
    Transfer or export the file again:

        program.save("model.pte")

How it is confirmed:
    Loading the file gives InvalidArgument; after a wrap the outputs differ.

Seen in:
    executorch#18824
"""

from __future__ import annotations

from dataclasses import replace

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, error, undefined
from pte_lint.claims.order import LoadProgramStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.segments import Place, has_constants, place, program_container, segment_at
from pte_lint.rulebook.rule import Yields, artifact_rule

_OUTSIDE = Forecast.always(error(Stage.LOAD_PROGRAM, "InvalidArgument"))
_WRAPPED = Forecast.always(undefined(Stage.EXECUTE))


@artifact_rule(
    "PTE014",
    "constant-segment-range",
    Severity.ERROR,
    "constant segments outside the file",
    sign=(
        Sign(r"offset {base+offset} \+ size {size} > file_size_ "),
        Sign("segment_base_offset {base} [+] segment offset {offset} overflows"),
    ),
)
def check(ctx: Context) -> Yields:
    """Loading fails for all methods; wrong bytes only matter to those that use constants."""
    container, program = program_container(ctx), ctx.program
    if container is None or program is None or not has_constants(program):
        return
    assert program.constant_segment is not None
    index = program.constant_segment.segment_index
    segment = segment_at(program, index)
    if segment is None:
        return
    where = place(container, segment)
    if where is Place.INSIDE:
        return
    base = container.segment_base_offset
    finding = Finding(
        message=f"The constant segment starts at byte {base} + {segment.offset} and has "
        f"{segment.size} bytes; the file ends at byte {container.size}.",
        remediation="Transfer the file again: the copy is whole where `sha256sum` prints the same "
        "on both sides. Where the source is damaged too, export again:\n\n"
        '    program.save("model.pte")',
        location=Location(
            path=f"segments[{index}]", byte_offset=container.program_start + segment.at
        ),
        forecast=_OUTSIDE,
        order=(LoadProgramStep.CONSTANT_SEGMENT, 4),
        evidence={"offset": segment.offset, "size": segment.size, "base": base},
        subject=f"segments[{index}]",
    )
    if where is Place.OUTSIDE:
        yield finding
        return
    start = (base + segment.offset) % (1 << 64)
    for method in ctx.methods:
        if any(method.nbytes(v) for v in method.constants):
            yield replace(
                finding,
                message=f"The constant segment's start, {base} + {segment.offset}, passes 2^64 "
                f"and comes back at byte {start}: other bytes are read as constants.",
                forecast=_WRAPPED,
                order=(),
                method=method.name,
                plan=method.index,
            )
