"""Two tensors that need the same bytes at the same time.

What it finds:
    Instructions that write into memory where another tensor lies whose content is still needed: it
    was written before and is read, returned, or kept for the next run afterwards. Control flow,
    moves, views and state are taken into account; views of the same storage and updates in place
    are no overlap. Also inputs that the caller destroys by setting a later input.

What the runtime does:
    It does not notice, and computes with what the other tensor left there. All versions: memory
    ranges are only tested against the size of the arena.

Why it happens:
    A custom memory planner or a pass that changes lifetimes after planning; a custom pass that
    sets storage_base on a tensor whose base is still read; an edited file.

How to fix it:
    Plan memory after the last pass that changes the program. With the naive algorithm no two
    tensors share bytes, whatever their lifetimes were taken for; `pte-lint fix --replan` makes the
    plan small again:

        from executorch.exir import ExecutorchBackendConfig
        from executorch.exir.memory_planning import MemoryPlanningAlgorithmSuite, naive
        from executorch.exir.passes import MemoryPlanningPass

        edge.to_executorch(
            ExecutorchBackendConfig(
                memory_planning_pass=MemoryPlanningPass(
                    memory_planning_algo=MemoryPlanningAlgorithmSuite(algo_list=[naive])
                )
            )
        )

How it is confirmed:
    By hand: execute the method, and again a program in which every tensor has a place of its own;
    the outputs differ. The harness runs files as they are, so it can only show that they run.

Seen in:
    executorch#21494
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity, Unchecked
from pte_lint.claims.forecast import Forecast, Stage, undefined
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import require_readable
from pte_lint.interpret.numbers_known import known_int
from pte_lint.ir.calling import ET_COPY_INDEX
from pte_lint.ir.steps import StepKind
from pte_lint.ops.operators import base_name, is_standard
from pte_lint.questions.method import Method
from pte_lint.questions.overlap import Conflict, Spot
from pte_lint.questions.sameness import lands_on_itself
from pte_lint.questions.sizes_known import known_sizes
from pte_lint.rulebook.rule import Yields, method_rule

_ADVICE = """\
Plan memory after the last pass that changes the program. With the naive algorithm no two tensors
share bytes, whatever their lifetimes were taken for; `pte-lint fix --replan` makes the plan small
again:

    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.memory_planning import MemoryPlanningAlgorithmSuite, naive
    from executorch.exir.passes import MemoryPlanningPass

    edge.to_executorch(
        ExecutorchBackendConfig(
            memory_planning_pass=MemoryPlanningPass(
                memory_planning_algo=MemoryPlanningAlgorithmSuite(algo_list=[naive])
            )
        )
    )"""


@method_rule(
    "PTE203",
    "live-overlap",
    Severity.ERROR,
    "tensors that share bytes while both are needed",
    sign=Unseen(
        "nothing looks at what is overwritten: memory planned anew shows it", Trial.SEPARATE
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding for each instruction and tensor that it destroys."""
    require_readable(method, context)
    for conflict in method.liveness.conflicts:
        if conflict.step is not None:
            step = method.steps[conflict.step]
            if conflict.victim in step.reads:
                if lands_on_itself(method, step, conflict):
                    continue
                if step.kind is StepKind.KERNEL and not is_standard(step.operator):
                    yield Unchecked(
                        f"instruction {step.index} of method {method.name!r}",
                        f"{step.operator} writes into its own input, which is read again; whether "
                        "it leaves the input as it is only the operator knows",
                    )
                    continue
        yield _finding(method, conflict)


