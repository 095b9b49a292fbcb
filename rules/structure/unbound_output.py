"""An unplanned output that the caller's memory never reaches.

What it finds:
    Unplanned method outputs that are the target of a move, as the results of torch.cond are.

What the runtime does:
    set_output_data_ptr succeeds before the first run, but the move then puts another tensor in the
    output's place: the caller's buffer is never written. Reading the output from the method still
    gives the right data. All versions (Method::set_output_data_ptr and
    Method::execute_instruction in runtime/executor/method.cpp).

Why it happens:
    MemoryPlanningPass(alloc_graph_output=False) on a model that returns what torch.cond returns.

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
from pte_lint.rule import Yields, method_rule


@method_rule("PTE138", "unbound-output", Severity.WARNING, "unplanned outputs that a move replaces")
def check(method: Method, context: Context) -> Yields:
    """One finding an output."""
    moved = {step.args[1] for step in method.of_kind(StepKind.MOVE) if step.writes}
    for k, v in enumerate(method.outputs):
        tensor = method.tensor(v)
        if v not in moved or tensor is None or method.is_planned(v) or method.is_constant(v):
            continue
        yield Finding(
            message=f"Output {k} is unplanned and the target of a move: memory that the caller "
            "gives for it is never written.",
            remediation="Plan outputs, or copy the result so that a kernel writes the output:\n\n"
            "    return torch.cond(p, f, g, (x,)).clone()",
            location=method.location(value=v),
            subject=f"output {k}",
        )
