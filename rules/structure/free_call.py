"""A free in the program.

What it finds:
    FreeCalls. Using a freed tensor is found as a tensor without memory.

What the runtime does:
    A free of something that is no tensor: execute returns InvalidType; 1.2 aborts. Else the
    tensor's data pointer becomes null, for this run and all later ones: nothing plans it again
    (Method::execute_instruction in runtime/executor/method.cpp).

Why it happens:
    The exporter frees only tensors of unbounded size, which no runtime can load. A free in a
    program that loads comes from another tool.

How to fix it:
    Remove the instruction, or export the program again:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Executing the method twice.

Seen in:
    Found here.
"""

from __future__ import annotations

from pte_lint.schema.enums import KernelTypes

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, crash, error
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT
from pte_lint.interpret.faults import FaultKind
from pte_lint.interpret.kinds import kind_name
from pte_lint.ir.steps import StepKind
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import article

_REFUSED = Forecast.always(error(Stage.EXECUTE, "InvalidType")).until(
    "1.2", crash(Stage.EXECUTE, "SIGABRT")
)


@method_rule(
    "PTE132",
    "free-call",
    Severity.WARNING,
    "frees, which no exporter writes",
    sign=Sign(r"FreeCall target at index {value} is not a Tensor"),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a free; an error where what is freed is no tensor."""
    frees = tuple(method.of_kind(StepKind.FREE))
    met = {fault.step: fault for fault in method.interpretation.of(FaultKind.FREE)} if frees else {}
    for step in frees:
        found = method.kinds.of(step.args[0])
        if not found:
            continue
        fault = met.get(step.index)
        refused = KernelTypes.TENSOR not in found and bool(method.flow.reachable[step.index])
        wrong = refused or fault is not None
        names = " or ".join(sorted(kind_name(k) for k in found))
        message = f"The instruction frees value {step.args[0]}, {article(names)}."
        if not refused and fault is not None:
            again = " in a second run" if fault.run > 1 else ""
            message = f"The instruction {fault.message}{again}."
        elif not refused:
            message = f"{message[:-1]}; its memory is gone in later runs, too."
        is_later = fault is not None and fault.run > 1
        forecast = _REFUSED.in_second_run() if is_later else _REFUSED
        yield Finding(
            message=message,
            remediation=REEXPORT,
            location=method.location(step=step, value=step.args[0]),
            forecast=forecast if wrong else None,
            order=(
                step.index if fault is None else fault.place(method),
                ExecuteStep.ARGUMENT_KINDS,
            ),
            subject=f"instruction {step.index} free",
            severity=Severity.ERROR if wrong else None,
        )
