"""A program that is shorter than its own header says.

What it finds:
    Fewer bytes than every loader asks for (64), or than the extended header promises: program and
    segments together, or the program alone where the header is from before ExecuTorch 1.0.

What the runtime does:
    Below 64 bytes: InvalidArgument. Less than segment_base_offset plus segment_data_size (or than
    program_size, without segments): InvalidProgram since 1.2. Old headers promise no total, then
    only a program that does not fit is refused, with InvalidArgument
    (runtime/executor/program.cpp: Program::load). A file without a header promises nothing: there
    a cut shows as a malformed table (PTE010).

Why it happens:
    A download, a copy or an upload stopped early, or the disk was full. The exporter itself writes
    the file in one go and never leaves it short.

How to fix it:
    Transfer the file again: the copy is whole where `sha256sum` prints the same on both sides.
    Where the source is cut too, export again:

        program.save("model.pte")

How it is confirmed:
    Loading the file gives the error named.

Seen in:
    executorch#2533
"""

from __future__ import annotations

from pte_lint.schema import limits
from pte_lint.schema.container import Container

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadProgramStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.segments import U64, program_container
from pte_lint.rulebook.rule import Yields, artifact_rule

_HEAD = "InvalidArgument", LoadProgramStep.HEAD
_SIZE = "InvalidProgram", LoadProgramStep.FILE_SIZE
_BYTES = "InvalidArgument", LoadProgramStep.PROGRAM_BYTES


@artifact_rule(
    "PTE006",
    "truncated-file",
    Severity.ERROR,
    "programs shorter than they say",
    sign=(
        Sign(r"header is {wanted}, actual file size from data loader is {size}\b"),
        Sign(r"offset 0 \+ size \d+ > file_size_ {size}\b"),
    ),
)
def check(ctx: Context) -> Yields:
    """Compares the size with what the head and the header ask for."""
    container = program_container(ctx)
    if container is None:
        return
    wanted, (name, step) = _wanted(container)
    if wanted <= container.size:
        return
    missing = wanted - container.size
    yield Finding(
        message=f"The file is cut off: {container.size} bytes of at least {wanted}, "
        f"{missing} are missing.",
        remediation="Transfer the file again: the copy is whole where `sha256sum` prints the same "
        "on both sides. Where the source is cut too, export again:\n\n"
        '    program.save("model.pte")',
        location=Location(byte_offset=container.program_start + container.size),
        forecast=Forecast.always(error(Stage.LOAD_PROGRAM, name)),
        order=(step,),
        evidence={"size": container.size, "wanted": wanted, "missing": missing},
        subject="file",
    )


def _wanted(container: Container) -> tuple[int, tuple[str, LoadProgramStep]]:
    """The least size that loads, with the error and the step of a smaller one."""
    if container.size < limits.HEAD_BYTES:
        return limits.HEAD_BYTES, _HEAD
    expected = container.expected_size
    if expected is None:
        return container.program_size, _BYTES
    # A sum beyond 64 bits is no size but damage: PTE007.
    return (expected, _SIZE) if expected < U64 else (0, _SIZE)
