"""A data file whose tables the runtime stumbles over.

What it finds:
    Data files without a list of keys or of segments, with a key that is null, with tables that
    leave the file, and with no key at all.

What the runtime does:
    Missing lists: InvalidExternalData. Files are never verified, at any level: a null key is read
    while keys are merged, SIGSEGV; what leaves the file is read out of bounds (1.5 tests the root
    offset and gives InvalidExternalData). If no given file has any key: InvalidArgument. All while
    the program is loaded (extension/flat_tensor/flat_tensor_data_map.cpp,
    extension/named_data_map/merged_data_map.cpp: MergedDataMap::load).

Why it happens:
    The file was edited or damaged, or nothing in the model was external when it was written.

How to fix it:
    Write the data file again, or do not give it:

        program.write_tensor_data_to_file(".")

How it is confirmed:
    Loading the program with this data file gives the error, or crashes.

Seen in:
    No public report is known.
"""

from __future__ import annotations

import re

from pte_lint.schema.container import Kind
from pte_lint.schema.loaded import LoadedFlatTensor
from pte_lint.schema.violations import Violation, is_exhausted

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, crash, error, undefined
from pte_lint.claims.order import LoadProgramStep
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.data.data_files import data_files, is_usable
from pte_lint.data.file_damage import is_unread_length
from pte_lint.rulebook.rule import Yields, artifact_rule

_BAD = error(Stage.LOAD_PROGRAM, "InvalidExternalData")
_NULL = Forecast.always(crash(Stage.LOAD_PROGRAM, "SIGSEGV"))
_EMPTY = Forecast.always(error(Stage.LOAD_PROGRAM, "InvalidArgument"))
_OUT = Forecast.always(undefined(Stage.LOAD_PROGRAM))
_OF_ONE_ENTRY = re.compile(r"named_data\[\d+\]\.tensor_layout|segments")
_REMEDIATION = 'Write the data file again:\n\n    program.write_tensor_data_to_file(".")'


@artifact_rule(
    "PTE522",
    "data-file-tables",
    Severity.ERROR,
    "data files with broken tables",
    sign=Unseen("no table is verified: what is read in its place may be anything"),
)
def check(ctx: Context) -> Yields:
    """Files of other formats, and those without a readable header, are PTE521."""
    files = data_files(ctx)
    for number, file in enumerate(files):
        if file.container.kind is not Kind.FLAT_TENSOR or file.container.header is None:
            continue
        if is_exhausted(file.violations):
            continue
        fault = _fault(file)
        if fault is not None:
            what, path, at, forecast = fault
            yield Finding(
                message=f"{file.name or 'The data file'} {what}.",
                remediation=_REMEDIATION,
                location=Location(path=f"{file.name}: {path}", byte_offset=at),
                forecast=forecast,
                order=(LoadProgramStep.DATA_FILES, len(files) if forecast is _NULL else number, 2),
                evidence={"file": file.name},
                subject=f"data file {number} {path}",
            )
        for violation in file.violations:
            if is_unread_length(violation):
                yield _harmless(file, number, violation)
                break
    if files and all(is_usable(f) and _keys(f) == 0 for f in files):
        alone = not ctx.data
        yield Finding(
            message="No given data file has any key"
            + ("; given alone it keeps a program from loading." if alone else "."),
            remediation="Do not give the file; nothing in it can be used.",
            location=Location(path=f"{files[0].name}: named_data"),
            forecast=None if alone else _EMPTY,
            order=(LoadProgramStep.DATA_FILES, len(files), 0),
            evidence={"files": [f.name for f in files]},
            subject="data files",
            severity=Severity.WARNING if alone else Severity.ERROR,
        )


def _harmless(file: LoadedFlatTensor, number: int, violation: Violation) -> Finding:
    return Finding(
        message=f"{file.name or 'The data file'}: {violation.message}; no runtime reads that "
        "length.",
        remediation=_REMEDIATION,
        location=Location(path=f"{file.name}: {violation.path}", byte_offset=violation.at),
        evidence={"file": file.name},
        subject=f"data file {number} {violation.path}",
        severity=Severity.WARNING,
    )


def _keys(file: LoadedFlatTensor) -> int:
    return len(file.flat_tensor.named_data or ()) if file.flat_tensor is not None else 0


def _fault(file: LoadedFlatTensor) -> tuple[str, str, int, Forecast] | None:
    table = file.flat_tensor
    # What belongs to one entry only matters to who asks for it: PTE515.
    hard = [v for v in file.violations if v.hard and not _OF_ONE_ENTRY.match(v.path)]
    if table is None:
        at = hard[0].at if hard else 0
        return "has no readable root table", "root", at, _OUT.since("1.5", _BAD)
    if hard:
        first = hard[0]
        return f"has tables outside the file: {first.message}", first.path, first.at, _OUT
    if table.named_data is None:
        return "has no list of keys", "named_data", table.at, Forecast.always(_BAD)
    if table.segments is None and not any(v.hard for v in file.violations):
        return "has no segment table", "segments", table.at, Forecast.always(_BAD)
    for n, entry in enumerate(table.named_data):
        if entry.key is None:
            return f"has no key in entry {n}", f"named_data[{n}]", entry.at, _NULL
    return None
