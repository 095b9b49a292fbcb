"""A method output that is not written on every path.

What it finds:
    Outputs that hold nothing when the method ends, on some path through it: no instruction wrote
    them, and they are neither input, constant nor state. They are no views either: the exporter
    writes an instruction for each view that a method returns, since the caller may give it memory.

What the runtime does:
    It does not notice: the caller gets zeros, or what an earlier run or another tensor left in the
    memory. An unplanned output keeps what the caller's buffer held. All versions.

Why it happens:
    An instruction was removed (the move at the end of a branch of torch.cond, the copy back from a
    device), or the list of outputs was edited.

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

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, undefined
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, require_readable
from pte_lint.questions.liveness import StaleRead
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE130",
    "output-not-written",
    Severity.ERROR,
    "outputs that nothing writes on some path",
    sign=Unseen(
        "nothing looks at what is returned: memory of its own, in two colours, shows it",
        Trial.COLOUR,
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding an output."""
    require_readable(method, context)
    for stale in method.liveness.stale_reads:
        v = stale.value
        if stale.step is not None and not _is_told_as_harmless(method, stale):
            continue
        which = "on some path no instruction writes it" if stale.written_later else "nothing does"
        if not stale.written_later:
            which = "no instruction writes it"
        unsure = stale.written_later and not method.liveness.is_met(stale)
        yield Finding(
            message=f"{method.describe(v).capitalize()} is returned, but {which}.",
            remediation=REEXPORT,
            location=method.location(value=v),
            forecast=Forecast.always(undefined(Stage.EXECUTE)),
            order=(method.timeline.end(), ExecuteStep.SILENT),
            evidence={"written_by": list(method.writers(v))[:8]},
            subject=f"{method.describe(v)} write",
            severity=Severity.WARNING if unsure else None,
        )


def _is_told_as_harmless(method: Method, stale: StaleRead) -> bool:
    """Whether a copy or a delegate reads an output before, of which nothing writes a thing at all.

    What they make of it may be of no use (copy-order tells); the output is.
    """
    if stale.step is None or stale.written_later or not method.is_output[stale.value]:
        return False
    return method.placement.is_device_read(method.steps[stale.step], stale.value)
