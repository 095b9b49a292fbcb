"""Parts of the file that pte-lint gave up on.

What it finds:
    Whatever was not judged because it takes more time or memory than the size of the file allows:
    tables that are referred to over and over, methods by the hundred, jumps and moves that lead
    everywhere, more findings than are listed. What no tool could tell from the file (the inside of
    a delegate, a kernel's own checks, data that is not given) is another matter, and listed under
    `unchecked`.

What the runtime does:
    Anything: that is what is not known. The verdict says that it was not judged.

Why it happens:
    No exporter writes such files. Somebody made or padded this one so that a reader gives up, or
    it was damaged into one.

How to fix it:
    Export the program again from the model. To take the file as it is, allow it on the command
    line; then this is a warning:

        pte-lint check --allow-unjudged model.pte

    In Python that is `pte_lint.check(program, allow_unjudged=True)`, in the configuration file
    `allow-unjudged = true`, and `pte_lint_allow_unjudged = true` for pytest. No selector, severity,
    ignore entry or baseline changes it: a file that switches the linter off must not pass.

How it is confirmed:
    It is not: running a program shows what one run does, not what was left unjudged.

Seen in:
    Crafted files only.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, unjudged
from pte_lint.claims.ledger import ALLOW_UNJUDGED, Unjudged
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.rulebook.rule import Yields, ledger_rule

_ADVICE = (
    "No exporter writes such a file: export the program again. To take this one as it is, allow "
    f"what was not judged:\n\n    pte-lint check {ALLOW_UNJUDGED} model.pte"
)


@ledger_rule(
    "PTE022",
    "not-judged",
    Severity.ERROR,
    "what pte-lint gave up on",
    sign=Unseen("what was not judged says nothing that a run could show"),
)
def check(ctx: Context) -> Yields:
    """One finding an entry, those about the whole program first."""
    whole = Stage.LOAD_PROGRAM if ctx.program is None else Stage.EXECUTE
    for entry in ctx.ledger:
        yield _finding(entry, whole)
    for ledger, name, index in ctx.method_ledgers():
        for entry in ledger:
            yield _finding(entry, Stage.EXECUTE, name, index)


def _finding(
    entry: Unjudged, stage: Stage, method: str | None = None, plan: int | None = None
) -> Finding:
    path = "" if plan is None else f"execution_plan[{plan}]"
    return Finding(
        message=f"Not judged: {entry.what}; {entry.why}.",
        remediation=_ADVICE,
        location=Location(path=path),
        forecast=Forecast.always(unjudged(stage)),
        order=(ExecuteStep.SILENT,),
        evidence={"what": entry.what, "why": entry.why, "allowed_by": ALLOW_UNJUDGED},
        subject=entry.what,
        method=method,
        plan=plan,
    )
