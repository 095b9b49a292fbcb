"""A program of a later schema version than the runtime knows.

What it finds:
    A `version` field above 0, the only version that exists.

What the runtime does:
    1.5 refuses the program with InvalidProgram and names the versions; up to 1.4 the field is
    ignored (measured on the releases; the test is not in the public sources of 1.4).

Why it happens:
    The file was written by an exporter with a newer schema, or the field was damaged.

How to fix it:
    Use a runtime at least as new as the exporter, or export with the release of the runtime:

        pip install executorch==1.5.1

How it is confirmed:
    Loading the file gives InvalidProgram and the log names the version.

Seen in:
    executorch#12294
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadProgramStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.segments import program_container
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule(
    "PTE013",
    "schema-version",
    Severity.ERROR,
    "programs of a later schema version",
    sign=Sign(r"Program schema version {version} is newer"),
)
def check(ctx: Context) -> Yields:
    """Reads one field."""
    container, program = program_container(ctx), ctx.program
    if container is None or program is None or program.version == 0:
        return
    yield Finding(
        message=f"The program's schema version is {program.version}; runtimes know version 0 only.",
        remediation="Use a runtime that is at least as new as the exporter, or export with the "
        "runtime's release:\n\n    pip install executorch==1.5.1",
        location=Location(path="version", byte_offset=container.program_start + program.at),
        forecast=Forecast.always(None).since("1.5", error(Stage.LOAD_PROGRAM, "InvalidProgram")),
        order=(LoadProgramStep.SCHEMA_VERSION,),
        evidence={"version": program.version},
        subject="version",
    )
