"""A kernel call whose shapes or element types the kernel refuses.

What it finds:
    Calls where an input, or the output that is to take the result, has a rank, size, element type
    or dimension order that the kernel's own checks do not let through; also numbers among the
    arguments that do not suit (a dimension that is not there, sizes that do not add up, a number
    outside the range of the element type). The checks of most portable and optimised kernels are
    followed, with the numbers and sizes that the steps before leave. Sizes that the caller chooses
    are taken as the largest; what indices hold is left out of it. A warning where the sizes of an
    input may change as far as the file says, and every dimension of it must be the largest: a call
    refuses each other size.

What the runtime does:
    The method loads; coming to the call, the kernel returns InvalidArgument, and execute with it.
    Where the operator's overload is absent rather than empty, writing the log line crashes instead
    (SIGSEGV). Some kernels abort (two tensors of which one is quantised, embedding with indices
    that are neither int32 nor int64), some divide by a size of zero, and some do not look and read
    past a tensor (bmm with inner sizes that differ, convolution with too short a bias) or leave a
    result unwritten (topk over an input in channels-last order). All versions, but for what changed
    with a kernel, which is judged by version (kernels/portable/cpu and kernels/optimized/cpu: the
    checks and resize_tensor at the start of each kernel; ET_SWITCH_... for element types).

Why it happens:
    A model in a type or in channels-last order that a kernel is not made for was exported without
    delegating the operator; the pass that makes operators work in place made one that cannot; a
    pass changed a tensor and not its neighbours; an argument was exchanged after export.

How to fix it:
    Export the model in a type and a dimension order that the kernels take, or delegate the
    operator; leave run_reinplace_pass out:

        model = model.float().to(memory_format=torch.contiguous_format)
        inputs = tuple(x.float().contiguous() for x in inputs)
        exported = torch.export.export(model, inputs)

    Where the file was changed after export, write it again:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Executing the method, for a warning with the sizes that it names. A test does so for calls of
    every operator that the rule knows, and a sweep for tens of thousands of them (tests/kernels).

Seen in:
    executorch#7748, executorch#9433, executorch#13489
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Outcome
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import IN_CALL, Sign, Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import require_readable
from pte_lint.interpret.endings import ending
from pte_lint.interpret.faults import Fault, FaultKind, NarrowInput
from pte_lint.ir.steps import Step
from pte_lint.ops.checks.call import Cause, End, Refused
from pte_lint.ops.promotion import COMPLEX
from pte_lint.ops.ways_out import NARROW, RUN, way_out
from pte_lint.questions.method import Method
from pte_lint.questions.refusals import Refusal, refusals
from pte_lint.rulebook.rule import Yields, method_rule

_VERBS: Final = {
    End.REFUSED: "refuses the call",
    End.THROWN: "throws in the call",
    End.ABORT: "aborts in the call",
    End.NULL: "crashes in the call",
    End.DIVISION: "divides by zero in the call",
    End.UNCHECKED: "does not check what it cannot compute",
}


_WORDS: Final = {
    Cause.SHAPES: "[Ss]ize|SIZE|[Rr]ank|[Dd]im|numel|range|shape|bound",
    Cause.RANK: "[Rr]ank|[Dd]im|numel|range|shape|bound",
    Cause.UNSUPPORTED: "[Tt]ype|[Pp]ad|[Dd]im|[Ss]ize|bool",
    Cause.TYPES: "[Tt]ype|cast",
    Cause.ORDER: "[Dd]im.?order|contiguous|channels",
    Cause.IN_PLACE: "in.place|[Ss]pecial case",
}
"""Of what a kernel's own check speaks in the log, by what it objects to."""


