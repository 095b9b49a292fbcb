"""A planned tensor in an arena that does not exist.

What it finds:
    Planned tensors whose memory_id is 0, which is reserved, or past the last arena
    (non_const_buffer_sizes, whose entry 0 is reserved too).

What the runtime does:
    load_method returns InvalidArgument. All versions (getMemPlannedPtr in
    runtime/executor/tensor_parser_exec_aten.cpp; HierarchicalAllocator::get_offset_address).

Why it happens:
    A custom memory planner numbered arenas from 0, or gave fewer sizes than it uses; or the list
    of sizes was cut.

How to fix it:
    In a planner of your own, number arenas from 1, and return a size for each of them and a 0 in
    front (MemoryAlgoResult.bufsizes); the default one does:

        from executorch.exir import ExecutorchBackendConfig
        from executorch.exir.passes import MemoryPlanningPass

        ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass())

How it is confirmed:
    Loading the method.

Seen in:
    executorch#7678
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import AT_VALUE, Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import refused_at_load
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count

_ADVICE = """\
Number arenas from 1 in a custom planner and return a size for each of them; with the default
planner export again:

    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.passes import MemoryPlanningPass

    ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass())"""


@method_rule(
    "PTE201",
    "memory-id",
    Severity.ERROR,
    "tensors planned in an arena that is not there",
    sign=Sign(r"\bid {memory_id-1:u32} >= {arenas}\b", AT_VALUE),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a tensor."""
    arenas = method.arenas
    known = count(len(arenas), "arena")
    wrong = [plot for plot in method.table.plots if plot.info.memory_id not in arenas]
    for info, v in ((plot.info, v) for plot in wrong for v in plot.values):
        is_reserved = info.memory_id == 0
        what = "which is reserved" if is_reserved else f"but the method has {known}"
        yield Finding(
            message=f"Tensor {v} is planned in arena {info.memory_id}, {what}.",
            remediation=_ADVICE,
            location=method.location(value=v, suffix=".val.allocation_info.memory_id"),
            forecast=refused_at_load("InvalidArgument"),
            order=(LoadMethodStep.VALUES, v, 20),
            evidence={"memory_id": info.memory_id, "arenas": len(arenas)},
            subject=f"value {v} memory_id",
        )
