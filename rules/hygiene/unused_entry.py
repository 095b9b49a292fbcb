"""Operators and delegates in the tables that no instruction uses.

What it finds:
    Entries of the operator table that no kernel call names, and delegates that no instruction
    calls.

What the runtime does:
    An unused operator is never looked up. An unused delegate is initialised all the same when the
    method is loaded: its backend must be there, and its blob and memory are paid for (all versions;
    runtime/executor/method.cpp: Method::init).

Why it happens:
    A tool removed instructions and left the tables. The exporter only writes what it uses.

How to fix it:
    Export the program again:

        program.save("model.pte")

How it is confirmed:
    Left out of a copy of the file, all runs stay the same.

Seen in:
    executorch#12960
"""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_SHOWN = 5


@method_rule(
    "PTE702",
    "unused-entry",
    Severity.WARNING,
    "operators and delegates without a use",
    sign=Unseen("no run looks at it", Trial.IDLE),
)
def check(method: Method, ctx: Context) -> Yields:
    """One finding a table."""
    operators = {alike.target for alike in method.calls.groups}
    delegates = {step.target for step in method.delegate_calls()}
    names = [method.operators[i] or f"entry {i}" for i in range(len(method.operators))]
    ids = [d.id or f"entry {i}" for i, d in enumerate(method.plan.delegates or ())]
    yield from _judge(method, "operators", names, operators, "")
    cost = "; they are initialised all the same"
    yield from _judge(method, "delegates", ids, delegates, cost)


def _judge(method: Method, table: str, names: Sequence[str], used: set[int], cost: str) -> Yields:
    unused = [i for i in range(len(names)) if i not in used]
    if not unused:
        return
    shown = ", ".join(names[i] for i in unused[:_SHOWN])
    if len(unused) > _SHOWN:
        shown += ", ..."
    yield Finding(
        message=f"{len(unused)} of {len(names)} {table} never used: {shown}{cost}.",
        remediation='Export the program again:\n\n    program.save("model.pte")',
        location=Location(
            path=f"{method.path}.{table}[{unused[0]}]", byte_offset=method.base + method.plan.at
        ),
        evidence={"table": table, "entries": unused},
        subject=table,
    )
