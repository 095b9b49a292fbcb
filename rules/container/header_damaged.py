"""An extended header whose numbers cannot be right.

What it finds:
    A header length below the least (24), a program size that is below 8 or beyond the file, sizes
    whose sum passes 2^64, and a segment size that is smaller than what the segments need.

What the runtime does:
    Too short a length, a program below 8 bytes, an overflowing sum: InvalidProgram (1.2: SIGSEGV
    for a program of 0 bytes, and the overflow shows later as InvalidArgument). A program size
    beyond the file: InvalidArgument from the loader. A small segment size passes, because only
    the end that it gives is compared with the file (runtime/executor/program.cpp: Program::load,
    schema/extended_header.cpp: ExtendedHeader::Parse).

Why it happens:
    A tool that rewrote the file did not rewrite the header, or the header's bytes were damaged.
    The exporter computes all of these from what it writes.

How to fix it:
    Export the program again. A tool that edits programs must write program_size,
    segment_base_offset and segment_data_size at bytes 16, 24 and 32 anew:

        import struct

        struct.pack_into("<QQQ", data, 16, program_size, base, segment_data_size)

How it is confirmed:
    Loading the file gives the error named; the small segment size is not visible by running.

Seen in:
    executorch#18824
"""

from __future__ import annotations

from pte_lint.schema.container import Container, HeaderState
from pte_lint.schema.limits import MIN_PROGRAM_BYTES

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, crash, error
from pte_lint.claims.order import LoadProgramStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.segments import U64, program_container
from pte_lint.rulebook.rule import Yields, artifact_rule

_REMEDIATION = (
    "Export the program again. A tool that edits programs must write the sizes in the header "
    'anew:\n\n    import struct\n\n    struct.pack_into("<QQQ", data, 16, program_size, '
    "base, segment_data_size)"
)
_INVALID = Forecast.always(error(Stage.LOAD_PROGRAM, "InvalidProgram"))
_OUTSIDE = Forecast.always(error(Stage.LOAD_PROGRAM, "InvalidArgument"))


@artifact_rule(
    "PTE007",
    "header-damaged",
    Severity.ERROR,
    "impossible numbers in the header",
    sign=(
        Sign(r"offset 0 \+ size {number} > file_size_ {size}\b", when={"field": "program_size"}),
        Sign(r"Program data size {number} is too small", when={"field": "program_size"}),
        Sign(r"Extended header length {number} <", when={"field": "length"}),
        Sign(r"segment_base_offset {number} \+ segment_data_size \d+ overflows"),
        Sign(r"segment_base_offset \d+ \+ segment_data_size {number} overflows"),
    ),
)
def check(ctx: Context) -> Yields:
    """One finding for the first number that the loader trips over, one for the segment size."""
    container = program_container(ctx)
    if container is None:
        return
    if container.header_state is HeaderState.TOO_SHORT:
        start = _at(container, 12)
        length = int.from_bytes(ctx.artifact.buffer[start : start + 4], "little")
        message = f"The extended header gives its length as {length}; the least is 24."
        yield _finding(container, message, 12, length, (_INVALID, LoadProgramStep.HEADER))
        return
    header = container.header
    if header is None:
        return
    base, data = container.segment_base_offset, container.segment_data_size
    program, expected = header.program_size, container.expected_size
    if base + data >= U64:
        message = f"segment_base_offset {base} plus segment_data_size {data} passes 2^64."
        forecast = _INVALID.until("1.2", error(Stage.LOAD_PROGRAM, "InvalidArgument"))
        yield _finding(container, message, 24, base + data, (forecast, LoadProgramStep.FILE_SIZE))
    elif expected is not None and expected <= container.size < program:
        message = f"program_size is {program}, but the file has {container.size} bytes."
        yield _finding(container, message, 16, program, (_OUTSIDE, LoadProgramStep.PROGRAM_BYTES))
    elif program < MIN_PROGRAM_BYTES:
        message = f"program_size is {program}; root offset and identifier alone take 8 bytes."
        forecast = _INVALID
        if program == 0:
            forecast = forecast.until("1.2", crash(Stage.LOAD_PROGRAM, "SIGSEGV"))
        yield _finding(container, message, 16, program, (forecast, LoadProgramStep.PROGRAM_SIZE))
    else:
        yield from _small_area(ctx, container)


def _small_area(ctx: Context, container: Container) -> Yields:
    program, data = ctx.program, container.segment_data_size
    if program is None or data == 0:
        return
    ends = [s.offset + s.size for s in program.segments or ()]
    end = max(ends, default=0)
    room = container.size - container.segment_base_offset
    if data < end <= room:
        yield Finding(
            message=f"segment_data_size is {data}, but the last segment ends at {end}: runtimes "
            "cannot tell from the header when the file is cut.",
            remediation=_REMEDIATION,
            location=Location(path="header.segment_data_size", byte_offset=_at(container, 32)),
            evidence={"segment_data_size": data, "segments_end": end},
            subject="header.segment_data_size",
            severity=Severity.WARNING,
        )


def _finding(
    container: Container,
    message: str,
    offset: int,
    number: int,
    refusal: tuple[Forecast, LoadProgramStep],
) -> Finding:
    field = {12: "length", 16: "program_size", 24: "segment_base_offset"}[offset]
    return Finding(
        message=message,
        remediation=_REMEDIATION,
        location=Location(path=f"header.{field}", byte_offset=_at(container, offset)),
        forecast=refusal[0],
        order=(refusal[1],),
        evidence={"field": field, "number": number, "size": container.size},
        subject=f"header.{field}",
    )


def _at(container: Container, offset: int) -> int:
    return container.program_start + offset
