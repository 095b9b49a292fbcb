"""Segments that share bytes with each other or with the program.

What it finds:
    Two segments in use whose ranges overlap without being the same, and segments in use that
    start before the program ends. It is an error where bytes that are surely read overlap; a
    segment that is merely given as too long is a warning. Several keys or delegates may name one
    segment, and two segments with exactly one range may be meant.

What the runtime does:
    Nothing checks ranges against each other. Overlapping data reads as garbage: wrong numbers
    with status Ok, or an error of the delegate whose blob is hit
    (runtime/executor/program.cpp: Program::load, Program::LoadSegment).

Why it happens:
    A damaged header or segment table, or a tool that moved segments. The exporter lays segments
    out one after the other, each aligned (exir/_serialize/_program.py: serialize_pte_binary).

How to fix it:
    Export the program again:

        program.save("model.pte")

How it is confirmed:
    Of a segment over the program: with the base after it written into a copy, the same inputs give
    other outputs. Of segments that share bytes only a reference result would tell.

Seen in:
    executorch#18824
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from pte_lint.schema.container import Container
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Program

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, undefined
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.segments import (
    Use,
    has_constants,
    needed_bytes,
    program_container,
    references,
    segment_at,
)
from pte_lint.rulebook.rule import Yields, artifact_rule

_HEAD = 8
"""Bytes at the start of a segment that whoever uses it reads: no format is shorter."""
_GARBAGE = Forecast.always(undefined(Stage.EXECUTE))


@dataclass(frozen=True, slots=True, order=True)
class _Range:
    start: int
    end: int
    index: int
    uses: tuple[Use, ...]
    needed: int
    """How many of the bytes are surely read."""

    def __str__(self) -> str:
        uses = ", ".join(self.uses)
        return f"segment {self.index} ({uses}; bytes {self.start} to {self.end - 1})"


@artifact_rule(
    "PTE015",
    "segments-overlap",
    Severity.ERROR,
    "segments that share bytes",
    sign=Unseen(
        "the bytes are there for both: only results would tell which of the two they were",
        Trial.COMPARE,
    ),
)
def check(ctx: Context) -> Yields:
    """A sweep over the used segments in order of their start."""
    container, program = program_container(ctx), ctx.program
    if container is None or program is None or container.header is None:
        return
    if container.segment_base_offset == 0:
        return
    ranges = sorted(_used(ctx, program, container))
    program_end = container.program_start + container.program_size
    tables: list[int] | None = None
    furthest: _Range | None = None
    for each in ranges:
        if each.start < program_end:
            if tables is None:
                tables = sorted(container.program_start + at for at in _tables(program))
            yield _over_program(each, tables, container, program_end)
        elif furthest is not None and each.start < furthest.end:
            yield from _pair(furthest, each, container)
        if furthest is None or each.end > furthest.end:
            furthest = each


def _over_program(each: _Range, tables: list[int], container: Container, end: int) -> Finding:
    """Wrong for certain where a table of the program is in the segment, or where the base moved.

    A header that gives the program as too long is harmless; its other numbers fit the file then.
    """
    next_table = bisect_left(tables, each.start)
    hit = next_table < len(tables) and tables[next_table] < each.end
    if hit or container.trailing_bytes:
        return _finding(
            f"{each} lies over the program, which ends at byte {end}: it is read from the "
            "program's own tables.",
            each,
            container,
        )
    return _finding(
        f"The header has the program end at byte {end}, behind the start of {each}; one of the "
        "two numbers is wrong.",
        each,
        container,
        Severity.WARNING,
    )


def _tables(program: Program) -> Iterator[int]:
    """Where tables of the program start, from its first byte; not all of them, but many."""
    yield program.at
    for plan in program.execution_plan or ():
        yield plan.at
        for value in plan.values or ():
            yield value.at
        for chain in plan.chains or ():
            for instruction in chain.instructions or ():
                yield instruction.at
    for segment in program.segments or ():
        yield segment.at


def _pair(first: _Range, second: _Range, container: Container) -> Iterable[Finding]:
    if (first.start, first.end) == (second.start, second.end):
        if first.uses == second.uses:
            return
        yield _finding(
            f"{first} and {second} are the same bytes with different uses.",
            second,
            container,
            Severity.WARNING,
        )
        return
    shared = min(first.end, second.end) - second.start
    read = min(first.start + first.needed, second.start + second.needed) - second.start
    yield _finding(
        f"{first} and {second} share {shared} bytes"
        + ("." if read > 0 else ", though none that are surely read."),
        second,
        container,
        Severity.ERROR if read > 0 else Severity.WARNING,
    )


def _used(ctx: Context, program: Program, container: Container) -> Iterable[_Range]:
    uses: dict[int, list[Use]] = {}
    for reference in references(program):
        if reference.use is Use.CONSTANTS and not has_constants(program):
            continue
        known = uses.setdefault(reference.index, [])
        if reference.use not in known:
            known.append(reference.use)
    needed = needed_bytes(ctx)
    for index, named in uses.items():
        segment = segment_at(program, index)
        span = container.segment_range(segment) if segment is not None else None
        if span is not None and span.size > 0:
            least = min(max(needed.get(index, 0), _HEAD), span.size)
            yield _Range(span.start, span.start + span.size, index, tuple(named), least)


def _finding(
    message: str, about: _Range, container: Container, severity: Severity = Severity.ERROR
) -> Finding:
    return Finding(
        message=message[0].upper() + message[1:],
        remediation='Export the program again:\n\n    program.save("model.pte")',
        location=Location(path=f"segments[{about.index}]", byte_offset=about.start),
        forecast=_GARBAGE if severity is Severity.ERROR else None,
        evidence={"segment": about.index, "start": about.start, "end": about.end},
        subject=f"segments[{about.index}]",
        severity=severity,
    )
