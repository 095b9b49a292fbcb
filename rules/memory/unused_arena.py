"""An arena that holds no tensor, or a size in the reserved slot.

What it finds:
    Arenas of some size in which no tensor is planned, and a size other than 0 in entry 0 of
    non_const_buffer_sizes.

What the runtime does:
    It allocates the arena for nothing; entry 0 is never read. All versions
    (runtime/executor/method_meta.cpp).

Why it happens:
    A custom planner reserves an arena and fills none of it, or the tensors were removed
    afterwards.

How to fix it:
    In a planner of your own, return sizes only for arenas that are used; the default one does:

        from executorch.exir import ExecutorchBackendConfig
        from executorch.exir.passes import MemoryPlanningPass

        ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass())

How it is confirmed:
    Without bytes in a copy of the file, all runs stay the same.

Seen in:
    executorch#7678
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_ADVICE = """\
In a planner of your own, return sizes only for arenas that are used, and 0 for entry 0, as the
default one does:

    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.passes import MemoryPlanningPass

    ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass())"""


@method_rule(
    "PTE207",
    "unused-arena",
    Severity.WARNING,
    "arenas that hold no tensor",
    sign=Unseen("memory that nothing uses shows nowhere", Trial.IDLE),
)
def check(method: Method, context: Context) -> Yields:
    """One finding an arena."""
    sizes = method.plan.non_const_buffer_sizes or ()
    used = {0, *(plot.info.memory_id for plot in method.table.plots)}
    for number, size in enumerate(sizes):
        if size == 0 or (number in used and number != 0):
            continue
        message = f"Arena {number} has {size} bytes, and no tensor is planned in it."
        if number == 0:
            message = f"Entry 0 of the arena sizes is reserved, but has {size} bytes."
        yield Finding(
            message=message,
            remediation=_ADVICE,
            location=method.location(suffix=f".non_const_buffer_sizes[{number}]"),
            evidence={"size": size},
            subject=f"arena {number} use",
        )
