"""A device tensor that is read before anything has written it.

What it finds:
    A tensor on a device, or one side of a boundary copy, that is read on some path before its copy
    or its producer has run: a copy that was removed or that a jump leads past, a copy back before
    the delegate, a tensor that was freed. What lies in the same device memory earlier does not
    count: the exporter never makes a view of a device tensor. A tensor that only one delegate call
    knows is an error where a host tensor like it is left that nobody reads (the copy between them
    is gone), else a warning (a lost copy, or an unused result). An input whose place a move has
    given to a device tensor. As a warning: a tensor that a call both reads and writes.

What the runtime does:
    Nothing checks it. The reader gets what the last run left, or what the memory held: device
    arenas are not zeroed. A freed tensor is a null pointer: a copy fails (Internal), a delegate
    gets null. All versions. A device tensor in an input's place meets the next set_input:
    NotSupported in 1.5, a crash in 1.4.

Why it happens:
    The exporter emits instructions in the order of the graph. A tool reordered, removed or jumped
    over some of them.

How to fix it:
    Export again and leave the instructions alone:

        program = edge.to_executorch()
        program.save("model.pte")

How it is confirmed:
    Running it twice with arenas filled with different patterns: the outputs differ.

Seen in:
    found here
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, undefined
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Sign, Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.ir.steps import Step, StepKind
from pte_lint.questions.method import Method
from pte_lint.questions.missing_writer import unread_source
from pte_lint.questions.placement.device_findings import (
    capital,
    fault_finding,
    missing_writer_finding,
    tensor_evidence,
    who,
)
from pte_lint.questions.placement.faults import FaultCause
from pte_lint.questions.producers import Content
from pte_lint.rulebook.rule import Yields, method_rule

_STALE = Forecast.always(undefined(Stage.EXECUTE))
_REMEDIATION = (
    "The instructions were reordered, removed or jumped over, by a tool after export or by a pass "
    "of your own. Export again without it:\n\n"
    "    program = edge.to_executorch()\n"
    '    program.save("model.pte")'
)


@method_rule(
    "PTE317",
    "copy-order",
    Severity.ERROR,
    "device tensors that are read before they are written",
    sign=(
        Sign("copy at {at}: {side} is null"),
        Sign(r"argument {argument} at {at}: pointer is null"),
        Unseen(
            "nothing looks at what is read: memory of its own, in two colours, shows it",
            Trial.COLOUR,
        ),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a read, and one a freed tensor."""
    placement = method.placement
    if not placement.is_concerned:
        return
    for _, faults in placement.by_argument(FaultCause.ORDER):
        fault = faults[0]
        yield fault_finding(
            method,
            faults,
            f"{capital(who(fault))} uses {method.describe(fault.value)} after its memory was "
            "freed: the pointer is null.",
            _REMEDIATION,
        )
    for v, faults in placement.by_tensor(FaultCause.MOVED_INPUT):
        fault = faults[0]
        yield fault_finding(
            method,
            faults,
            f"{capital(method.describe(fault.value))} is left with {method.describe(v)}, tagged "
            f"{fault.place.tag} with {fault.place.home}: the next set_input cannot copy into it "
            "from the host.",
            _REMEDIATION,
        )
    told: set[int] = set()
    for step, v in _reads(method):
        if not placement.producers.exact:
            break
        content = placement.producers.content(step, v)
        if content is not Content.KNOWN:
            told.add(v)
            yield _unwritten(method, step, v, content)
    for missing in method.missing_writers:
        if missing.value not in told and placement.is_device_read(missing.reader, missing.value):
            yield missing_writer_finding(method, missing, _REMEDIATION)
    yield from _silent_arguments(method)
    yield from _in_place_calls(method)


def _reads(method: Method) -> Iterator[tuple[Step, int]]:
    """Reads of device tensors and of copied tensors; what is a read is certain for each."""
    placement, reachable = method.placement, method.flow.reachable
    for step in method.steps:
        if step.kind not in (StepKind.KERNEL, StepKind.DELEGATE) or not reachable[step.index]:
            continue
        for v in dict.fromkeys(step.reads):
            if not placement.is_device_read(step, v) or method.nbytes(v) == 0:
                continue
            if not method.is_open(step, v):
                yield step, v


