"""What the runtime shows of a call that a kernel cannot make."""

from __future__ import annotations

from pte_lint.claims.forecast import Prediction, Stage, crash, undefined
from pte_lint.interpret.failing_call import reported
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
