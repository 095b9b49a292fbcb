"""An operator whose kernels are for other element types or dim orders.

What it finds:
    Kernel calls whose operator has kernels in the target, but none for this combination of element
    types and dim orders, and no fallback that takes any.

What the runtime does:
    A kernel registered for keys only matches exactly that dtype and dim order of every tensor
    argument; without match load_method fails with OperatorMissing
    (runtime/kernel/operator_registry.cpp: get_op_function_from_registry).

Why it happens:
    The runner was built with dtype-selective kernels, generated from another model, or with
    kernels of a vendor that are for certain layouts only. The PyPI wheels register fallbacks only.

How to fix it:
    Generate the selected kernels from this program, or build without dtype selection:

        gen_selected_ops(LIB_NAME "select_build" OPS_FROM_MODEL "model.pte"
            DTYPE_SELECTIVE_BUILD ON)

How it is confirmed:
    Loading the method gives OperatorMissing; the log names the dtypes and dim orders.

Seen in:
    executorch#13399
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, NotEvaluated, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.questions.resolution import Answer, resolution
from pte_lint.rulebook.rule import Yields, method_rule

_MISSING = Forecast.always(error(Stage.LOAD_METHOD, "OperatorMissing"))
_SHOWN = 5


@method_rule(
    "PTE402",
    "kernel-key-missing",
    Severity.ERROR,
    "operators without a kernel for these dtypes or dim orders",
    sign=(Sign("kernel '{operator}' not found"), Sign(r"Missing operator: \[\d+\] {operator}$")),
)
def check(method: Method, ctx: Context) -> Yields:
    """One finding an operator and key."""
    profile = ctx.target.profile
    if not profile.kernels:
        raise NotEvaluated("the target profile lists no kernels")
    said: set[tuple[str, str]] = set()
    for resolved in resolution(method, profile).by_answer(Answer.NO_KEY):
        if (resolved.name, resolved.key) in said:
            continue
        said.add((resolved.name, resolved.key))
        known = profile.kernels[resolved.name]
        yield Finding(
            message=f"{resolved.name} has kernels in {profile.name}, but none for "
            f"{resolved.key or 'a call without tensors'}; it has {', '.join(known[:_SHOWN])}.",
            remediation="Build the kernels for this program, or without dtype selection:\n\n"
            '    gen_selected_ops(LIB_NAME "select_build" OPS_FROM_MODEL "model.pte"\n'
            "        DTYPE_SELECTIVE_BUILD ON)",
            location=method.location(step=resolved.step),
            forecast=_MISSING,
            order=(LoadMethodStep.MISSING_OPERATORS, resolved.step.index),
            evidence={"operator": resolved.name, "key": resolved.key, "known": list(known)},
            subject=f"operator {resolved.name} {resolved.key}",
        )
