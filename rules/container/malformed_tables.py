"""Tables that the runtime's flatbuffer verifier rejects.

What it finds:
    Offsets, vtables, vectors and strings of the program that leave the file, overlap what they
    must not, or are misaligned, each with its path in the program and its byte offset; and more
    than 1,000,000 tables, each counted every time that something refers to it.

What the runtime does:
    Full verification (InternalConsistency) runs the flatbuffers verifier over the program and
    refuses it with InvalidProgram. Minimal verification, the default of Module, only tests the
    root offset (since 1.3; 1.2 tests nothing): what is merely misaligned or unterminated is then
    read anyway, and what leaves the file is read out of bounds
    (runtime/executor/program.cpp: Program::load).

Why it happens:
    The file is cut (one without an extended header cannot say so), was damaged in transit, or was
    edited by something that does not know the format.

How to fix it:
    Transfer the file again: the copy is whole where `sha256sum` prints the same on both sides.
    Where the source is damaged too, export again:

        program.save("model.pte")

    Load untrusted files with full verification:

        Program::load(&loader, Program::Verification::InternalConsistency);

How it is confirmed:
    Loading with full verification gives InvalidProgram.

Seen in:
    executorch#2533, executorch#18824
"""

from __future__ import annotations

import re

from pte_lint.schema.container import Container
from pte_lint.schema.loaded import LoadedProgram
from pte_lint.schema.violations import is_exhausted

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Prediction, Stage, crash, error, undefined
from pte_lint.claims.order import LoadProgramStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.places import named_place
from pte_lint.data.segments import program_container, references
from pte_lint.rulebook.rule import Yields, artifact_rule
from pte_lint.text.words import count

_SHOWN = 10
_AGAIN = (
    "Transfer the file again: the copy is whole where `sha256sum` prints the same on both sides. "
    'Where the source is damaged too, export again:\n\n    program.save("model.pte")'
)
_REFUSED = error(Stage.LOAD_PROGRAM, "InvalidProgram")
_UNREAD = re.compile(
    r"execution_plan\[\d+\]\.(container_meta_type|chains\[\d+\]\.(inputs|outputs|stacktrace))\b"
)
"""Fields that loading and running never follow."""
_SEGMENT = re.compile(r"segments\[(\d+)\]")
_AT_LOAD = ("constant_segment", "segments", "named_data", "constant_buffer")
"""Fields of the root that are followed while the program is loaded."""


@artifact_rule(
    "PTE010",
    "malformed-tables",
    Severity.ERROR,
    "tables that do not verify",
    sign=Sign("Verification failed; data may be truncated or corrupt"),
)
def check(ctx: Context) -> Yields:
    """One finding a file: the verifier stops at the first violation, and so should the reader."""
    container, loaded = program_container(ctx), ctx.loaded
    if container is None or loaded is None:
        return
    rejected = [v for v in loaded.violations if v.rejected]
    # Smaller programs than any flatbuffer are a matter of the header: PTE007.
    if not rejected or container.program_size < 8:
        return
    first = rejected[0]
    more = len(rejected) - 1
    where = named_place(loaded.program, first.path) or "The root"
    message = f"{where} (byte {first.at}): {first.message}."
    if more:
        message += f" {count(more, 'more place does', 'more places do')} not verify."
    if container.header is None:
        message += " The file has no extended header, so a cut would show like this."
    yield Finding(
        message=message,
        remediation=_AGAIN,
        location=Location(path=first.path, byte_offset=first.at),
        forecast=Forecast.always(_REFUSED).with_minimal(_unverified(loaded, container)),
        order=(LoadProgramStep.VERIFICATION,),
        evidence={
            "violations": [
                {"kind": str(v.kind), "path": v.path, "byte_offset": v.at, "message": v.message}
                for v in rejected[:_SHOWN]
            ],
            "count": len(rejected),
        },
        subject="tables",
    )


def _unverified(loaded: LoadedProgram, container: Container) -> Forecast:
    """What minimal verification makes of it."""
    size = min(container.program_size, container.size)
    root = container.root_offset or 0
    if not 8 <= root <= size - 4:
        before = crash(Stage.LOAD_PROGRAM, "SIGSEGV")
        return Forecast.always(_REFUSED).until("1.2", before)
    if is_exhausted(loaded.violations):
        return Forecast.always(None)
    if loaded.program is None:
        return Forecast.always(crash(Stage.LOAD_PROGRAM, "SIGSEGV"))
    used = {reference.index for reference in references(loaded.program)}
    hard = [v for v in loaded.violations if v.hard and not _is_unread(v.path, used)]
    prediction: Prediction | None = None
    if hard:
        early = any(v.path.startswith(_AT_LOAD) for v in hard)
        prediction = undefined(Stage.LOAD_PROGRAM if early else Stage.LOAD_METHOD)
    return Forecast.always(prediction)


def _is_unread(path: str, used: set[int]) -> bool:
    """True for a part that no loader or executor follows: a segment nobody names, a comment."""
    if segment := _SEGMENT.match(path):
        return int(segment[1]) not in used
    return _UNREAD.match(path) is not None
