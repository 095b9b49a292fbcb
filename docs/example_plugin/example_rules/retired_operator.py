"""Operators that our runtime has no kernels for any more.

What it finds:
    A call of an operator that version 2 of our runtime dropped.

What the runtime does:
    Loading the method fails with OperatorMissing (all versions of ExecuTorch).

Why it happens:
    The program was exported for version 1 of our runtime.

How to fix it:
    Export again with the operators of version 2:

        import acme_ops.v2

How it is confirmed:
    Loading the method returns OperatorMissing.

Seen in:
    Our own models.
"""

from __future__ import annotations

from pte_lint.plugin import (
    Context,
    Finding,
    Forecast,
    Method,
    Severity,
    Stage,
    Yields,
    error,
    method_rule,
)

_RETIRED = frozenset(("acme::fused_norm.out", "acme::fast_gelu.out"))
_MISSING = Forecast.always(error(Stage.LOAD_METHOD, "OperatorMissing"))


@method_rule(
    "EXAMPLE003", "retired-operator", Severity.ERROR, "operators that are gone", forecast=_MISSING
)
def check(method: Method, context: Context) -> Yields:
    """Once an operator, at its first call."""
    seen: set[str] = set()
    for step in method.kernel_calls():
        if step.operator not in _RETIRED or step.operator in seen:
            continue
        seen.add(step.operator)
        yield Finding(
            message=f"{step.operator} is gone in version 2.",
            remediation="Export with the operators of version 2.",
            location=method.location(step=step),
            subject=step.operator,
        )
