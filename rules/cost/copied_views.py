"""Views that are copied.

What it finds:
    Calls of view_copy, unsqueeze_copy, squeeze_copy and the like whose result has the bytes of its
    source in the same order, with the bytes that they move. Programs are right with them, so this
    rule runs only when it is asked for: `--select PTE8` (or ALL), or a severity for it.

What the runtime does:
    The kernel copies all bytes to memory of their own (kernels/portable/cpu/op_view_copy.cpp and
    its like, all versions).

Why it happens:
    The exporter replaces view_copy by views unless `remove_view_copy` is false, or the view has
    sizes that change, or its source is an input, an output or a constant; it does not replace the
    others.

How to fix it:
    Let the exporter replace views, as it does by default:

        from executorch.exir import ExecutorchBackendConfig

        ExecutorchBackendConfig(remove_view_copy=True)

    Then write reshapes as views in the model:

        y = x.view(1, *x.shape)  # in place of x.unsqueeze(0)

How it is confirmed:
    Not visible by running, but in a profile (ETDump).

Seen in:
    executorch#5110
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.questions.method import Method, Step
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count

_VIEWS: Final = frozenset(
    (
        "aten::view_copy.out",
        "aten::_unsafe_view.out",
        "aten::_reshape_copy.out",
        "aten::unsqueeze_copy.out",
        "aten::squeeze_copy.dim_out",
        "aten::squeeze_copy.dims_out",
        "aten::alias_copy.out",
        "aten::detach_copy.out",
        "aten::lift_fresh_copy.out",
    )
)


@method_rule("PTE804", "copied-views", Severity.INFO, "views that are copied", is_optional=True)
def check(method: Method, ctx: Context) -> Yields:
    """One finding a method."""
    nbytes: Counter[str] = Counter()
    calls: list[Step] = []
    for step in method.kernel_calls():
        if step.operator in _VIEWS and step.args and method.flow.reachable[step.index]:
            moved = method.nbytes(step.args[0])
            if moved:
                calls.append(step)
                nbytes[step.operator] += moved
    if not calls:
        return
    total = sum(nbytes.values())
    told = ", ".join(f"{operator} ({n})" for operator, n in nbytes.most_common(3))
    yield Finding(
        message=f"{count(len(calls), 'view is', 'views are')} copied, {count(total, 'byte')} a "
        f"run: {told}.",
        remediation="Write reshapes as views (`x.view(1, *x.shape)` in place of "
        "`x.unsqueeze(0)`), and let the exporter replace them:\n\n"
        "    from executorch.exir import ExecutorchBackendConfig\n\n"
        "    ExecutorchBackendConfig(remove_view_copy=True)",
        location=method.location(step=calls[0]),
        evidence={"calls": len(calls), "bytes": total, "operators": dict(nbytes)},
        subject="views",
    )
