"""Operators that older runtimes do not have.

What it finds:
    Calls of operators that came with a later runtime: the boundary copies (`et_copy::`) and the
    prim ops sym_int, sym_not and sym_ite, all since 1.4.

What the runtime does:
    Runtimes up to 1.3 give OperatorMissing at load_method (runtime/executor/method.cpp:
    Method::init; kernels/prim_ops/register_prim_ops.cpp, kernels/portable/et_copy_ops.yaml). The
    finding is shown where the target is such a runtime; otherwise it only narrows the range of
    runtimes that the program runs on.

Why it happens:
    Exporters since 1.4 insert boundary copies by default where a delegate is on a device
    (enable_non_cpu_memory_planning is True), and write these prim ops for symbolic shapes.

How to fix it:
    Use a runtime of 1.4 or later, or export for the older one with its own release:

        pip install executorch==1.3.1

How it is confirmed:
    Loading the method on 1.3 gives OperatorMissing.

Seen in:
    executorch#21580
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.ir.calling import D2H_COPY, H2D_COPY
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_SINCE = {
    H2D_COPY: "1.4",
    D2H_COPY: "1.4",
    "executorch_prim::sym_int.Scalar": "1.4",
    "executorch_prim::sym_not.Scalar": "1.4",
    "executorch_prim::sym_ite.Scalar": "1.4",
}
_MISSING = Forecast.always(None).until("1.3", error(Stage.LOAD_METHOD, "OperatorMissing"))


@method_rule(
    "PTE601",
    "operator-too-new",
    Severity.ERROR,
    "operators that older runtimes lack",
    sign=(Sign("kernel '{operator}' not found"), Sign(r"Missing operator: \[\d+\] {operator}$")),
)
def check(method: Method, ctx: Context) -> Yields:
    """One finding an operator."""
    for name, since in _SINCE.items():
        calls = method.calls.of(name)
        if not calls:
            continue
        step = calls[0]
        yield Finding(
            message=f"{name} exists since {since}; older runtimes have no kernel for it.",
            remediation="Use a later runtime, or export with the release of the older one:\n\n"
            "    pip install executorch==1.3.1",
            location=method.location(step=step),
            forecast=_MISSING,
            order=(LoadMethodStep.MISSING_OPERATORS, step.index),
            evidence={"operator": name, "since": since},
            subject=f"operator {name}",
        )
