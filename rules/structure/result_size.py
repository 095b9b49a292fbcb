"""A result that does not fit the tensor it is written to.

What it finds:
    Elementwise operators whose inputs all have fixed sizes, and whose output tensor cannot take the
    result: its own sizes are fixed and different, or the inputs do not broadcast together.

What the runtime does:
    The kernel resizes its output before it computes. A tensor of fixed sizes refuses (and so does
    one with a bound, above it), and the kernel returns InvalidArgument: execute fails, all versions
    (kernels/portable/cpu/util/broadcast_util.cpp: resize_to_broadcast_target_size,
    runtime/core/portable_type/tensor_impl.cpp: TensorImpl::internal_resize_contiguous).

Why it happens:
    An argument of the call was exchanged for another tensor, or sizes were edited after export.

How to fix it:
    Take an intact copy, or export the program again:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Executing the method: the call returns InvalidArgument. A test does so for every operator that
    the rule knows.

Seen in:
    executorch#8923
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from pte_lint.schema.enums import ShapeDynamism

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import IN_KERNEL, Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, require_readable
from pte_lint.ir.steps import Step
from pte_lint.ops.checks.conditions import broadcast, shown
from pte_lint.ops.operators import broadcasts
from pte_lint.ops.schemas import operator_schema
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_REFUSED = Forecast.always(error(Stage.EXECUTE, "InvalidArgument"))


@method_rule(
    "PTE139",
    "result-size",
    Severity.ERROR,
    "outputs that cannot take an operator's result",
    sign=(
        Sign(r"Expected shape {sizes}, but received", IN_KERNEL),
        Sign(r"rank which is immutable: old={rank}, new=", IN_KERNEL),
        Sign(r"maximum capacity of {numel} elements", IN_KERNEL),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a call that can be reached."""
    require_readable(method, context)
    reachable = method.flow.reachable
    wrong = (
        alike.calls
        for alike in method.calls.groups
        if broadcasts(alike.operator) and _fault(method, alike.calls[0], _static)
    )
    for step in chain.from_iterable(wrong):
        fault = _fault(method, step, _fixed) if reachable[step.index] else None
        if fault is not None:
            yield Finding(
                message=f"{step.operator} {fault}.",
                remediation=REEXPORT,
                location=method.location(step=step, argument=step.first_output),
                forecast=_REFUSED,
                order=(step.index, ExecuteStep.SIZES),
                subject=f"instruction {step.index} result",
            )


_Sizes = Callable[[Method, int], tuple[int, ...] | None]


def _fault(method: Method, step: Step, sizes_of: _Sizes) -> str | None:
    """What is wrong with the sizes of a call; None where nothing is, or it cannot be known."""
    schema = operator_schema(step.operator)
    if schema is None or len(step.args) != schema.call_size or len(step.writes) != 1:
        return None
    inputs = [
        sizes_of(method, v) for v in step.args[: step.first_output] if method.tensor(v) is not None
    ]
    if not inputs or any(sizes is None for sizes in inputs):
        return None
    known = [sizes for sizes in inputs if sizes is not None]
    result = broadcast(known)
    all_of_them = " and ".join(shown(sizes) for sizes in known)
    if result is None:
        return f"gets tensors of sizes {all_of_them}, which do not broadcast together"
    out = step.writes[0]
    sizes = sizes_of(method, out)
    if sizes is None or sizes == result:
        return None
    return f"makes a result of sizes {shown(result)}, but value {out} has {shown(sizes)}"


def _static(method: Method, v: int) -> tuple[int, ...] | None:
    """The sizes of a tensor that no step can resize; None for others."""
    tensor = method.tensor(v)
    is_static = tensor is not None and tensor.shape_dynamism == ShapeDynamism.STATIC
    return tensor.sizes if tensor is not None and is_static else None


def _fixed(method: Method, v: int) -> tuple[int, ...] | None:
    """The sizes of a tensor that no step can resize or exchange; None for others."""
    return None if method.residency.is_moved(v) else _static(method, v)