def _finding(method: Method, conflict: Conflict) -> Finding:
    live, describe = method.liveness, method.describe
    step = method.steps[conflict.step] if conflict.step is not None else None
    before = conflict.step if conflict.step is not None else 0
    written = live.last_write(conflict.victim, before)
    needed = live.next_read(conflict.victim, before if conflict.step is not None else -1)
    actor = (
        f"{step.operator} writes {describe(conflict.writer)} over"
        if step
        else (f"Setting {describe(conflict.writer)} overwrites")
    )
    is_loaded = step is None and not method.is_input[conflict.writer]
    if is_loaded:
        actor = f"Loading {describe(conflict.writer)} overwrites"
    after = f"which instruction {needed} reads afterwards"
    if needed is None:
        returned = live.is_returned(conflict.victim)
        after = "which is returned" if returned else "which the next run reads"
    unsure = (
        not conflict.certain
        or (method.flow.excludes_paths and not _in_one_block(method, conflict, needed))
        or not _meets_an_earlier_row(method, conflict)
    )
    stage = Stage.EXECUTE if step is not None else Stage.SET_INPUT
    stage = Stage.LOAD_METHOD if is_loaded else stage
    return Finding(
        message=f"{actor} {describe(conflict.victim)}, {after}: bytes {_range(conflict.written)} "
        f"and {_range(conflict.needed)} of arena {conflict.needed.memory_id} overlap.",
        remediation=_ADVICE,
        location=method.location(step=step, value=conflict.writer),
        forecast=Forecast.always(undefined(stage)),
        order=(conflict.step, ExecuteStep.SILENT, 1)
        if conflict.step is not None
        else (_turn(method, conflict.writer),),
        evidence={
            "arena": conflict.needed.memory_id,
            "written_value": conflict.writer,
            "written_bytes": [conflict.written.start, conflict.written.end],
            "needed_value": conflict.victim,
            "needed_bytes": [conflict.needed.start, conflict.needed.end],
            "needed_since": written,
            "needed_until": needed,
        },
        subject=f"value {conflict.writer} over value {conflict.victim}",
        severity=Severity.WARNING if unsure else None,
    )


def _meets_an_earlier_row(method: Method, conflict: Conflict) -> bool:
    """False when rows are copied in a loop, and those that meet may not be needed at the time.

    A tensor that is filled row by row may lose only a row that is still to be written, and one
    that is read row by row may lose only rows that were read.
    """
    if conflict.step is not None and method.steps[conflict.step].operator == ET_COPY_INDEX:
        if method.liveness.is_returned(conflict.victim) or _overtakes(method, conflict):
            return True
        return not method.flow.is_straight and any(
            base_name(method.steps[r].operator) != "aten::select_copy"
            for r in method.liveness.content_readers(conflict.victim)
        )
    rows = {w for w in method.writers(conflict.victim) if method.steps[w].operator == ET_COPY_INDEX}
    tensor = method.tensor(conflict.victim)
    if not rows or tensor is None or not tensor.sizes:
        return True
    if conflict.step is None or method.flow.block_of(conflict.step) not in {
        method.flow.block_of(w) for w in rows
    }:
        return True
    row = (conflict.needed.end - conflict.needed.start) // max(tensor.sizes[0], 1)
    # In the last iteration all rows of those before are there, and its own if already copied.
    there = max(method.interpretation.rows_copied(w) - (conflict.step < w) for w in rows)
    there = max(there, tensor.sizes[0] > 1)
    return conflict.written.start < conflict.needed.start + row * there


def _overtakes(method: Method, conflict: Conflict) -> bool:
    """True when a loop reads rows of the victim in turn, and a result lies on one of the next."""
    assert conflict.step is not None
    index = method.steps[conflict.step].args[-1]
    for r in method.liveness.content_readers(conflict.victim):
        args = method.steps[r].args
        if len(args) < 3 or known_int(method, args[1]) != 0 or args[2] != index:
            return False
    sizes, target = known_sizes(method, conflict.victim), method.tensor(conflict.writer)
    if not sizes or sizes[0] < 2 or target is None or not target.sizes:
        return False
    # The loop goes round twice at least, or nothing would be read afterwards.
    iterations = max(method.interpretation.rows_copied(conflict.step), 2)
    row = (conflict.needed.end - conflict.needed.start) // sizes[0]
    length = (conflict.written.end - conflict.written.start) // max(target.sizes[0], 1)
    if not (row and length):
        return False
    for iteration in range(iterations - 1):
        start = conflict.written.start + iteration * length - conflict.needed.start
        first, last = start // row, (start + length - 1) // row
        if max(first, iteration + 1) <= min(last, iterations - 1, sizes[0] - 1):
            return True
    return False


def _in_one_block(method: Method, conflict: Conflict, needed: int | None) -> bool:
    if conflict.step is None or needed is None:
        return False
    return method.flow.block_of(conflict.step) == method.flow.block_of(needed)


def _turn(method: Method, v: int) -> int:
    """When it is the turn of a tensor to be set, or loaded."""
    return method.inputs.index(v) if method.is_input[v] else v


def _range(spot: Spot) -> str:
    return f"{spot.start} to {spot.end}"
