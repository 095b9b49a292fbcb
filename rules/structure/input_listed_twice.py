"""Two method inputs that are one value.

What it finds:
    A value that the method lists more than once among its inputs.

What the runtime does:
    Each set_input succeeds, and the last one wins: what was given for the others is lost. All
    versions (Method::set_input in runtime/executor/method.cpp).

Why it happens:
    The exporter lists each input once; an edited list of inputs does it.

How to fix it:
    Export the program again, with a model that takes the value once:

        exported = torch.export.export(model, (x,))

How it is confirmed:
    Giving different tensors for the two inputs, in both orders.

Seen in:
    Found here.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule("PTE117", "input-listed-twice", Severity.WARNING, "values that are several inputs")
def check(method: Method, context: Context) -> Yields:
    """One finding for each repetition."""
    first: dict[int, int] = {}
    for k, v in enumerate(method.inputs):
        earlier = first.setdefault(v, k)
        if earlier == k or method.tensor(v) is None:
            continue
        yield Finding(
            message=f"Inputs {earlier} and {k} are the same tensor: what is given for input "
            f"{earlier} is lost when input {k} is set.",
            remediation=REEXPORT,
            location=method.location(value=v),
            evidence={"inputs": [earlier, k]},
            subject=f"input {k}",
        )
