"""What the loaders say to bytes that are not theirs.

`Program::load` (runtime/executor/program.cpp) looks at the head, the extended header and the
sizes in it before it looks at the identifier, so the error for a foreign file depends on its size
and, when the bytes happen to look like a header, on those. `FlatTensorDataMap::load`
(extension/flat_tensor/flat_tensor_data_map.cpp) looks at its header first.
"""

from __future__ import annotations

from pathlib import PurePath

from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadProgramStep
from pte_lint.data.context import Context
from pte_lint.files.artifact import Artifact
from pte_lint.schema import limits
from pte_lint.schema.container import Container, Kind
from pte_lint.schema.str_enum import StrEnum

_MAGIC = b"eh00"
_LEAST_HEADER = 24
_WITH_DATA_SIZE = 32


class Role(StrEnum):
    """What an artifact is meant to be, by its name: whoever loads it goes by that."""

    PROGRAM = "program"
    DATA = "data file"
    BUNDLE = "bundled program"


def read_identifier(ctx: Context) -> str | None:
    """What `Program::load` reads as the identifier: bytes 4 to 7, up to the first zero if any.

    None where nothing is read: files of many kinds have a zero there, empty ones too.
    """
    return ctx.artifact.buffer[4:8].split(b"\0")[0].decode(errors="replace") or None


def role(ctx: Context) -> Role:
    """The artifact's role by its suffix; without a telling one by its content."""
    return role_of(ctx.artifact, ctx.container)


def role_of(artifact: Artifact, container: Container) -> Role:
    """The role of an artifact that is not read yet."""
    suffix = PurePath(artifact.path).suffix.lower()
    kind = container.kind if suffix != ".pte" else Kind.PROGRAM
    if suffix == ".ptd" or kind in (Kind.FLAT_TENSOR, Kind.OTHER_FLAT_TENSOR_VERSION):
        return Role.DATA
    if suffix == ".bpte" or kind in (Kind.BUNDLED_PROGRAM, Kind.OTHER_BUNDLED_VERSION):
        return Role.BUNDLE
    return Role.PROGRAM


def refused(ctx: Context) -> tuple[Forecast, tuple[int, ...]]:
    """Forecast and order for a file that is not of the format its role asks for."""
    if role(ctx) is Role.DATA:
        name = "InvalidArgument" if ctx.artifact.size < limits.HEAD_BYTES else "InvalidExternalData"
        return Forecast.always(error(Stage.LOAD_PROGRAM, name)), (LoadProgramStep.DATA_FILES,)
    name, step = as_program(ctx.artifact)
    return Forecast.always(error(Stage.LOAD_PROGRAM, name)), (step,)


def as_program(artifact: Artifact) -> tuple[str, LoadProgramStep]:
    """The error name and the step at which bytes without the identifier are refused.

    Args:
        artifact: bytes whose identifier is not the program's.
    """
    head, size = bytes(artifact.buffer[: limits.HEAD_BYTES]), artifact.size
    if size < limits.HEAD_BYTES:
        return "InvalidArgument", LoadProgramStep.HEAD
    if head[8:12] != _MAGIC:
        return "InvalidProgram", LoadProgramStep.IDENTIFIER
    length = int.from_bytes(head[12:16], "little")
    if length < _LEAST_HEADER:
        return "InvalidProgram", LoadProgramStep.HEADER
    program = int.from_bytes(head[16:24], "little")
    base = int.from_bytes(head[24:32], "little")
    data = int.from_bytes(head[32:40], "little") if length >= _WITH_DATA_SIZE else 0
    checked = data > 0 or base == 0
    if checked and (base + data if base else program) > size:
        return "InvalidProgram", LoadProgramStep.FILE_SIZE
    if program > size:
        return "InvalidArgument", LoadProgramStep.PROGRAM_BYTES
    return "InvalidProgram", LoadProgramStep.IDENTIFIER
