"""Which constants jumps test, and what the runtime makes of their content.

Source: `parse_cond_value` (runtime/executor/method.cpp): all elements must be true.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pte_lint.ir.steps import StepKind
from pte_lint.ops.prims import PRIM_OPS

if TYPE_CHECKING:
    from pte_lint.ir.method_steps import MethodSteps

_BOOL_CODE = 11


def tested(method: MethodSteps, read: Callable[[int, int], bytes | None]) -> Mapping[int, bytes]:
    """The content of the constants of booleans that a jump tests or a move hands on.

    Args:
        method: A method whose steps are built.
        read: The content of a short constant, by entry and number of bytes.
    """
    candidates = {
        step.args[0]
        for kind in (StepKind.JUMP, StepKind.MOVE)
        for step in method.of_kind(kind)
        if step.args and method.is_constant(step.args[0]) and not _is_filled(method, step.args[0])
    }
    found: dict[int, bytes] = {}
    if any(True for _ in method.of_kind(StepKind.JUMP)):
        for v in candidates:
            tensor = method.tensor(v)
            if tensor is not None and tensor.scalar_type == _BOOL_CODE:
                content = read(tensor.data_buffer_idx, method.nbytes(v))
                if content is not None:
                    found[v] = content
    return found


def _is_filled(method: MethodSteps, v: int) -> bool:
    """Whether a step writes into the tensor, where moves and numbers take its place."""
    steps = (method.steps[i] for i in method.writers(v))
    return any(
        step.kind is not StepKind.MOVE
        and not (step.operator in PRIM_OPS and PRIM_OPS[step.operator].results)
        for step in steps
    )
