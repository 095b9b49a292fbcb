"""Operators of a kernel library that the target does not have.

What it finds:
    Kernel calls into a namespace that a known ExecuTorch library brings (quantized, LLM, Cortex-M,
    Cadence, ...) and that the target has no kernel of at all.

What the runtime does:
    With the library linked the method loads; without it load_method gives OperatorMissing
    (runtime/executor/method.cpp: Method::init).

Why it happens:
    These kernels are libraries of their own: the program was made for a runner that links them,
    and the default target is the PyPI wheel's standard set.

How to fix it:
    Link the library into the runner, and tell pte-lint about it:

        cmake -DEXECUTORCH_BUILD_KERNELS_QUANTIZED=ON ...
        pte-lint target capture > target.json
        pte-lint check --target target.json model.pte

How it is confirmed:
    A runtime without the library gives OperatorMissing; what it has, the file cannot say.

Seen in:
    executorch#13399
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, NotEvaluated, Severity, Unchecked
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.ops.libraries import OPERATORS
from pte_lint.questions.method import Method
from pte_lint.questions.resolution import Answer, Problem, namespace, resolution
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count

_MISSING = Forecast.always(error(Stage.LOAD_METHOD, "OperatorMissing"))
_SHOWN = 4


@method_rule(
    "PTE404",
    "kernel-library-needed",
    Severity.WARNING,
    "operators of libraries to be linked",
    sign=(Sign("kernel '{operator}' not found"), Sign(r"Missing operator: \[\d+\] {operator}$")),
)
def check(method: Method, ctx: Context) -> Yields:
    """A warning for the default target; for a profile that the user gave it is proven."""
    target = ctx.target
    if not target.profile.kernels:
        raise NotEvaluated("the target profile lists no kernels")
    spaces: dict[str, list[Problem]] = {}
    for problem in resolution(method, target.profile).by_answer(Answer.FOREIGN):
        spaces.setdefault(namespace(problem.name), []).append(problem)
    for space, calls in spaces.items():
        library = OPERATORS[space]
        names = sorted({call.name for call in calls})
        shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
        yield Finding(
            message=f"{count(len(calls), 'call needs', 'calls need')} {library.name}, which "
            f"{target.profile.name} does not have: {shown}.",
            remediation=library.advice(),
            location=method.location(step=calls[0].step),
            forecast=_MISSING if target.explicit_profile else None,
            order=(LoadMethodStep.MISSING_OPERATORS, calls[0].step.index),
            evidence={"library": library.name, "operators": names, "calls": len(calls)},
            subject=f"namespace {space}",
            severity=Severity.ERROR if target.explicit_profile else Severity.WARNING,
        )
        if not target.explicit_profile:
            yield Unchecked(
                f"operators of {space}:: in {method.name}",
                f"the target profile has no kernels of {library.name}; capture your runner's",
            )
