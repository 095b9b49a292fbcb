"""A planned tensor that is not aligned to its elements.

What it finds:
    Planned tensors whose offset is no multiple of their element size.

What the runtime does:
    It does not look. x86 and most ARM application processors read misaligned numbers, slowly at
    times; microcontrollers and DSPs fault, and vector kernels may, too. All versions.

Why it happens:
    MemoryPlanningPass was given an alignment below the element size, or a custom planner ignores
    it. The default of 16 fits every element type.

How to fix it:
    Leave the alignment at its default, or make it larger:

        from executorch.exir.passes import MemoryPlanningPass

        MemoryPlanningPass(alignment=16)

How it is confirmed:
    Executing the method in a build with the undefined-behaviour sanitizer.

Seen in:
    executorch#7678
"""

from __future__ import annotations

from pte_lint.schema.enums import dtype_name, element_size

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.ir.tensor_table import Plot
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE205", "misaligned", Severity.WARNING, "planned tensors not aligned to their elements"
)
def check(method: Method, context: Context) -> Yields:
    """One finding a tensor."""
    for plot in method.table.plots:
        width = element_size(plot.tensor.scalar_type) or 1
        if plot.info.memory_offset_low % width:
            yield from (_finding(method, plot, v, width) for v in plot.values)


def _finding(method: Method, plot: Plot, v: int, width: int) -> Finding:
    info = plot.info
    return Finding(
        message=f"Tensor {v} ({dtype_name(plot.tensor.scalar_type)}) starts at byte "
        f"{info.memory_offset} of arena {info.memory_id}, which is no multiple of {width}.",
        remediation="Leave the planner's alignment at its default or above:\n\n"
        "    from executorch.exir.passes import MemoryPlanningPass\n\n"
        "    MemoryPlanningPass(alignment=16)",
        location=method.location(value=v, suffix=".val.allocation_info"),
        evidence={"offset": info.memory_offset, "element_size": width},
        subject=f"value {v} alignment",
    )
