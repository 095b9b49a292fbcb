"""A kernel that computes something else than PyTorch for some values.

What it finds:
    Calls of kernels that are known to differ from PyTorch for ordinary values: remainders of signed
    whole numbers, shifts by at least the width, bilinear resizing of bytes, and float64
    that is computed in float32.

What the runtime does:
    Executing succeeds; results differ where such values occur. Measured with 1.5
    (kernels/portable/cpu; docs/values.md has the calls and figures).

Why it happens:
    The kernels follow C++ where PyTorch defines something else, or compute in one type for all.

How to fix it:
    Nothing, if such values cannot occur. Else say it in other operators, for remainders:

        y = x - torch.floor(x / n) * n

    or delegate the operator, or keep to float32.

How it is confirmed:
    Not by running alone: the outputs differ from PyTorch's for some inputs.

Seen in:
    Found here.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.data.damage import require_readable
from pte_lint.ops.schemas import operator_schema
from pte_lint.ops.value_laws import VALUE_LAWS
from pte_lint.questions.method import Method
from pte_lint.questions.sure_call import SureCall
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE153", "values-differ", Severity.INFO, "kernels that differ from PyTorch for some values"
)
def check(method: Method, context: Context) -> Yields:
    """One finding an operator and difference: the first call that can be reached."""
    require_readable(method, context)
    said: set[tuple[str, str]] = set()
    for alike in method.calls.groups:
        law, schema = VALUE_LAWS.get(alike.operator), operator_schema(alike.operator)
        if law is None or schema is None:
            continue
        for step in alike.calls:
            if len(step.args) != schema.call_size or not method.flow.reachable[step.index]:
                continue
            call = SureCall(method, step, schema)
            text = law(call)
            if text is not None and (alike.operator, text) not in said:
                said.add((alike.operator, text))
                yield Finding(
                    message=f"{alike.operator} {text}.",
                    remediation="Nothing, if such values cannot occur; else say it in other "
                    "operators, or delegate this one. For remainders:\n\n"
                    "    y = x - torch.floor(x / n) * n",
                    location=method.location(step=step),
                    subject=f"{alike.operator} values",
                )
            if not call.has_looked_at_numbers:
                break
