"""Faults in the table of named data that are there whatever key is asked for.

What it finds:
    Named data without a segment table, entries without a key, keys that are there twice, and
    entries whose segment does not exist and that nobody is known to ask for.

What the runtime does:
    Named data without segments: InvalidArgument while the program is loaded. An entry without a
    key fails the search for every key behind it with InvalidArgument; of two equal keys the first
    is found; a segment that does not exist fails only who asks for that key
    (runtime/executor/pte_data_map.cpp: PteDataMap::create, get_data; key PTE417).

Why it happens:
    A tool merged or edited programs. The exporter deduplicates keys
    (exir/_serialize/_named_data_store.py).

How to fix it:
    Export the program again:

        program.save("model.pte")

How it is confirmed:
    Loading gives InvalidArgument for a missing segment table; the rest shows where a delegate
    asks for a key.

Seen in:
    executorch#22311
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadProgramStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.segments import program_container, segment_at
from pte_lint.rulebook.rule import Yields, artifact_rule
from pte_lint.text.words import count

_REMEDIATION = 'Export the program again:\n\n    program.save("model.pte")'


@artifact_rule(
    "PTE016",
    "named-data-table",
    Severity.ERROR,
    "faults in the table of named data",
    sign=Sign("named_data or segments is null"),
)
def check(ctx: Context) -> Yields:
    """The first is an error for all methods; the rest are warnings here, see PTE417."""
    container, program = program_container(ctx), ctx.program
    if container is None or program is None or program.named_data is None:
        return
    start = container.program_start
    if program.segments is None:
        yield Finding(
            message="The program has named data "
            f"({count(len(program.named_data), 'entry', 'entries')}) but no segment table.",
            remediation=_REMEDIATION,
            location=Location(path="named_data", byte_offset=start + program.at),
            forecast=Forecast.always(error(Stage.LOAD_PROGRAM, "InvalidArgument")),
            order=(LoadProgramStep.NAMED_DATA,),
            evidence={"entries": len(program.named_data)},
            subject="named_data",
        )
        return
    seen: dict[str, int] = {}
    for n, entry in enumerate(program.named_data):
        if entry.key is None:
            message = f"Named data entry {n} has no key: no key behind it can be found."
        elif entry.key in seen:
            message = (
                f"The key {entry.key!r} is there twice, in entries {seen[entry.key]} and {n}; "
                "the first is always the one that is found."
            )
        elif segment_at(program, entry.segment_index) is None:
            message = (
                f"The key {entry.key!r} is in segment {entry.segment_index}, but the program has "
                f"{count(len(program.segments), 'segment')}."
            )
        else:
            seen[entry.key] = n
            continue
        yield Finding(
            message=message,
            remediation=_REMEDIATION,
            location=Location(path=f"named_data[{n}]", byte_offset=start + entry.at),
            evidence={"entry": n, "key": entry.key, "segment_index": entry.segment_index},
            subject=f"named data entry {n}" if entry.key is None else f"named data key {entry.key}",
            severity=Severity.WARNING,
        )
