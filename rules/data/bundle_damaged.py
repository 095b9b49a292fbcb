"""A bundled program that cannot be unpacked.

What it finds:
    Bundles whose tables leave the file, that hold no program, that hold something else than a
    program, or whose program is not aligned to 16 bytes.

What the runtime does:
    Bundles are never verified: tables outside the file are read out of bounds, and a bundle without
    a program dereferences null, SIGSEGV (devtools/bundled_program/bundled_program.cpp:
    get_program_data). What is inside is then loaded from memory like any program: other bytes give
    InvalidProgram (InvalidArgument below 64 bytes), a misaligned start InvalidArgument
    (runtime/executor/program.cpp: Program::load).

Why it happens:
    The file is cut or was edited.

How to fix it:
    Write the bundle again:

        from executorch.devtools import BundledProgram
        from executorch.devtools.bundled_program.serialize import (
            serialize_from_bundled_program_to_flatbuffer,
        )

        serialize_from_bundled_program_to_flatbuffer(BundledProgram(program, suites))

How it is confirmed:
    Unpacking and loading gives the error, or crashes.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.schema import limits
from pte_lint.schema.container import Kind
from pte_lint.schema.loaded import LoadedBundle

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Prediction, Stage, crash, error, undefined
from pte_lint.claims.order import LoadProgramStep
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.data.refusal import Role, role
from pte_lint.rulebook.rule import Yields, artifact_rule
from pte_lint.text.places import place_words

_OUT = undefined(Stage.LOAD_PROGRAM)
_NULL = crash(Stage.LOAD_PROGRAM, "SIGSEGV")
_SMALL = error(Stage.LOAD_PROGRAM, "InvalidArgument")
_OTHER = error(Stage.LOAD_PROGRAM, "InvalidProgram")


@artifact_rule(
    "PTE531",
    "bundle-damaged",
    Severity.ERROR,
    "bundles that cannot be unpacked",
    sign=Unseen("a bundle is unpacked by its runner, which the harness is not"),
)
def check(ctx: Context) -> Yields:
    """The first fault; the program inside is judged by all the other rules."""
    bundle = ctx.bundle
    if bundle is None or role(ctx) is not Role.BUNDLE:
        return
    fault = _fault(bundle)
    if fault is None:
        return
    message, at, prediction, step = fault
    yield Finding(
        message=message,
        remediation="Write the bundle again:\n\n"
        "    from executorch.devtools import BundledProgram\n\n"
        "    serialize_from_bundled_program_to_flatbuffer(BundledProgram(program, suites))",
        location=Location(path="bundle", byte_offset=at),
        forecast=Forecast.always(prediction) if prediction is not None else None,
        order=(step,),
        subject="bundle",
        severity=Severity.ERROR if prediction is not None else Severity.WARNING,
    )


def _fault(bundle: LoadedBundle) -> tuple[str, int, Prediction | None, LoadProgramStep] | None:
    hard = next((v for v in bundle.violations if v.hard), None)
    if hard is not None or bundle.bundle is None:
        what = hard.message if hard is not None else "there is no root table"
        at = hard.at if hard is not None else 0
        return f"The bundle's tables leave the file: {what}.", at, _OUT, LoadProgramStep.HEAD
    if bundle.inner is None or bundle.bundle.program is None:
        at = bundle.bundle.at
        return "The bundle holds no program.", at, _NULL, LoadProgramStep.HEAD
    inner = bundle.inner.container
    if inner.kind is not Kind.PROGRAM:
        prediction, step = _OTHER, LoadProgramStep.IDENTIFIER
        if inner.size < limits.HEAD_BYTES:
            prediction, step = _SMALL, LoadProgramStep.HEAD
        what = f"The bundle holds no program but {inner.sniffed.evidence}."
        return what, inner.origin, prediction, step
    if inner.origin % limits.PROGRAM_ALIGNMENT:
        what = f"The program starts at byte {inner.origin}, which is no multiple of 16."
        return what, inner.origin, _SMALL, LoadProgramStep.ALIGNMENT
    if bundle.violations:
        first = bundle.violations[0]
        what = f"{place_words(first.path) or 'The bundle'}: {first.message}."
        return what, first.at, None, LoadProgramStep.HEAD
    return None
