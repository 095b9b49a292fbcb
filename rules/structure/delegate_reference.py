"""A delegate call that names a delegate which does not exist.

What it finds:
    Delegate calls whose delegate_index is negative or past the last entry of the delegate table.

What the runtime does:
    The method loads; coming to the call, execute returns Internal. A call that is always jumped
    over does no harm. All versions (Method::execute_instruction in runtime/executor/method.cpp).

Why it happens:
    Entries of the delegate table were removed or reordered without the calls.

How to fix it:
    Export the program again:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Executing the method.

Seen in:
    executorch#22311
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text import words


@method_rule(
    "PTE122",
    "delegate-reference",
    Severity.ERROR,
    "delegate calls that name no delegate",
    sign=Sign(r"DELEGATE_CALL index \d+ >= num delegates {delegates} at instruction {position}\b"),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a call; a warning where the call cannot be reached."""
    count = len(method.plan.delegates or ())
    for step in method.delegate_calls():
        if 0 <= step.target < count:
            continue
        reachable = bool(method.flow.reachable[step.index])
        yield Finding(
            message=f"The call names delegate {step.target}, but the method has "
            + (words.count(count, "delegate") if count else "none")
            + ("." if reachable else "; no path leads to the call."),
            remediation=REEXPORT,
            location=method.location(step=step),
            forecast=Forecast.always(error(Stage.EXECUTE, "Internal")) if reachable else None,
            order=(step.index, ExecuteStep.ARGUMENT_COUNT),
            evidence={"delegate_index": step.target, "delegates": count},
            subject=f"instruction {step.index} delegate",
            severity=None if reachable else Severity.WARNING,
        )
