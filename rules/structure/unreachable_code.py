"""Instructions that no path leads to.

What it finds:
    Instructions that are never executed, whatever the inputs.

What the runtime does:
    Nothing: they are loaded, their operators must exist, and they never run. All versions.

Why it happens:
    A jump on a constant condition was edited, or code was cut off by one.

How to fix it:
    Export the program again:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Left out of a copy of the file, all runs stay the same.

Seen in:
    Found here.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, require_readable
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE128",
    "unreachable-code",
    Severity.WARNING,
    "instructions that never run",
    sign=Unseen("what never runs leaves no trace", Trial.IDLE),
)
def check(method: Method, context: Context) -> Yields:
    """One finding for each run of instructions."""
    require_readable(method, context)
    flow = method.flow
    if flow.is_straight:
        return
    first: int | None = None
    for index in range(flow.exit + 1):
        dead = index < flow.exit and not flow.reachable[index]
        if dead and first is None:
            first = index
        elif not dead and first is not None:
            last = index - 1
            what = f"Instruction {first}" if first == last else f"Instructions {first} to {last}"
            yield Finding(
                message=f"{what} can never run: no path leads there.",
                remediation=REEXPORT,
                location=method.location(step=method.steps[first]),
                evidence={"first": first, "last": last},
                subject=f"instruction {first} unreachable",
            )
            first = None