def _unwritten(method: Method, step: Step, v: int, content: Content) -> Finding:
    writers = [w for w in method.writers(v) if method.flow.reachable[w]]
    if content is Content.DOUBTFUL:
        when = "it is state on a device without initial data, or shares what is written later"
    elif not writers:
        when = "nothing that runs ever writes it"
    elif min(writers) > step.index:
        when = f"instruction {min(writers)} writes it later"
    else:
        when = f"instruction {writers[0]}, which writes it, does not run on every path to here"
    producers = method.placement.producers
    by_test = method.flow.excludes_paths and any(w < step.index for w in writers)
    sure = producers.exact and not by_test
    lost = not producers.is_observed(step)
    proven = sure and not lost and content is Content.GARBAGE
    return Finding(
        message=f"{step.operator} reads {method.describe(v)} before it is written: {when}. It "
        "gets what the memory held" + (", and nobody uses what it makes of it." if lost else "."),
        remediation=_REMEDIATION,
        location=method.location(step=step, value=v, argument=_position(step, v)),
        forecast=_STALE if proven else None,
        order=(step.index, ExecuteStep.SILENT),
        evidence={
            **tensor_evidence(method, v),
            "tag": str(method.tag(v)),
            "home": str(method.home(v)),
            "writers": writers,
        },
        subject=f"{method.describe(v)} read by {step.operator}",
        severity=None if proven else Severity.WARNING,
    )


def _silent_arguments(method: Method) -> Iterator[Finding]:
    """Arguments of device delegates that only that call knows: a lost copy, or an unused result."""
    placement = method.placement
    for step in method.delegate_calls():
        target = placement.target(step)
        if target is None or not target.is_device or not method.flow.reachable[step.index]:
            continue
        for position in method.open_arguments(step):
            v = step.args[position]
            if position == len(step.args) - 1 or not _is_unknown_elsewhere(method, step, v):
                continue
            source = unread_source(method, step, v)
            what = "either a result that nobody uses, or an input whose copy is missing"
            if source is not None:
                what = (
                    f"its copy is missing, for nobody reads {method.describe(source)}, a tensor of "
                    "the host like it. It gets whatever its memory held before"
                )
            yield Finding(
                message=f"The delegate {step.operator} is the only user of "
                f"{method.describe(v)}: {what}.",
                remediation=_REMEDIATION,
                location=method.location(step=step, value=v, argument=position),
                forecast=_STALE if source is not None else None,
                order=(step.index, ExecuteStep.SILENT),
                evidence={**tensor_evidence(method, v), "tag": str(method.tag(v))},
                subject=f"{method.describe(v)} of {step.operator}",
                severity=Severity.WARNING if source is None else None,
            )


def _is_unknown_elsewhere(method: Method, step: Step, v: int) -> bool:
    users = {*method.readers(v), *method.writers(v), step.index}
    return (
        method.tensor(v) is not None
        and method.nbytes(v) > 0
        and not method.is_output[v]
        and len(users) == 1
    )


def _in_place_calls(method: Method) -> Iterator[Finding]:
    """Tensors that one call of a device delegate both reads and writes."""
    placement = method.placement
    for step in method.delegate_calls():
        target = placement.target(step)
        if target is None or not target.is_device or not method.flow.reachable[step.index]:
            continue
        for v in sorted(set(step.reads) & set(step.writes)):
            if method.tensor(v) is None or method.nbytes(v) == 0:
                continue
            yield Finding(
                message=f"The delegate {step.operator} reads and writes "
                f"{method.describe(v)} in one call: whether it reads all of it before it writes "
                "is its own affair.",
                remediation="Give the result a tensor of its own; the exporter does:\n\n"
                "    program = edge.to_executorch()",
                location=method.location(step=step, value=v, argument=_position(step, v)),
                evidence={**tensor_evidence(method, v), "tag": str(method.tag(v))},
                subject=f"{method.describe(v)} in place in {step.operator}",
                severity=Severity.WARNING,
            )


def _position(step: Step, v: int) -> int | None:
    return step.args.index(v) if v in step.args else None
