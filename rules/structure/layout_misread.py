"""A kernel that takes a tensor's memory for something else than it is.

What it finds:
    Kernel calls with tensors in another dimension order than the default (channels-last, or what
    an export makes of a transposition), where the kernel does not go by that order: it takes the
    memory as row-major, or broadcasts as if it were. Also such calls of kernels whose other checks
    are not followed, where the kernel refuses the order. A call that comes out right all the same
    is none: the dimension that is worked along lies outside of the permuted ones, all elements
    are equal, dimensions have size 1, no output and no state depends on it, or later calls
    forget, leave out or turn back what went wrong (seen in methods of few elements, at their
    largest sizes).

What the runtime does:
    Executing succeeds with results that PyTorch does not give: elements from other places. Where
    a kernel steps beyond the tensor (_softmax and topk along a dimension that is further apart
    than in the default order) it reads and writes memory of others. Kernels that check the order
    return InvalidArgument. All versions, but for reductions over several dimensions, which go
    wrong until 1.4 for every input in another order (kernels/portable/cpu, kernels/optimized/cpu,
    kernels/quantized/cpu; docs/values.md has what was measured, by operator).

Why it happens:
    The exporter keeps the strides of tensors as dimension orders and checks no kernel for them; a
    channels-last example input is enough.

How to fix it:
    Export model and inputs in the default order:

        model = model.to(memory_format=torch.contiguous_format)
        inputs = tuple(x.contiguous() for x in inputs)
        exported = torch.export.export(model, inputs)

    or convert in front of the call: `x = x.contiguous()` in the model becomes
    dim_order_ops::_clone_dim_order, which goes by the order of both tensors. Delegating the
    operator helps too.

How it is confirmed:
    Kernels that refuse the order or leave their memory: by executing the method. Wrong results:
    by other results of the same program with all tensors contiguous. A sweep compares the
    kernels with PyTorch's operators (scripts/measure).

Seen in:
    executorch#13489
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Prediction, Stage, undefined, wrong
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import IN_CALL, Sign, Trial, Unseen
from pte_lint.data.constant_content import constant_content
from pte_lint.data.context import Context
from pte_lint.data.damage import require_readable
from pte_lint.data.uniform import UniformTensors
from pte_lint.interpret.endings import ending
from pte_lint.ir.steps import Step
from pte_lint.ops.checks.call import End
from pte_lint.ops.layouts.call import Misread, OrderRefused
from pte_lint.questions.extent import dependent_outputs, is_dead
from pte_lint.questions.layout_effects import comes_out_right
from pte_lint.questions.layout_faults import Fault, LayoutFault, layout_faults
from pte_lint.questions.method import Method
from pte_lint.questions.refusals import refusal_of
from pte_lint.rulebook.rule import Yields, method_rule

_FIX: Final = """\
Before {operator} is called make {what} contiguous, or export the model and its inputs in the \
default order:

    x = x.contiguous()

or

    model = model.to(memory_format=torch.contiguous_format)
    exported = torch.export.export(model, tuple(x.contiguous() for x in inputs))"""


@method_rule(
    "PTE151",
    "layout-misread",
    Severity.ERROR,
    "kernels that do not go by the dimension order of their tensors",
    sign=(
        Sign(
            "^first: .*([Dd]im.?order|contiguous|channels)",
            also=IN_CALL,
        ),
        Unseen("all succeeds: only other results would tell", Trial.COMPARE),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a call that can be reached and that anything depends on."""
    require_readable(method, context)
    for found in _that_show(method, context):
        fault = _not_refused(method, found)
        if fault is None:
            continue
        step, newest = fault.step, fault.newest
        is_harmless = isinstance(newest, Misread) and not newest.outside
        if is_harmless and is_dead(method, step):
            continue
        tensor = newest.tensor
        outputs = dependent_outputs(method, step)
        refused = isinstance(newest, OrderRefused)
        yield Finding(
            message=_message(method, fault, outputs),
            remediation=_FIX.format(
                what=_source(method, step, tensor.value), operator=step.operator
            ),
            location=method.location(step=step, argument=_position(step.args, tensor.value)),
            forecast=_forecast(method, fault),
            order=(step.index, ExecuteStep.SIZES if refused else ExecuteStep.SILENT),
            evidence={
                "value": tensor.value,
                "sizes": list(tensor.sizes),
                "dim_order": list(tensor.order),
                "outputs": list(outputs),
            },
            subject=f"instruction {step.index} layout",
        )


def _that_show(method: Method, context: Context) -> Iterator[LayoutFault]:
    """The faults in those versions in which an output is not what it should be."""
    is_uniform = UniformTensors(method, context)
    found = list(layout_faults(method, is_uniform))
    content = constant_content(method, context)
    known: dict[frozenset[int], bool] = {}
    right = []
    for each in zip(*(fault.by_version for fault in found), strict=True):
        faults = {f.step.index: r for f, r in zip(found, each, strict=True) if r is not None}
        at = frozenset(faults)
        if at not in known:
            known[at] = comes_out_right(method, faults, content, is_uniform)
        right.append(known[at])
    for fault in found:
        left = tuple(
            None if is_right else reason
            for is_right, reason in zip(right, fault.by_version, strict=True)
        )
        if any(left):
            yield LayoutFault(fault.step, left)


def _not_refused(method: Method, fault: LayoutFault) -> LayoutFault | None:
    """The fault in those versions whose kernels do not stop before (PTE141)."""
    refusal = refusal_of(method, fault.step)
    if refusal is None:
        return fault
    left = tuple(
        None if refused is not None else reason
        for refused, reason in zip(refusal.by_version, fault.by_version, strict=True)
    )
    return LayoutFault(fault.step, left) if any(left) else None


def _source(method: Method, step: Step, v: int) -> str:
    """What the model has to make contiguous: a result gets its order from what it is made of."""
    return "what is given to it" if v in step.writes else method.describe(v)


def _position(args: tuple[int, ...], v: int) -> int | None:
    return args.index(v) if v in args else None


def _message(method: Method, fault: LayoutFault, outputs: tuple[int, ...]) -> str:
    newest = fault.newest
    tensor = newest.tensor
    shown = f"{tensor.name} ({method.describe(tensor.value)}, dim order {list(tensor.order)})"
    operator = fault.step.operator
    if isinstance(newest, OrderRefused):
        return f"The kernel of {operator} takes {newest.wanted} and refuses {shown}."
    other = newest.other
    its = f"{other.name} (dim order {list(other.order)})" if other is not None else ""
    how = newest.how.format(tensor=shown, other=its)
    extent = ""
    if outputs:
        names = ", ".join(map(str, outputs))
        extent = f" Output{'s' if len(outputs) > 1 else ''} {names} depend"
        extent += f"{'' if len(outputs) > 1 else 's'} on it."
    effect = (
        "it reads or writes memory of others"
        if newest.outside
        else "elements end up in other places than in PyTorch"
    )
    return f"{operator} {how}: {effect}.{extent}"


def _forecast(method: Method, fault: LayoutFault) -> Forecast:
    each = tuple(_prediction(method, fault, reason) for reason in fault.by_version)
    return Forecast(each, each)


def _prediction(method: Method, fault: LayoutFault, reason: Fault | None) -> Prediction | None:
    if reason is None:
        return None
    if isinstance(reason, OrderRefused):
        return ending(method, fault.step, End.REFUSED)
    return undefined(Stage.EXECUTE) if reason.outside else wrong()
