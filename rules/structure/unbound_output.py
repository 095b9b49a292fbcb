"""An unplanned output that the caller's memory never reaches.

What it finds:
    Unplanned method outputs that are the target of a move, as the results of torch.cond are, and
    such as are external constants.

What the runtime does:
    set_output_data_ptr succeeds before the first run, but the move then puts another tensor in the
    output's place: the caller's buffer is never written. Reading the output from the method still
    gives the right data. A constant in a .ptd counts as unplanned, too (one in the program does
    not): memory given for it takes the place of its data, for the output and for the method's own
    reads. Whoever gives no memory gets the constant. All versions (Method::set_output_data_ptr and
    Method::execute_instruction in runtime/executor/method.cpp; is_memory_planned in
    runtime/executor/method_meta.cpp).

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

from pte_lint.analysis.method import Method
from pte_lint.analysis.steps import StepKind
from pte_lint.context import Context
from pte_lint.finding import Finding, Severity
from pte_lint.forecast import Forecast, Stage, undefined
from pte_lint.rule import Yields, method_rule

_COPY = "Plan outputs, or copy the result so that a kernel writes the output:\n\n"


@method_rule(
    "PTE138", "unbound-output", Severity.WARNING, "unplanned outputs that no kernel writes"
)
def check(method: Method, context: Context) -> Yields:
    """One finding an output."""
    moved = {step.args[1] for step in method.of_kind(StepKind.MOVE) if step.writes}
    for k, v in enumerate(method.outputs):
        tensor = method.tensor(v)
        if tensor is None or method.is_planned(v) or method.is_constant(v):
            continue
        if v in moved:
            yield Finding(
                message=f"Output {k} is unplanned and the target of a move: memory that the caller "
                "gives for it is never written.",
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
