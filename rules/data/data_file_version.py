"""A data file of a later schema version than the runtime knows.

What it finds:
    A `version` field above 0 in a .ptd, the only version that exists.

What the runtime does:
    1.5 refuses the file with InvalidExternalData, and the program with it; up to 1.4 the field is
    ignored (measured on the releases).

Why it happens:
    The file was written by an exporter with a newer schema, or the field was damaged.

How to fix it:
    Use a runtime at least as new as the exporter, or write the file with the runtime's release:

        pip install executorch==1.5.1

How it is confirmed:
    Loading the program with this data file gives InvalidExternalData.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadProgramStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.data_files import data_files
from pte_lint.rulebook.rule import Yields, artifact_rule

_REFUSED = Forecast.always(None).since("1.5", error(Stage.LOAD_PROGRAM, "InvalidExternalData"))


@artifact_rule(
    "PTE523",
    "data-file-version",
    Severity.ERROR,
    "data files of a later schema version",
    sign=Sign(r"FlatTensor schema version {version} is newer"),
)
def check(ctx: Context) -> Yields:
    """Reads one field of each file."""
    for number, file in enumerate(data_files(ctx)):
        table = file.flat_tensor
        if table is None or table.version == 0:
            continue
        yield Finding(
            message=f"{file.name or 'The data file'} has schema version {table.version}; runtimes "
            "know version 0 only.",
            remediation="Write the file with the release of the runtime:\n\n"
            "    pip install executorch==1.5.1",
            location=Location(path=f"{file.name}: version", byte_offset=table.at),
            forecast=_REFUSED,
            order=(LoadProgramStep.DATA_FILES, number, 1),
            evidence={"file": file.name, "version": table.version},
            subject=f"data file {number} version",
        )
