"""What the runtime shows of a call that a kernel cannot make, and of a run without end."""

from __future__ import annotations

from pte_lint.claims.forecast import Prediction, Stage, crash, error, undefined
from pte_lint.interpret.failing_call import reported
from pte_lint.interpret.faults import FaultKind
from pte_lint.interpret.state import Stop
from pte_lint.ir.method import Method
from pte_lint.ir.steps import Step
from pte_lint.ops.checks.call import End


def ending(method: Method, step: Step, end: End) -> Prediction:
    """The prediction for a call that ends in a way."""
    if end in (End.REFUSED, End.THROWN):
        return reported(method, step, end.value)
    if end is End.UNCHECKED:
        return undefined(Stage.EXECUTE)
    return crash(Stage.EXECUTE, end.value)


def endless(at: int) -> Stop:
    """A loop that is never left."""
    refused = error(Stage.EXECUTE, "InvalidProgram")
    return Stop(FaultKind.ENDLESS, at, None, "repeats for ever", refused)


def too_long(at: int) -> Stop:
    """A run of more instructions than the runtime executes."""
    message = "is where more instructions are executed than the runtime lets pass"
    return Stop(FaultKind.TOO_LONG, at, None, message, error(Stage.EXECUTE, "InvalidProgram"))
