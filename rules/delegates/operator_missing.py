"""An operator that the target has no kernel for.

What it finds:
    Kernel calls whose operator is not among the target's kernels, one finding an operator, with
    the operators that were probably meant.

What the runtime does:
    All kernel calls of a method are resolved when it is loaded; if any has no kernel, load_method
    fails with OperatorMissing, even if the call would never be reached (runtime/executor/
    method.cpp: Method::init; runtime/kernel/operator_registry.cpp: get_op_function_from_registry).

Why it happens:
    The exporter writes any operator that has an out variant, whether or not a kernel exists. A
    partitioner that declines an operator leaves it to the CPU kernels; a selective build dropped
    it; or the program needs a custom operator that is not linked.

How to fix it:
    Lower the operator to a backend, link its kernel, or replace it in the model by operators that
    have kernels. A sort does as well with topk, which has one:

        y = x.topk(x.shape[-1]).values  # in place of x.sort(descending=True).values

    When your runner has more kernels than the default target, say so:

        pte-lint target capture > target.json
        pte-lint check --target target.json model.pte

How it is confirmed:
    Loading the method gives OperatorMissing and the log names the operator.

Seen in:
    executorch#7459, executorch#9763, executorch#20270, executorch#21950
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, NotEvaluated, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.profile import Profile
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.questions.resolution import Answer, Problem, namespace, resolution
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count

_MISSING = Forecast.always(error(Stage.LOAD_METHOD, "OperatorMissing"))
_SUGGESTED = 20
"""Operators for which similar names are sought: comparing them all takes its time."""


@method_rule(
    "PTE401",
    "operator-missing",
    Severity.ERROR,
    "operators that the target has no kernel for",
    sign=(Sign("kernel '{operator}' not found"), Sign(r"Missing operator: \[\d+\] {operator}$")),
)
def check(method: Method, ctx: Context) -> Yields:
    """Namespaces of libraries that the target lacks as a whole are PTE404."""
    profile = ctx.target.profile
    if not profile.kernels:
        raise NotEvaluated("the target profile lists no kernels")
    calls: dict[str, list[Problem]] = {}
    for problem in resolution(method, profile).by_answer(Answer.MISSING):
        calls.setdefault(problem.name, []).append(problem)
    for number, (name, found) in enumerate(calls.items()):
        first = found[0].step
        times = f" ({count(len(found), 'call')})" if len(found) > 1 else ""
        near = _similar(name, profile) if number < _SUGGESTED else []
        hint = f" Close to it: {', '.join(near)}." if near else ""
        yield Finding(
            message=f"{_quoted(name)}{times} has no kernel in {profile.name}.{hint}",
            remediation=_advice(name),
            location=method.location(step=first),
            forecast=_MISSING,
            order=(LoadMethodStep.MISSING_OPERATORS, first.index),
            evidence={"operator": name, "calls": len(found), "similar": near},
            subject=f"operator {name}",
        )


def _quoted(name: str) -> str:
    return name or "The operator without a name"


def _advice(name: str) -> str:
    if namespace(name) in ("aten", "dim_order_ops"):
        first = (
            "Let a partitioner take the operator, or replace it in the model by operators that "
            "have kernels. "
        )
    else:
        first = "Link the kernel, or export without the operator. "
    return (
        first + "If your runner has the kernel, give a profile that lists it: start from that of "
        "the ExecuTorch installed here, and add what the runner links:\n\n"
        "    pte-lint target capture > target.json\n"
        "    pte-lint check --target target.json model.pte"
    )


def _similar(name: str, profile: Profile) -> list[str]:
    """Other overloads of the same operator first, then names that look alike."""
    base = name.split(".", 1)[0]
    overloads = sorted(k for k in profile.kernels if k.split(".", 1)[0] == base)
    if overloads:
        return overloads[:3]
    import difflib

    # Comparing is quadratic in the length, which a hostile name would choose.
    return difflib.get_close_matches(name[:100], profile.kernels, n=3, cutoff=0.8)
