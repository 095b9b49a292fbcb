"""An unplanned output that the caller's memory never reaches.

What it finds:
    Unplanned method outputs that are the target of a move, as the results of torch.cond are, and
    such as are external constants.

    It is an error where several tensors, or one that is never written again, may be moved there.

What the runtime does:
    set_output_data_ptr succeeds before the first run, but the move then puts another tensor in the
    output's place: the caller's buffer is never written. Reading the output from the method still
    gives the right data. A constant in a .ptd counts as unplanned, too (one in the program does
    not): memory given for it takes the place of its data, for the output and for the method's own
    reads. Whoever gives no memory gets the constant. After a move the output and its source are one
    tensor: memory that is given for the next call replaces the source's own. With one source that
    is written in every run this is harmless. With several, a later call that takes the other branch
    writes into memory that was given for an earlier one; a constant loses its data. All versions
    (Method::set_output_data_ptr and Method::execute_instruction in runtime/executor/method.cpp;
    is_memory_planned in runtime/executor/method_meta.cpp).

Why it happens:
    MemoryPlanningPass(alloc_graph_output=False) on a model that returns what torch.cond returns, or
    external_constants=True on one that returns a weight.

How to fix it:
    Plan outputs, or copy the result so that a kernel writes the output:

        return torch.cond(p, f, g, (x,)).clone()

How it is confirmed:
    Giving memory for the output, executing, and comparing the memory with the output.

Seen in:
    Found here.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, undefined
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.ir.steps import StepKind
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_SPOILT = Forecast.always(undefined(Stage.EXECUTE)).in_second_run()
_COPY = (
    "Plan outputs (MemoryPlanningPass(alloc_graph_output=True), the default), or copy the result "
    "in the model so that a kernel writes the output:\n\n"
)


@method_rule(
    "PTE138",
    "unbound-output",
    Severity.WARNING,
    "unplanned outputs that no kernel writes",
    sign=Unseen("who gives memory and finds it untouched is the caller, not the program"),
)
def check(method: Method, context: Context) -> Yields:
    """One finding an output."""
    moved: dict[int, set[int]] = {}
    for step in method.of_kind(StepKind.MOVE):
        if step.writes and method.flow.reachable[step.index]:
            moved.setdefault(step.args[1], set()).add(step.args[0])
    for k, v in enumerate(method.outputs):
        tensor = method.tensor(v)
        if tensor is None or method.is_planned(v) or method.is_constant(v):
            continue
        if v in moved:
            later = _later(method, moved[v])
            yield Finding(
                message=f"Output {k} is not planned, and a move puts another tensor in its place, "
                "as torch.cond does with its results: memory that the caller gives for it is never "
                f"written{later}.",
                severity=Severity.ERROR if later else None,
                forecast=_SPOILT if later else None,
                remediation=f"{_COPY}    return torch.cond(p, f, g, (x,)).clone()",
                location=method.location(value=v),
                subject=f"output {k}",
            )
        elif method.is_external(v) and not method.writers(v) and method.nbytes(v):
            yield Finding(
                message=f"Output {k} is a constant of the data file and counts as unplanned: "
                "memory that a caller gives for it takes the place of the constant.",
                remediation=f"{_COPY}    return self.weight.clone()",
                location=method.location(value=v),
                forecast=Forecast.always(undefined(Stage.EXECUTE)),
                subject=f"output {k}",
            )


def _later(method: Method, sources: set[int]) -> str:
    """What comes of giving other memory for the next call; empty where nothing does."""
    tensors = sorted(v for v in sources if method.tensor(v) is not None)
    for v in tensors:
        if not method.writers(v) and (method.is_constant(v) or method.is_external(v)):
            return f", and from the second call on it replaces the data of {method.describe(v)}"
    if len(tensors) > 1:
        names = " or ".join(method.describe(v) for v in tensors)
        return (
            f"; it becomes the memory of {names} instead, so that a later call writes into what "
            "an earlier one was given, even if that has been freed since"
        )
    return ""
