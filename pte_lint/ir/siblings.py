"""What the methods of one program say about each other's memory.

With `MemoryPlanningPass(share_mutable_buffers=True)` all methods keep the same buffers at the same
places, and a method that only reads such a buffer holds no instruction that writes it
(exir/passes/memory_planning_pass.py, `run_multimethod`).
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.ir.tensor_size import tensor_place
from pte_lint.schema.program import ExecutionPlan, KernelCall, Program, Tensor

_Place = tuple[int, int, int] | None

_latest: tuple[Program, frozenset[_Place]] | None = None


def state_places(program: Program) -> frozenset[_Place]:
    """Places (arena, offset, bytes) of tensors that any method of `program` keeps as state.

    These have initial state or a name, or are the target of an in-place operator. The answer for
    the last program is kept, so that asking for each method of a program costs one pass.
    """
    global _latest  # noqa: PLW0603 - a cache of one entry, keyed by identity
    if _latest is not None and _latest[0] is program:
        return _latest[1]
    found = frozenset(place for plan in program.execution_plan or () for place in kept_places(plan))
    _latest = (program, found)
    return found


def kept_places(plan: ExecutionPlan) -> Iterator[_Place]:
    """Places of the tensors that a method keeps as state; see `state_places`."""
    values = plan.values or ()
    for value in values:
        tensor = value.val
        if isinstance(tensor, Tensor) and tensor.allocation_info is not None:
            extra = tensor.extra_tensor_info
            if tensor.data_buffer_idx > 0 or (extra and extra.fully_qualified_name):
                yield tensor_place(tensor)
    for chain in plan.chains or ():
        for instruction in chain.instructions or ():
            call = instruction.instr_args
            if not isinstance(call, KernelCall) or not call.args or len(call.args) < 3:
                continue
            first, last = call.args[0], call.args[-1]
            if first == last != call.args[-2] and 0 <= first < len(values):
                tensor = values[first].val
                if isinstance(tensor, Tensor) and tensor.allocation_info is not None:
                    yield tensor_place(tensor)
