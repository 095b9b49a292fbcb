"""A tensor that is read before anything was written into it.

What it finds:
    Instructions that read a tensor which, on some path to them, no instruction of the run has
    written, and which holds nothing from before: it is neither input, constant, state, nor a view
    of something written. A view without an instruction of its own is on the host, is not returned
    by the method, has static sizes, and shares place, element type and device with its base. What
    passes for one is told all the same where the file holds a result that nobody reads: an error
    when that is a delegate's on a device, alike and numbered just before, so that it is the copy
    back that is missing; else a warning.

What the runtime does:
    It does not notice: the kernel computes with zeros, with bytes of other tensors that were in
    the same memory, or with what the last run left there. All versions (planned memory is
    zeroed once, when the method is loaded: Module::load_method).

Why it happens:
    An instruction was removed or moved, or an argument was renumbered. The exporter writes every
    tensor before it is read, except mutable buffers, which are state.

How to fix it:
    Export the program again:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Executing the method twice over, with zeros and with a pattern in its memory: where the results
    differ it is confirmed. Where other tensors use the same bytes before, both runs see theirs: in
    a copy it has an arena of its own, together with what it may be meant to show as a view does.

Seen in:
    executorch#21494
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.claims.finding import Finding, Severity, Unchecked
from pte_lint.claims.forecast import Forecast, Stage, undefined
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, require_readable
from pte_lint.questions.method import Method
from pte_lint.questions.placement.device_findings import missing_writer_finding
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE129",
    "read-before-write",
    Severity.ERROR,
    "tensors read before anything is written",
    sign=Unseen(
        "nothing looks at what is read: memory of its own, in two colours, shows it", Trial.COLOUR
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a tensor: where it is first read."""
    require_readable(method, context)
    for stale in method.liveness.stale_reads:
        if stale.step is None:
            continue
        step, v = method.steps[stale.step], stale.value
        if method.placement.is_device_read(step, v):
            continue  # told by copy-order
        when = "no instruction ever writes it"
        if stale.written_later:
            when = "on some path no instruction has written it yet"
            if method.flow.is_straight:
                when = "it is only written later"
        unsure = stale.written_later and not method.liveness.is_met(stale)
        yield Finding(
            message=f"{step.operator} reads {method.describe(v)}, but {when}.",
            remediation=REEXPORT,
            location=method.location(step=step, value=v),
            forecast=Forecast.always(undefined(Stage.EXECUTE)),
            order=(stale.step, ExecuteStep.SILENT),
            evidence={"written_by": list(method.writers(v))[:8]},
            subject=f"value {v} read",
            severity=Severity.WARNING if unsure else None,
        )
    told = {stale.value for stale in method.liveness.stale_reads}
    for missing in method.missing_writers:
        if missing.value not in told and not method.placement.is_device_read(
            missing.reader, missing.value
        ):
            yield missing_writer_finding(method, missing, REEXPORT)
    yield from _open_arguments(method)


def _open_arguments(method: Method) -> Iterator[Unchecked]:
    """Arguments of host delegates that may be read or written, and that others use."""
    for step in method.delegate_calls():
        positions = [
            str(position)
            for position in method.open_arguments(step)
            if method.tensor(step.args[position]) is not None
            and len({*method.readers(step.args[position]), step.index}) > 1
        ]
        if positions and method.flow.reachable[step.index]:
            yield Unchecked(
                f"argument {', '.join(positions)} of {step.operator} in {method.name}",
                "neither its blob nor its neighbours tell whether it is read or written",
            )
