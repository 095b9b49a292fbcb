"""An instruction whose output lies over its own input.

What it finds:
    Kernel calls that write bytes of one of their own inputs which nobody reads afterwards. Exactly
    the same place is fine for an operator that works element by element; it is not for one that
    comes back to its input (matrix products, convolutions, transpositions, pooling), and a partial
    overlap hardly ever is.

What the runtime does:
    It does not notice: the kernel reads elements that it has already overwritten. All versions.

Why it happens:
    A custom memory planner let an input die too early: one instruction before its last use.

How to fix it:
    Let inputs live until after the instruction that reads them last; the default algorithm does:

        ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass())

How it is confirmed:
    Executing the method, and again with every tensor in a place of its own: the outputs differ.

Seen in:
    executorch#21494
"""

from __future__ import annotations

from pte_lint.context import Context
from pte_lint.damage import require_readable
from pte_lint.finding import Finding, Severity
from pte_lint.forecast import Forecast, Stage, undefined
from pte_lint.method import Method
from pte_lint.operators import Walk, walk
from pte_lint.order import ExecuteStep
from pte_lint.overlap import SharedStep
from pte_lint.rule import Yields, method_rule
from pte_lint.steps import StepKind

_VECTOR = 256
"""Bytes that a vectorised kernel may have read before it writes any; less proves nothing."""


@method_rule(
    "PTE204", "kernel-over-its-input", Severity.ERROR, "kernels that overwrite what they read"
)
def check(method: Method, context: Context) -> Yields:
    """One finding for each output and input of an instruction."""
    require_readable(method, context)
    for shared in method.liveness.shared_steps:
        severity = _judge(method, shared)
        if severity is None:
            continue
        step = method.steps[shared.step]
        here, there = shared.written, shared.read
        yield Finding(
            message=f"{step.operator} writes {method.describe(shared.writer)} (bytes {here.start} "
            f"to {here.end} of arena {here.memory_id}) over its own input "
            f"{method.describe(shared.source)} (bytes {there.start} to {there.end}).",
            remediation="Let inputs live until after the instruction that reads them last; the "
            "default planner does:\n\n"
            "    ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass())",
            location=method.location(step=step, value=shared.writer),
            forecast=Forecast.always(undefined(Stage.EXECUTE)),
            order=(shared.step, ExecuteStep.SILENT, 1),
            evidence={
                "arena": here.memory_id,
                "written_value": shared.writer,
                "written_bytes": [here.start, here.end],
                "read_value": shared.source,
                "read_bytes": [there.start, there.end],
            },
            subject=f"value {shared.writer} over value {shared.source}",
            severity=severity,
        )


def _judge(method: Method, shared: SharedStep) -> Severity | None:
    """How sure it is that the result is wrong; None when sharing is as it should be."""
    step = method.steps[shared.step]
    here, there = shared.written, shared.read
    exact = (here.start, here.end) == (there.start, there.end)
    kind = walk(step.operator) if step.kind is StepKind.KERNEL else Walk.UNKNOWN
    if kind is Walk.GATHERING:
        large = min(here.end - here.start, there.end - there.start) > 8
        return Severity.ERROR if large else Severity.WARNING
    if exact:
        return None
    if kind is Walk.ELEMENTWISE:
        same = here.end - here.start == there.end - there.start
        ahead = here.start > there.start and there.end - there.start >= _VECTOR
        return Severity.ERROR if same and ahead else Severity.WARNING
    return Severity.WARNING
