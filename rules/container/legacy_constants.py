"""The layout from before constant segments: inline constants, or no constant segment at all.

What it finds:
    A program whose `constant_segment` is absent or has no offsets. Its constants, if any, are
    inside the flatbuffer (`constant_buffer`).

What the runtime does:
    Up to 1.2 such programs load. Since 1.3 the path is compiled out by default
    (ET_ENABLE_DEPRECATED_CONSTANT_BUFFER=0), the PyPI wheels included, and every program without
    constant-segment offsets is refused with InvalidProgram, even one that has no constants
    (runtime/executor/program.cpp: Program::load).

Why it happens:
    The file was exported before ExecuTorch 0.7 stopped writing inline constants, or a tool
    dropped the placeholder offset that even constant-free programs have.

How to fix it:
    Export the model again with a current release, or build the runtime with the old path:

        pip install executorch==1.5.1
        cmake -DCMAKE_CXX_FLAGS=-DET_ENABLE_DEPRECATED_CONSTANT_BUFFER=1 ...

How it is confirmed:
    Loading the file gives InvalidProgram and the log names constant_buffer.

Seen in:
    executorch#19522, executorch#12646
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadProgramStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.segments import program_container
from pte_lint.rulebook.rule import Yields, artifact_rule
from pte_lint.text.words import count


@artifact_rule(
    "PTE012",
    "legacy-constants",
    Severity.ERROR,
    "programs from before constant segments",
    sign=Sign("relies on the constant_buffer path, which is disabled"),
)
def check(ctx: Context) -> Yields:
    """The placeholder offset decides, whether or not there are constants."""
    container, program = program_container(ctx), ctx.program
    if container is None or program is None:
        return
    segment = program.constant_segment
    if segment is not None and segment.offsets:
        return
    inline = len(program.constant_buffer or ())
    missing = "no constant_segment" if segment is None else "a constant_segment without offsets"
    # Entry 0 is the placeholder for tensors without constant data.
    kept = (
        f"; {count(inline - 1, 'constant is', 'constants are')} inside the flatbuffer "
        "(constant_buffer)"
        if inline > 1
        else ""
    )
    at = segment.at if segment is not None else program.at
    yield Finding(
        message=f"The program has {missing}{kept}: runtimes since 1.3 refuse this layout.",
        remediation="Export the model again with a current ExecuTorch:\n\n"
        "    pip install executorch==1.5.1",
        location=Location(path="constant_segment", byte_offset=container.program_start + at),
        forecast=Forecast.always(error(Stage.LOAD_PROGRAM, "InvalidProgram")).until("1.2", None),
        order=(LoadProgramStep.CONSTANT_SEGMENT, 3),
        evidence={"inline_constants": max(0, inline - 1)},
        subject="constant_segment",
    )