@method_rule(
    "PTE141",
    "kernel-refuses",
    Severity.ERROR,
    "calls whose tensors the kernel's checks refuse",
    sign=(
        Sign("signal: SIGFPE"),
        *(
            Sign(f"^first: .*({words})", also=IN_CALL, when={"about": str(cause)})
            for cause, words in _WORDS.items()
        ),
        Unseen("the kernel does not look: only other results would tell", Trial.COMPARE),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a call that can be reached: what the kernel's checks stumble over first."""
    require_readable(method, context)
    known: set[int] = set()
    played = {fault.step: fault for fault in method.interpretation.of(FaultKind.KERNEL)}
    for step, refusal in refusals(method):
        reason = refusal.reason
        fault = played.get(step.index)
        is_old = refusal.by_version[-1] is None
        if fault is not None and (is_old or fault.prediction != ending(method, step, reason.end)):
            continue  # With the sizes that are there by then, something else comes first.
        known.add(step.index)
        yield Finding(
            message=f"The kernel of {step.operator} {_VERBS[reason.end]}: {reason}.",
            remediation=way_out(step.operator, reason, _is_complex(method, step)),
            location=method.location(step=step),
            forecast=_forecast(method, step, refusal),
            order=(step.index, _phase(reason)),
            evidence={"about": str(reason.cause)},
            subject=f"instruction {step.index} kernel",
        )
    for fault in played.values():
        if fault.step not in known:
            known.add(fault.step)
            yield _finding_of(method, fault)
    for narrow in method.interpretation.narrow_inputs:
        yield _narrow(method, narrow)


def _is_complex(method: Method, step: Step) -> bool:
    tensors = [method.tensor(v) for v in step.args]
    return any(tensor and tensor.scalar_type in COMPLEX for tensor in tensors)


def _finding_of(method: Method, fault: Fault) -> Finding:
    """What only shows when the steps before are played through."""
    step = method.steps[fault.step]
    again = " in a second run" if fault.run > 1 else ""
    is_silent = fault.prediction.outcome is Outcome.UNDEFINED
    return Finding(
        message=f"The kernel of {step.operator} {fault.message}{again}.",
        remediation=RUN,
        location=method.location(step=step),
        forecast=_by_version(fault),
        order=(fault.place(method), ExecuteStep.SILENT if is_silent else ExecuteStep.SIZES),
        evidence={"about": str(Cause.SHAPES)},
        subject=f"instruction {step.index} kernel",
    )


def _by_version(fault: Fault) -> Forecast:
    if not fault.older:
        return Forecast.always(fault.prediction)
    run = fault.prediction.run
    each = (*(replace(before, run=run) for before in fault.older), fault.prediction)
    return Forecast(each, each)


def _narrow(method: Method, narrow: NarrowInput) -> Finding:
    """An input of sizes that may change, as the file has it, that takes the largest only."""
    fault, sizes = narrow.fault, list(narrow.given[narrow.value])
    step = method.steps[fault.step]
    tensor = method.tensor(narrow.value)
    largest = list(tensor.sizes or ()) if tensor is not None else []
    return Finding(
        message=f"Sizes of {method.describe(narrow.value)} may change, but only {largest} work: "
        f"with {sizes}, {step.operator} {fault.message}.",
        remediation=NARROW,
        location=method.location(step=step, value=narrow.value),
        forecast=Forecast.always(fault.prediction),
        order=(fault.place(method), ExecuteStep.SIZES),
        evidence={
            "given": {str(method.inputs.index(v)): list(s) for v, s in narrow.given.items()},
            "about": str(Cause.SHAPES),
        },
        subject=f"{method.describe(narrow.value)} sizes",
        severity=Severity.WARNING,
    )


def _phase(reason: Refused) -> int:
    if reason.end is End.UNCHECKED:
        return ExecuteStep.SILENT
    if reason.first:
        return ExecuteStep.ELEMENT_TYPES
    return ExecuteStep.SIZES if reason.end is End.REFUSED else ExecuteStep.ACCESS


def _forecast(method: Method, step: Step, refusal: Refusal) -> Forecast:
    each = tuple(
        None if reason is None else ending(method, step, reason.end)
        for reason in refusal.by_version
    )
    return Forecast(each, each)
