"""A jump on something that is no condition.

What it finds:
    Jumps whose condition is neither a Bool nor a tensor of booleans.

What the runtime does:
    The method loads; coming to the jump, execute returns InvalidProgram. A boolean tensor may have
    several elements (all must be true). All versions (parse_cond_value in
    runtime/executor/method.cpp).

Why it happens:
    The instruction was edited. torch.cond itself insists on a boolean predicate.

How to fix it:
    Export again, with a boolean predicate:

        torch.cond(x.sum() > 0, true_fn, false_fn, (x,))

How it is confirmed:
    Executing the method.

Seen in:
    Found here.
"""

from __future__ import annotations

from pte_lint.schema.enums import KernelTypes, dtype_name

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Prediction, Stage, error
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, require_readable
from pte_lint.interpret.faults import FaultKind
from pte_lint.interpret.kinds import Kinds, kind_name
from pte_lint.ir.steps import Step
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import article

_BOOL_CODE = 11
_REFUSED = error(Stage.EXECUTE, "InvalidProgram")


@method_rule(
    "PTE125",
    "jump-condition",
    Severity.ERROR,
    "jumps on something that is no condition",
    sign=Sign(r"Expected dtype of 11 got|Unsupported JF EValue type|Tensor data is null"),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a jump that can be reached."""
    require_readable(method, context)
    known: set[int] = set()
    for index in method.flow.jumps:
        step = method.steps[index]
        what = _wrong(method, step, method.kinds) if method.flow.reachable[index] else None
        if what is not None:
            known.add(index)
            yield _finding(method, index, f"{what}", _REFUSED, index)
    for fault in method.interpretation.of(FaultKind.CONDITION):
        if fault.step not in known:
            known.add(fault.step)
            again = " in a second run" if fault.run > 1 else ""
            what = fault.message + again
            yield _finding(method, fault.step, what, fault.prediction, fault.place(method))


def _finding(
    method: Method, index: int, what: str, prediction: Prediction, place: float
) -> Finding:
    step = method.steps[index]
    return Finding(
        message=f"The condition (value {step.args[0]}) is {what}.",
        remediation=f"{REEXPORT}\n\nThe predicate of torch.cond must be boolean:\n\n"
        "    torch.cond(x.sum() > 0, true_fn, false_fn, (x,))",
        location=method.location(step=step, argument=0),
        forecast=Forecast.always(prediction),
        order=(place, ExecuteStep.ARGUMENT_KINDS),
        subject=f"instruction {index} condition",
    )


def _wrong(method: Method, step: Step, kinds: Kinds) -> str | None:
    v = step.args[0]
    found = kinds.of(v)
    if not found or KernelTypes.BOOL in found:
        return None
    if KernelTypes.TENSOR not in found:
        names = " or ".join(sorted(kind_name(k) for k in found))
        return f"{article(names)}, neither Bool nor a tensor of booleans"
    types = set()
    for place in method.residency.places(step, v):
        tensor = method.tensor(place.value)
        if tensor is not None:
            types.add(tensor.scalar_type)
    if types and _BOOL_CODE not in types:
        return f"a tensor of {' or '.join(sorted(map(dtype_name, types)))}, not of booleans"
    return None
