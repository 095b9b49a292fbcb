"""A view (et_view) that does not fit its tensor.

What it finds:
    Calls of et_view whose output differs from the input in element type or number of elements,
    whose size list is not as long as the output has dimensions, holds a size below -1, more than
    one -1, or a -1 beside a 0, or gives sizes that a static output does not have.

What the runtime does:
    execute returns InvalidArgument, or Internal when a static output would have to be resized.
    All versions (kernels/prim_ops/et_view.cpp).

Why it happens:
    A shape or size was edited after export.

How to fix it:
    Export the program again:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Executing the method.

Seen in:
    Found here.
"""

from __future__ import annotations

from pte_lint.schema.enums import dtype_name
from pte_lint.schema.program import IntList

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Prediction
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import IN_CALL, Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, require_readable
from pte_lint.interpret.failing_call import reported
from pte_lint.interpret.faults import FaultKind
from pte_lint.interpret.numbers_known import known_int
from pte_lint.interpret.views import refusal, view
from pte_lint.ir.calling import ET_VIEW
from pte_lint.ir.steps import Step
from pte_lint.questions.method import Method
from pte_lint.questions.sizes_known import known_sizes
from pte_lint.rulebook.rule import Yields, method_rule

_OF_VIEW = {"operator": "executorch_prim::et_view.default"}


@method_rule(
    "PTE137",
    "view-mismatch",
    Severity.ERROR,
    "views that do not fit their tensor",
    sign=(
        Sign(
            r"out\.numel\(\): {numel}\b",
            IN_CALL,
            when=_OF_VIEW,
        ),
        Sign(
            r"Expected shape {sizes}, but received",
            IN_CALL,
            when=_OF_VIEW,
        ),
        Sign(
            r"Size must be|rank which is immutable",
            IN_CALL,
            when=_OF_VIEW,
        ),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a view: what the kernel meets first."""
    require_readable(method, context)
    known: set[int] = set()
    for step in method.calls.of(ET_VIEW):
        if len(step.args) != 3:
            continue
        found = _judge(method, step) if method.flow.reachable[step.index] else None
        if found is not None:
            known.add(step.index)
            yield _finding(method, step, *found, step.index)
    # Sizes that steps before the view have calculated, for the largest inputs.
    for fault in method.interpretation.of(FaultKind.VIEW):
        if fault.step not in known:
            known.add(fault.step)
            step, place = method.steps[fault.step], fault.place(method)
            yield _finding(method, step, fault.message, fault.prediction, place)


def _finding(
    method: Method, step: Step, message: str, prediction: Prediction, place: float
) -> Finding:
    return Finding(
        message=f"The view {message}.",
        remediation=REEXPORT,
        location=method.location(step=step, value=step.args[2]),
        forecast=Forecast.always(prediction),
        order=(place, ExecuteStep.SIZES),
        subject=f"instruction {step.index} view",
    )


def _judge(method: Method, step: Step) -> tuple[str, Prediction] | None:
    source, target = method.tensor(step.args[0]), method.tensor(step.args[2])
    if source is None or target is None:
        return None
    if method.residency.is_rebound(step.args[0]) and _holds_several(method, step):
        return None
    if source.scalar_type != target.scalar_type:
        types = f"{dtype_name(source.scalar_type)} as {dtype_name(target.scalar_type)}"
        return f"shows {types}", reported(method, step, "InvalidArgument")
    value = method.value(step.args[1])
    listed = value.val if value is not None else None
    if not isinstance(listed, IntList):
        return None
    wanted = [known_int(method, item) for item in listed.items or ()]
    sizes = known_sizes(method, step.args[0])
    said = view(tuple(sizes) if sizes is not None else None, wanted, target)
    return (said.message, refusal(method, step, said)) if said.error is not None else None


def _holds_several(method: Method, step: Step) -> bool:
    return {p.value for p in method.residency.places(step, step.args[0])} != {step.args[0]}
