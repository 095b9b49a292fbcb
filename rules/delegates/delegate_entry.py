"""A delegate table, or an entry of it, that lacks what the runtime reads.

What it finds:
    A method without a delegate table, entries without id or without a reference to their blob,
    and blobs at an unknown kind of place.

What the runtime does:
    A missing table or id: InvalidProgram. A missing blob reference is read through a null pointer:
    SIGSEGV. An unknown place (neither inline nor segment): Internal. All at load_method, whether
    or not the delegate is ever called, all versions (runtime/executor/method.cpp: Method::init,
    BackendDelegate::Init, GetProcessedData).

Why it happens:
    A tool edited the program. An exporter writes an empty table for methods without delegates.

How to fix it:
    Export the program again:

        program.save("model.pte")

How it is confirmed:
    Loading the method gives the error, or crashes.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.schema.enums import DataLocation
from pte_lint.schema.program import BackendDelegate

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Prediction, Stage, crash, error
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign, Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE412",
    "delegate-entry",
    Severity.ERROR,
    "incomplete delegate tables",
    sign=(
        Sign("Missing backend id"),
        Sign("Unknown data location"),
        Sign("Missing delegates field"),
        Unseen("no word of the missing table: undone, the failure is gone", Trial.UNDO),
    ),
)
def check(method: Method, ctx: Context) -> Yields:
    """The first fault of each entry, in the order of the runtime's steps."""
    delegates = method.plan.delegates
    if delegates is None:
        yield _finding(
            "The method has no delegate table, not even an empty one.",
            Location(f"{method.path}.delegates", byte_offset=method.base + method.plan.at),
            error(Stage.LOAD_METHOD, "InvalidProgram"),
            (-1, 0),
        )
        return
    for index, delegate in enumerate(delegates):
        fault = _fault(index, delegate)
        if fault is None:
            continue
        message, prediction, step = fault
        place = Location(f"{method.path}.delegates[{index}]", byte_offset=method.base + delegate.at)
        yield _finding(message, place, prediction, (index, step))


def _fault(index: int, delegate: BackendDelegate) -> tuple[str, Prediction, int] | None:
    if delegate.id is None:
        return f"Delegate {index} has no id.", error(Stage.LOAD_METHOD, "InvalidProgram"), 0
    where = delegate.processed
    if where is None:
        return (
            f"Delegate {index} ({delegate.id or 'no name'}) has no reference to its blob.",
            crash(Stage.LOAD_METHOD, "SIGSEGV"),
            2,
        )
    if where.location not in (DataLocation.INLINE, DataLocation.SEGMENT):
        return (
            f"The blob of delegate {index} ({delegate.id or 'no name'}) is at an unknown kind of "
            f"place: location {where.location}.",
            error(Stage.LOAD_METHOD, "Internal"),
            2,
        )
    return None


def _finding(
    message: str, place: Location, prediction: Prediction, order: tuple[int, int]
) -> Finding:
    return Finding(
        message=message,
        remediation='Export the program again:\n\n    program.save("model.pte")',
        location=place,
        forecast=Forecast.always(prediction),
        order=(LoadMethodStep.DELEGATES, *order),
        subject=place.path.partition(".")[2],
    )
