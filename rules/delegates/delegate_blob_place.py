"""A delegate's blob that is not where the program says.

What it finds:
    Blobs in segments that do not exist, that are outside the file, or in a program without a
    segment base; inline blobs without a table, outside it, or without bytes.

What the runtime does:
    Segment: without a base or beyond the table NotFound; without a segment table InvalidProgram
    (SIGSEGV up to 1.3); base plus offset beyond 2^64 InvalidProgram (1.2 wraps and reads other
    bytes); outside the file InvalidArgument from the loader. Inline: without a table, or with an
    entry without data, SIGSEGV; beyond the table NotFound. All at load_method
    (runtime/executor/program.cpp: Program::LoadSegment, get_backend_delegate_data).

Why it happens:
    The file is cut or was edited, or a tool moved blobs into segments without the header.

How to fix it:
    Export the program again, or transfer the file again:

        program.save("model.pte")

How it is confirmed:
    Loading the method gives the error, or crashes.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.schema.enums import DataLocation
from pte_lint.schema.program import BackendDelegateDataReference, Program

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, crash, error, undefined
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.segments import overflows, program_container
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count

_NOT_FOUND = Forecast.always(error(Stage.LOAD_METHOD, "NotFound"))
_INVALID = Forecast.always(error(Stage.LOAD_METHOD, "InvalidProgram"))
_OUTSIDE = Forecast.always(error(Stage.LOAD_METHOD, "InvalidArgument"))
_NULL = Forecast.always(crash(Stage.LOAD_METHOD, "SIGSEGV"))
_CRASHED = crash(Stage.LOAD_METHOD, "SIGSEGV")


@method_rule(
    "PTE413",
    "delegate-blob-place",
    Severity.ERROR,
    "delegate blobs that are not there",
    sign=(
        Sign(r"Segment index {index} out of range", "data for backend"),
        Sign(r"index {index} >= list size", "data for backend"),
        Sign("No segments in program: requested index {index}"),
    ),
)
def check(method: Method, ctx: Context) -> Yields:
    """Entries without a usable reference are PTE412."""
    for index, delegate in enumerate(method.plan.delegates or ()):
        where = delegate.processed
        if where is None or delegate.id is None:
            continue
        if where.location == DataLocation.SEGMENT:
            fault = _segment(ctx, where)
        elif where.location == DataLocation.INLINE:
            fault = _inline(method.program, where)
        else:
            continue
        if fault is None:
            continue
        message, forecast = fault
        yield Finding(
            message=f"The blob of delegate {index} ({delegate.id or 'no name'}) is in {message}.",
            remediation='Export or transfer the file again:\n\n    program.save("model.pte")',
            location=Location(
                f"{method.path}.delegates[{index}].processed", byte_offset=method.base + where.at
            ),
            forecast=forecast,
            order=(LoadMethodStep.DELEGATES, index, 2),
            evidence={"location": where.location, "index": where.index},
            subject=f"delegates[{index}].processed",
        )


def _segment(ctx: Context, where: BackendDelegateDataReference) -> tuple[str, Forecast] | None:
    container, program = program_container(ctx), ctx.program
    if container is None or program is None:
        return None
    named = f"segment {where.index}"
    if container.segment_base_offset == 0:
        return f"{named}, but the file has no segment base (no extended header, or 0)", _NOT_FOUND
    if program.segments is None:
        return f"{named}, but there is no segment table", _INVALID.until("1.3", _CRASHED)
    if where.index >= len(program.segments):
        return f"{named}, but the program has {count(len(program.segments), 'segment')}", _NOT_FOUND
    segment = program.segments[where.index]
    if overflows(container, segment):
        before = undefined(Stage.LOAD_METHOD)
        return f"{named}, whose start passes 2^64", _INVALID.until("1.2", before)
    if container.segment_range(segment) is None:
        end = container.segment_base_offset + segment.offset + segment.size
        return f"{named}, which ends at byte {end} of {container.size}", _OUTSIDE
    return None


def _inline(program: Program, where: BackendDelegateDataReference) -> tuple[str, Forecast] | None:
    table = program.backend_delegate_data
    named = f"inline entry {where.index}"
    if table is None:
        return f"{named}, but there is no table of inline blobs", _NULL
    if where.index >= len(table):
        return f"{named}, but the table has {count(len(table), 'entry', 'entries')}", _NOT_FOUND
    if table[where.index].data is None:
        return f"{named}, which has no data", _NULL
    return None
