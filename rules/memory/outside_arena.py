"""A planned tensor that does not lie inside its arena.

What it finds:
    Planned tensors whose offset plus bytes, at the largest sizes, exceed the size of their arena
    (reaching its very end is fine), or 64 bits.

What the runtime does:
    load_method returns MemoryAllocationFailed, or InvalidArgument when the sum exceeds 64 bits.
    All versions (HierarchicalAllocator::get_offset_address in
    runtime/core/hierarchical_allocator.h).

Why it happens:
    A custom memory planner gave too small a size for the arena, or sizes were changed after
    planning; or the file is damaged.

How to fix it:
    Let the planner report the end of the last tensor as the arena's size; the default one does:

        from executorch.exir import ExecutorchBackendConfig
        from executorch.exir.passes import MemoryPlanningPass

        ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass())

How it is confirmed:
    Loading the method.

Seen in:
    executorch#7678, executorch#21958
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import AT_VALUE, Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import refused_at_load
from pte_lint.ir.tensor_size import wrapped_nbytes
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_WORD = 1 << 64


@method_rule(
    "PTE202",
    "outside-arena",
    Severity.ERROR,
    "planned tensors that exceed their arena",
    sign=(
        Sign(
            r"bytes \({offset}\) \+ size_bytes \({bytes}\) >= allocator size \({arena_size}\)",
            AT_VALUE,
        ),
        Sign(
            r"overflow in offset_bytes \({offset}\) \+ size_bytes \({bytes}\)",
            AT_VALUE,
        ),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a tensor."""
    for plot in method.table.plots:
        info, nbytes = plot.info, wrapped_nbytes(plot.tensor)
        arena = method.arenas.get(info.memory_id)
        if nbytes is None or (arena is not None and arena.size < 0):
            continue  # refused for another reason before its place is looked at
        end = info.memory_offset + nbytes
        if end >= _WORD:
            message = "its end exceeds 64 bits"
            error = "InvalidArgument"
        elif arena is not None and end > arena.size:
            message = f"arena {arena.memory_id} has {arena.size}"
            error = "MemoryAllocationFailed"
        else:
            continue
        for v in plot.values:
            yield Finding(
                message=f"Tensor {v} takes bytes {info.memory_offset} to {end}, but {message}.",
                remediation="Plan memory again after the last change of sizes:\n\n"
                "    from executorch.exir import ExecutorchBackendConfig\n"
                "    from executorch.exir.passes import MemoryPlanningPass\n\n"
                "    ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass())",
                location=method.location(value=v, suffix=".val.allocation_info"),
                forecast=refused_at_load(error),
                order=(LoadMethodStep.VALUES, v, 19 if end >= _WORD else 21),
                evidence={
                    "offset": info.memory_offset,
                    "bytes": nbytes,
                    "arena_size": arena.size if arena is not None else None,
                },
                subject=f"value {v} range",
            )
