"""A data file that its header or its size makes unreadable.

What it finds:
    Data files that are too small, are something else, have no or a damaged header, or promise more
    bytes than there are.

What the runtime does:
    Data files are loaded before the program, so the program does not load either. Below 64 bytes:
    InvalidArgument. Wrong magic or length, fewer bytes than promised, a wrong identifier:
    InvalidExternalData. Tables that end outside the file: InvalidArgument; tables of 0 bytes (an
    end that wraps to 0): SIGSEGV. A root table outside them: InvalidExternalData in 1.5, read out
    of bounds before
    (extension/flat_tensor/flat_tensor_data_map.cpp: FlatTensorDataMap::load).

Why it happens:
    The file is cut, is the wrong one, or was edited. A program given as data file looks like this.

How to fix it:
    Write or transfer the data file again:

        program.write_tensor_data_to_file(".")

How it is confirmed:
    Loading the program with this data file gives the error, or crashes.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.schema import limits
from pte_lint.schema.container import Container, HeaderState, Kind

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, crash, error, undefined
from pte_lint.claims.order import LoadProgramStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.data_files import data_files
from pte_lint.data.segments import U64
from pte_lint.rulebook.rule import Yields, artifact_rule

_BAD = Forecast.always(error(Stage.LOAD_PROGRAM, "InvalidExternalData"))
_OUTSIDE = Forecast.always(error(Stage.LOAD_PROGRAM, "InvalidArgument"))
_NULL = Forecast.always(crash(Stage.LOAD_PROGRAM, "SIGSEGV"))


@artifact_rule(
    "PTE521",
    "data-file-header",
    Severity.ERROR,
    "data files that cannot be loaded",
    sign=(
        Sign("Failed to parse FlatTensor header"),
        Sign(r"received {size} from data loader"),
        Sign(r"File {file}: offset 0 \+ size \d+ > file_size_ {size}\b"),
    ),
)
def check(ctx: Context) -> Yields:
    """The first fault of each file; a file checked by itself is a .ptd by its identifier."""
    for number, file in enumerate(data_files(ctx)):
        fault = _fault(file.container)
        if fault is None:
            continue
        what, at, forecast = fault
        yield Finding(
            message=f"{file.name or 'The data file'} {what}.",
            remediation=_advice(file.container),
            location=Location(path=f"{file.name}: header", byte_offset=at),
            forecast=forecast,
            order=(LoadProgramStep.DATA_FILES, number, 0),
            evidence={"file": file.name, "size": file.container.size},
            subject=f"data file {number}",
        )


def _advice(container: Container) -> str:
    if container.size >= limits.HEAD_BYTES and container.kind is Kind.PROGRAM:
        return (
            "This is a program: check it by itself, and give the .ptd that was written with the "
            "program as data:\n\n    pte-lint check model.pte --data model.ptd"
        )
    return 'Write or transfer the data file again:\n\n    program.write_tensor_data_to_file(".")'


def _fault(container: Container) -> tuple[str, int, Forecast] | None:
    size = container.size
    if size < limits.HEAD_BYTES:
        return f"has {size} bytes; the head alone has {limits.HEAD_BYTES}", 0, _OUTSIDE
    if container.kind is Kind.PROGRAM:
        return f"is a program and no data file: {container.sniffed.evidence}", 4, _BAD
    if container.kind is not Kind.FLAT_TENSOR:
        return f"is no data file: {container.sniffed.evidence}", 4, _BAD
    if container.header_state is not HeaderState.PRESENT or container.header is None:
        return (
            f"has no usable header (magic FH01, length at least 40): {_state(container)}",
            8,
            _BAD,
        )
    header = container.header
    promised = (container.segment_base_offset + container.segment_data_size) % U64
    if promised > size:
        return f"is cut off: {size} bytes of {promised}", 32, _BAD
    end = header.program_offset + header.program_size
    # The sum wraps, and what is loaded are that many bytes from the file's first.
    loaded = end % U64
    if loaded > size:
        return f"has its tables end at byte {end} of {size}", 16, _OUTSIDE
    if loaded == 0:
        return "has tables of 0 bytes", 16, _NULL
    root = container.root_offset or 0
    if loaded < limits.MIN_PROGRAM_BYTES or not 8 <= root <= loaded - 4:
        before = undefined(Stage.LOAD_PROGRAM)
        return f"has its root table at byte {root} of {loaded}", 0, _BAD.until("1.4", before)
    return None


def _state(container: Container) -> str:
    return str(container.header_state).replace("-", " ")
