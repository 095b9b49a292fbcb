"""What a kernel call shows when its kernel reports an error."""

from __future__ import annotations

from pte_lint.claims.forecast import Forecast, Prediction, Stage, crash, error
from pte_lint.ir.method import Method
from pte_lint.ir.steps import Step


def reported(method: Method, step: Step, name: str) -> Prediction:
    """The prediction for a kernel that fails with the error `name`.

    Before the error is returned it is logged with the operator's overload, and an overload that is
    absent (not empty) is a null pointer there: builds that log die instead
    (`Method::execute_instruction`, runtime/executor/method.cpp).
    """
    operators = method.plan.operators or ()
    if 0 <= step.target < len(operators) and operators[step.target].overload is None:
        return crash(Stage.EXECUTE, "SIGSEGV")
    return error(Stage.EXECUTE, name)


def reported_always(method: Method, step: Step, name: str) -> Forecast:
    """`reported`, in every version."""
    return Forecast.always(reported(method, step, name))
