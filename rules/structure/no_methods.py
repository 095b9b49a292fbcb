"""A program that holds no method at all.

What it finds:
    A program whose list of methods (execution_plan) is absent or empty.

What the runtime does:
    Absent: full verification refuses the program (InvalidProgram); under minimal verification
    the first look-up of a method dereferences a null pointer (SIGSEGV). Empty: the program loads,
    and every method is unknown (InvalidArgument). All versions (runtime/executor/program.cpp:
    get_execution_plan; program_validation.cpp: validate_program).

Why it happens:
    The file was cut and patched together, or a tool that edits programs removed every method.

How to fix it:
    Export at least one method:

        from executorch.exir import to_edge_transform_and_lower

        edge = to_edge_transform_and_lower({"forward": torch.export.export(model, inputs)})
        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Loading the program, then looking up `forward`.

Seen in:
    Found here; the verifier's null checks are its neighbours.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, crash, error
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, unreadable
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule(
    "PTE101",
    "no-methods",
    Severity.ERROR,
    "programs without any method",
    sign=(Sign("Program has null execution_plan"), Sign("^methods: 0$")),
)
def check(context: Context) -> Yields:
    """At most one finding a program."""
    program = context.program
    if program is None or program.execution_plan or unreadable(context) & {"", "execution_plan"}:
        return
    if program.execution_plan is None:
        message = "The program has no list of methods (execution_plan): there is nothing to run."
        forecast = Forecast.always(error(Stage.LOAD_PROGRAM, "InvalidProgram")).when_minimal(
            crash(Stage.LOAD_METHOD, "SIGSEGV")
        )
    else:
        message = (
            "The program's list of methods (execution_plan) is empty: no method can be loaded."
        )
        forecast = Forecast.always(error(Stage.LOAD_METHOD, "InvalidArgument"))
    base = context.loaded.container.program_start if context.loaded is not None else 0
    yield Finding(
        message=message,
        remediation=REEXPORT,
        location=Location(path="execution_plan", byte_offset=base + program.at),
        forecast=forecast,
        order=(LoadMethodStep.METHOD_META,),
        subject="execution_plan",
    )
