"""A method that cannot be called twice: it changes what an input is.

What it finds:
    Inputs whose value the method itself overwrites, by a move, a prim op or a free, so that
    setting the input for a second call fails: another kind, another element type or rank, another
    number, or planned memory that is gone.

What the runtime does:
    The first call works. Values keep what a run leaves in them, and set_input compares with that:
    it returns InvalidArgument before the second run (NotSupported where the rank differs). All
    versions (Method::set_input in runtime/executor/method.cpp).

Why it happens:
    An instruction was edited or renumbered. The exporter moves results into values of their own,
    never into inputs.

How to fix it:
    Export the program again:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Executing the method twice.

Seen in:
    Found here.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, require_readable
from pte_lint.interpret.faults import FaultKind
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE140",
    "input-overwritten",
    Severity.ERROR,
    "inputs that cannot be set for a second call",
    sign=Sign("The {input}-th input of method should have the same value"),
)
def check(method: Method, context: Context) -> Yields:
    """One finding an input: the first that cannot be set."""
    require_readable(method, context)
    for fault in method.interpretation.of(FaultKind.INPUT):
        position = fault.argument or 0
        v = method.inputs[position]
        yield Finding(
            message=f"Input {position} {fault.message}: it cannot be set for a second one.",
            remediation=REEXPORT,
            location=method.location(value=v),
            forecast=Forecast.always(fault.prediction),
            # Types and sizes are looked at before memory is copied.
            order=(method.timeline.end(), position, 0),
            subject=f"input {position} overwritten",
        )
        return
