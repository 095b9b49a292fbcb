"""Inputs that are copied into planned memory in every run.

What it finds:
    Tensor inputs that the memory plan has a place for, with the bytes that setting them moves. Most
    programs have some and are right, so this rule runs only when it is asked for: `--select PTE8`
    (or ALL), or a severity for it.

What the runtime does:
    Method::set_input copies the caller's bytes into a planned input; of one that is not planned it
    takes the pointer (runtime/executor/method.cpp, all versions).

Why it happens:
    The exporter plans inputs by default.

How to fix it:
    Leave inputs unplanned where the caller keeps their memory until the run is over:

        from executorch.exir import ExecutorchBackendConfig
        from executorch.exir.passes import MemoryPlanningPass

        ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False))

How it is confirmed:
    Not visible by running, but in a profile.

Seen in:
    executorch#7678
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count


@method_rule(
    "PTE803",
    "copied-inputs",
    Severity.INFO,
    "inputs that are copied into planned memory",
    is_optional=True,
)
def check(method: Method, ctx: Context) -> Yields:
    """One finding a method."""
    copied = [v for v in dict.fromkeys(method.inputs) if method.is_planned(v) and method.nbytes(v)]
    if not copied:
        return
    total = sum(map(method.nbytes, copied))
    yield Finding(
        message=f"Setting {count(len(copied), 'planned input')} copies {count(total, 'byte')} a "
        "run.",
        remediation="Leave inputs unplanned where the caller keeps their memory:\n\n"
        "    from executorch.exir.passes import MemoryPlanningPass\n\n"
        "    MemoryPlanningPass(alloc_graph_input=False)",
        location=method.location(value=copied[0]),
        evidence={"inputs": len(copied), "bytes": total},
        subject="planned inputs",
    )
