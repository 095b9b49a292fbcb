"""A kernel call whose operator cannot even be looked up.

What it finds:
    Kernel calls whose operator index is outside the operator table, whose operator has no name or
    a name of more than 99 bytes, or whose tensors make a kernel key of more than 658 characters.

What the runtime does:
    The error (InvalidProgram, Internal for the name's length, InvalidArgument for the key's) is
    kept in one variable that the next kernel call overwrites, also when that one succeeds. So
    load_method fails only if no later kernel call of the method resolves; otherwise the method
    loads, and the call jumps through an uninitialised function pointer: SIGSEGV at execute. All
    versions (runtime/executor/method.cpp: Method::init, Method::resolve_operator).

Why it happens:
    The operator table was edited or damaged; a custom operator has a very long name; an operator
    takes very many tensors directly (lists do not count).

How to fix it:
    Register the custom operator under a shorter name, or pass many tensors as a list. A table that
    lacks an entry or a name was edited or damaged: export the program again.

        torch.library.define("my::op", "(Tensor[] xs) -> Tensor")

How it is confirmed:
    Loading gives the error named, or executing the call crashes.

Seen in:
    executorch#8923
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Prediction, Stage, crash, error
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT
from pte_lint.questions.method import Method
from pte_lint.questions.resolution import MAX_KEY, MAX_NAME, Answer, Problem, name_size, resolution
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count

_LIST = '    torch.library.define("my::op", "(Tensor[] xs) -> Tensor")'
_ADVICE = {
    Answer.LONG_NAME: f"Register the custom operator under a shorter name:\n\n{_LIST}",
    Answer.LONG_KEY: f"Pass the tensors as one list, which does not count:\n\n{_LIST}",
}


@method_rule(
    "PTE403",
    "operator-unresolvable",
    Severity.ERROR,
    "operators that cannot be looked up",
    sign=(
        Sign(r"Op index {op_index:u32} out of range"),
        Sign("Missing operator name"),
        Sign("truncated to"),
        Sign("Error setting dim_order"),
    ),
)
def check(method: Method, ctx: Context) -> Yields:
    """One finding an operator; what is missing neither sets nor clears the delayed error."""
    resolved = resolution(method, ctx.target.profile)
    entries: dict[tuple[Answer, int], list[Problem]] = {}
    for problem in resolved.problems:
        if problem.answer.error is not None:
            entries.setdefault((problem.answer, problem.step.target), []).append(problem)
    for problems in entries.values():
        if resolved.delayed is not None:
            step = problems[0].step
            after = f"load_method gives {resolved.delayed}"
            forecast: Prediction | None = error(Stage.LOAD_METHOD, resolved.delayed)
            order: tuple[int, ...] = (LoadMethodStep.DELAYED_ERRORS, step.index)
        else:
            after = (
                "a later kernel call resolves and hides the error: the method loads, and this "
                "call jumps through an uninitialised function pointer"
            )
            reached = [p.step for p in problems if method.flow.reachable[p.step.index]]
            step = reached[0] if reached else problems[0].step
            forecast = crash(Stage.EXECUTE, "SIGSEGV") if reached else None
            order = (step.index,)
        yield Finding(
            message=f"{_what(method, problems[0])}; {after}.",
            remediation=_ADVICE.get(problems[0].answer, REEXPORT),
            location=method.location(step=step),
            forecast=Forecast.always(forecast) if forecast is not None else None,
            order=order,
            evidence={
                "op_index": step.target,
                "answer": str(problems[0].answer),
                "calls": len(problems),
            },
            subject=f"operator {step.target} {problems[0].answer}",
            severity=Severity.ERROR if forecast is not None else Severity.WARNING,
        )


def _what(method: Method, problem: Problem) -> str:
    index, size = problem.step.target, len(method.plan.operators or ())
    match problem.answer:
        case Answer.NO_ENTRY if method.plan.operators is None:
            return f"The call names operator {index}, but there is no operator table"
        case Answer.NO_ENTRY:
            entries = count(size, "entry", "entries")
            return f"The call names operator {index}, but the table has {entries}"
        case Answer.NO_NAME:
            return f"Operator {index} has no name"
        case Answer.LONG_NAME:
            length = name_size(problem.name)
            return f"Operator {index} has a name of {length} bytes; the most is {MAX_NAME}"
        case _:
            return (
                f"The call's tensors make a kernel key of {len(problem.key)} characters; the "
                f"most is {MAX_KEY}"
            )
