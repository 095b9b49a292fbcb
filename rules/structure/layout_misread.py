"""A kernel that takes a tensor's memory for something else than it is.

What it finds:
    Kernel calls with tensors in another dimension order than the default (channels-last, or what
    an export makes of a transposition), where the kernel does not go by that order: it takes the
    memory as row-major, or broadcasts as if it were. A call that comes out right all the same
    is none: the dimension that is worked along lies outside of the permuted ones, all elements
    are equal, dimensions have size 1, no output and no state depends on it, or later calls
    forget, leave out or turn back what went wrong (seen in methods of few elements). Sizes that
    callers choose are taken as the largest. A warning where calls come out right with these and go
    wrong with smaller ones (1, 2, half of the largest, one less): what broadcasts, and by which
    path, hangs on sizes.

What the runtime does:
    Executing succeeds with results that PyTorch does not give: elements from other places. Where
    a kernel steps beyond the tensor (_softmax and topk along a dimension that is further apart
    than in the default order) it reads and writes memory of others. All versions, but for
    reductions over several dimensions, which go wrong until 1.4 for every input in another order
    (kernels/portable/cpu, kernels/optimized/cpu, kernels/quantized/cpu; docs/values.md has what was
    measured, by operator).

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
    Wrong results: by other results of the same program with all tensors contiguous, a warning with
    the sizes that it names (confirm --reference). A sweep compares the kernels with PyTorch's
    operators (scripts/measure).

Seen in:
    executorch#13489
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Prediction, Stage, undefined, wrong
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.constant_content import constant_content
from pte_lint.data.context import Context
from pte_lint.data.damage import require_readable
from pte_lint.data.uniform import UniformTensors
from pte_lint.ir.steps import Step
from pte_lint.ops.layouts.call import Misread
from pte_lint.questions.extent import dependent_outputs, extent_told, is_dead
from pte_lint.questions.layout_effects import comes_out_right
from pte_lint.questions.layout_faults import LayoutFault, layout_faults
from pte_lint.questions.method import Method
from pte_lint.questions.refusals import refusal_of
from pte_lint.questions.smaller_twins import at_sizes, smaller_twins
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
    sign=Unseen("all succeeds: only other results would tell", Trial.COMPARE),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a call that can be reached and that anything depends on."""
    require_readable(method, context)
    known: set[int] = set()
    for finding in _findings(method, context):
        known.add(finding.location.instruction or 0)
        yield finding
    if known:
        return
    for given, twin in smaller_twins(method):
        for finding in _findings(twin, context):
            at = finding.location.instruction or 0
            if at not in known:
                known.add(at)
                yield at_sizes(method, finding, given)


def _findings(method: Method, context: Context) -> Iterator[Finding]:
    for found in _that_show(method, context):
        fault = _not_refused(method, found)
        if fault is None:
            continue
        step, newest = fault.step, fault.newest
        if not newest.outside and is_dead(method, step):
            continue
        tensor = newest.tensor
        outputs = dependent_outputs(method, step)
        yield Finding(
            message=_message(method, fault, outputs),
            remediation=_FIX.format(
                what=_source(method, step, tensor.value), operator=step.operator
            ),
            location=method.location(step=step, argument=_position(step.args, tensor.value)),
            forecast=_forecast(fault),
            order=(step.index, ExecuteStep.SILENT),
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
    other = newest.other
    its = f"{other.name} (dim order {list(other.order)})" if other is not None else ""
    how = newest.how.format(tensor=shown, other=its)
    effect = (
        "it reads or writes memory of others"
        if newest.outside
        else "elements end up in other places than in PyTorch"
    )
    return f"{operator} {how}: {effect}.{extent_told(outputs)}"


def _forecast(fault: LayoutFault) -> Forecast:
    each = tuple(map(_prediction, fault.by_version))
    return Forecast(each, each)


def _prediction(reason: Misread | None) -> Prediction | None:
    if reason is None:
        return None
    return undefined(Stage.EXECUTE) if reason.outside else wrong()
