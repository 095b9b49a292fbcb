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

        from executorch.exir import ExecutorchBackendConfig
        from executorch.exir.passes import MemoryPlanningPass

        ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass())

How it is confirmed:
    By hand: execute the method, and again a program in which every tensor has a place of its own;
    the outputs differ. The harness runs files as they are, so it can only show that they run.

Seen in:
    executorch#21494
"""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.schema.enums import element_size

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, undefined
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import require_readable
from pte_lint.ir.steps import Step, StepKind
from pte_lint.ops.operators import Walk, base_name, is_standard, reads_ahead, walk
from pte_lint.questions.method import Method
from pte_lint.questions.overlap import SharedStep
from pte_lint.questions.replay import reads_what_it_wrote
from pte_lint.questions.replay_elementwise import TooMuchToPlay
from pte_lint.rulebook.rule import Yields, method_rule

_ELEMENT = 8
"""Bytes of the largest common element."""
_PERMUTING = frozenset({"aten::permute_copy", "aten::t_copy", "aten::transpose_copy"})


@method_rule(
    "PTE204",
    "kernel-over-its-input",
    Severity.ERROR,
    "kernels that overwrite what they read",
    sign=Unseen(
        "nothing looks at what is overwritten: memory planned anew shows it", Trial.SEPARATE
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding for each output and input of an instruction."""
    require_readable(method, context)
    # A tensor that a call reads twice is told once.
    for shared in dict.fromkeys(method.liveness.shared_steps):
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
            "    from executorch.exir import ExecutorchBackendConfig\n"
            "    from executorch.exir.passes import MemoryPlanningPass\n\n"
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
    try:
        if reads_what_it_wrote(method, shared):
            return Severity.ERROR
    except TooMuchToPlay:
        severity = _by_kind(method, shared)
        if severity is Severity.WARNING:
            what = f"whether instruction {shared.step} reads what it wrote"
            method.ledger.give_up(what, "its tensors are too large to follow each element")
        return severity
    return _by_kind(method, shared)


def _by_kind(method: Method, shared: SharedStep) -> Severity | None:
    """The same without playing the call, from what is known of all calls of the operator."""
    step = method.steps[shared.step]
    here, there = shared.written, shared.read
    ahead = here.start - there.start
    kind = walk(step.operator) if step.kind is StepKind.KERNEL else Walk.UNKNOWN
    large = min(here.end - here.start, there.end - there.start) > _width(method, shared.writer)
    if kind is Walk.RESCANNING:
        # A batched product is done with a batch before it writes the next one's result.
        batches = _batches(method, shared)
        sure = large and -ahead * batches < here.end - here.start
        return Severity.ERROR if sure else Severity.WARNING
    if kind is Walk.FORWARD and not _is_in_order(method, step, shared):
        return Severity.ERROR if large and ahead >= 0 else Severity.WARNING
    is_new = step.kind is StepKind.KERNEL and kind is Walk.UNKNOWN and is_standard(step.operator)
    if ahead == 0 and here.end == there.end and not is_new:
        return None
    if kind in (Walk.ELEMENTWISE, Walk.FORWARD):
        same = here.end - here.start == there.end - there.start
        sure = same and ahead > 0 and there.end - there.start > _reads_ahead(method, shared)
        return Severity.ERROR if sure else Severity.WARNING
    return Severity.WARNING


def _reads_ahead(method: Method, shared: SharedStep) -> int:
    source = method.tensor(shared.source)
    scalar_type = source.scalar_type if source is not None else -1
    width = _width(method, shared.source)
    return reads_ahead(method.steps[shared.step].operator, scalar_type, width)


def _width(method: Method, v: int) -> int:
    """Bytes of an element: a single one is read before it is written."""
    tensor = method.tensor(v)
    return (element_size(tensor.scalar_type) if tensor is not None else None) or _ELEMENT


def _batches(method: Method, shared: SharedStep) -> int:
    if base_name(method.steps[shared.step].operator) != "aten::bmm":
        return 1
    tensor = method.tensor(shared.writer)
    return max((tensor.sizes or (1,))[0], 1) if tensor is not None else 1


def _is_in_order(method: Method, step: Step, shared: SharedStep) -> bool:
    """True when a call reads this input in the order in which it writes, each element once."""
    name = base_name(step.operator)
    source, target = method.tensor(shared.source), method.tensor(shared.writer)
    if source is None or target is None:
        return False
    if name == "aten::addmm":
        rows, columns = _matrix(target.sizes or ())
        if shared.source == step.args[0] and shared.source not in step.args[1:3]:
            return source.sizes == target.sizes
        # A row of the left factor is read once for each column, a column of the right one once
        # for each row of the result.
        return columns == 1 if shared.source == step.args[1] else rows == 1
    moved = [size for size in source.sizes or () if size != 1]
    return (
        name in _PERMUTING
        and moved == [size for size in target.sizes or () if size != 1]
        and (len(moved) <= 1 or len(set(moved)) == len(moved))
    )


def _matrix(sizes: Sequence[int]) -> tuple[int, int]:
    return (sizes[0], sizes[1]) if len(sizes) == 2 else (0, 0)
