"""What loading under full verification should say of a file, and what it said.

The verdict comes from the reader's violations, and from a second writing-down of the runtime's
walk over the plans (runtime/executor/program_validation.cpp).
"""

from __future__ import annotations

from pte_lint.schema.container import HeaderState
from pte_lint.schema.enums import KernelTypes, element_size
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import ExecutionPlan, Program, Tensor

from pte_lint.harness.outcome import Step

# In the order in which Program::load comes to them.
HEADER, SIZE, IDENTIFIER, VERIFIER, VALIDATION, OK = (
    "header", "size", "identifier", "verifier", "validation", "ok",
)  # fmt: skip

_SAID = (
    ("Verification failed", VERIFIER),
    ("Program validation failed", VALIDATION),
    ("Program identifier", IDENTIFIER),
    ("Extended header", HEADER),
    ("File size is too small", SIZE),
    ("overflows", SIZE),
    ("is too small", SIZE),
    # A read that starts further on comes after verification.
    (": offset 0 + size", SIZE),
)


def predicted(content: bytes) -> str:
    """What stops the load, or `ok` when verification lets the program through."""
    loaded = read_program(content)
    outside = loaded.container
    if outside.header_state is HeaderState.TOO_SHORT:
        return HEADER
    expected = outside.expected_size
    if len(content) < 64 or (expected is not None and expected > len(content)):
        return SIZE
    if not 8 <= outside.program_size <= len(content):
        return SIZE
    if outside.identifier != b"ET12":
        return IDENTIFIER
    if loaded.violations:
        return VERIFIER
    assert loaded.program is not None
    return OK if _is_valid(loaded.program) else VALIDATION


def observed(step: Step) -> str:
    """What the runtime's log says stopped the load; `ok` when it was nothing of this."""
    for line in step.logs:
        for words, what in _SAID:
            if words in line:
                return what
    return OK


def _is_valid(program: Program) -> bool:
    plans = program.execution_plan
    return plans is not None and all(_is_valid_plan(plan) for plan in plans)


def _is_valid_plan(plan: ExecutionPlan) -> bool:
    if plan.values is None:
        return False
    for index, value in enumerate(plan.values):
        content = value.val
        if value.val_type == KernelTypes.TENSOR:
            tensor = content if isinstance(content, Tensor) else None
            if not _is_valid_tensor(tensor) and not _is_exempt(plan, index, tensor):
                return False
        if value.val_type == KernelTypes.TENSOR_LIST:
            items = getattr(content, "items", None)
            if items is None or not all(_is_tensor(plan, item) for item in items):
                return False
    return True


def _is_tensor(plan: ExecutionPlan, index: int) -> bool:
    values = plan.values or ()
    return 0 <= index < len(values) and values[index].val_type == KernelTypes.TENSOR


def _is_exempt(plan: ExecutionPlan, index: int, tensor: Tensor | None) -> bool:
    """Whatever is wrong with a tensor is let through when it is a dynamic input."""
    return tensor is not None and tensor.shape_dynamism != 0 and index in (plan.inputs or ())


def _is_valid_tensor(tensor: Tensor | None) -> bool:
    if tensor is None or tensor.sizes is None or any(size < 0 for size in tensor.sizes):
        return False
    elements = 1
    for size in tensor.sizes:
        elements *= size
        if elements > 2**63 - 1:
            return False
    width = element_size(tensor.scalar_type)
    return width is not None and elements * width < 2**64
