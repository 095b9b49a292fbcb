"""A kernel that takes the bytes of one element type for those of another.

What it finds:
    A cat of tensors into a floating type other than theirs and as wide: int32 and float32, int16
    and bfloat16. An info where all elements of such a tensor are equal, and may be 0, which has
    the same bytes in all types.

What the runtime does:
    Executing succeeds. The kernel copies the bytes of whatever is as wide as the result, in place
    of converting it (kernels/portable/cpu/op_cat.cpp, 1.2 to 1.5): 1 as int32 becomes 1.4e-45.

Why it happens:
    PyTorch promotes the element types of what it joins; the exporter leaves that to the kernel. Its
    check of element types refuses such a call, and is left out with
    EdgeCompileConfig(_check_ir_validity=False).

How to fix it:
    Convert before joining:

        y = torch.cat([x.to(other.dtype), other])

How it is confirmed:
    Not by running alone: the outputs differ from PyTorch's.

Seen in:
    Found here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pte_lint.schema.enums import dtype_name, element_size

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, wrong
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import require_readable
from pte_lint.data.uniform import UniformTensors
from pte_lint.ir.calling import list_items
from pte_lint.ops.promotion import FLOATING
from pte_lint.ops.schemas import operator_schema
from pte_lint.questions.extent import dependent_outputs, extent_told, is_dead
from pte_lint.questions.method import Method, Step
from pte_lint.questions.refusals import refusal_of
from pte_lint.questions.sure_call import SureCall
from pte_lint.rulebook.rule import Yields, method_rule

_JOINING: Final = "aten::cat.out"


@method_rule(
    "PTE154",
    "bytes-taken-over",
    Severity.ERROR,
    "kernels that take bytes of one element type for another",
    sign=Unseen("all succeeds: only a comparison with PyTorch would tell", Trial.COMPARE),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a call: the first tensor that comes out wrong, or else one that may."""
    schema = operator_schema(_JOINING)
    assert schema is not None
    require_readable(method, context)
    is_uniform = UniformTensors(method, context)
    for step in method.calls.of(_JOINING):
        if len(step.args) != schema.call_size or not method.flow.reachable[step.index]:
            continue
        call = SureCall(method, step, schema)
        taken = sorted(_taken(method, step, call), key=is_uniform)
        if taken and refusal_of(method, step) is None and not is_dead(method, step):
            yield _finding(method, step, taken[0], is_doubtful=is_uniform(taken[0]))


def _taken(method: Method, step: Step, call: SureCall) -> Iterator[int]:
    """The tensors whose bytes are not what they are taken for."""
    parts, out = call.tensors(0), call.out()
    if parts is None or out is None or out.dtype not in FLOATING:
        return
    for v, part in zip(list_items(method.value(step.args[0])), parts, strict=True):
        is_as_wide = element_size(part.dtype) == element_size(out.dtype)
        if part.dtype != out.dtype and part.numel != 0 and is_as_wide:
            yield v


def _finding(method: Method, step: Step, v: int, *, is_doubtful: bool) -> Finding:
    out = step.args[step.first_output]
    tensor, result = method.tensor(v), method.tensor(out)
    assert tensor is not None
    assert result is not None
    given, wanted = dtype_name(tensor.scalar_type), dtype_name(result.scalar_type)
    outputs = dependent_outputs(method, step)
    but = ", unless it is 0, as all its elements are equal" if is_doubtful else ""
    return Finding(
        message=f"{step.operator} copies the bytes of {method.describe(v)}, {given}, into a result "
        f"of {wanted}, which is as wide, where PyTorch converts the numbers: each but 0 becomes "
        f"another{but}.{extent_told(outputs)}",
        remediation=f"Convert it to {wanted} before it is joined:\n\n"
        "    y = torch.cat([x.to(other.dtype), other])\n\n"
        "The exporter refuses such a call unless it is told not to look: leave "
        "_check_ir_validity as it is.",
        location=method.location(step=step, argument=0, value=v),
        forecast=None if is_doubtful else Forecast.always(wrong()),
        order=(step.index, ExecuteStep.SILENT),
        evidence={"from": given, "to": wanted, "outputs": list(outputs)},
        subject=f"instruction {step.index} bytes",
        severity=Severity.INFO if is_doubtful else None,
    )
