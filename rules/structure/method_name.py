"""Methods that cannot be told apart or called by name.

What it finds:
    A method whose name is absent, empty, or the name of an earlier method. Where both are the same
    in every other respect, too, nobody can tell which one runs: a warning.

What the runtime does:
    Methods are looked up by name, and the first one wins: a later method of the same name can
    never run, and whoever asks for it gets the first one's results. A method without a name is
    skipped by the look-up, and asking for it by number gives InvalidProgram; listing all names
    ends the process (SIGABRT). An empty name works. All versions (runtime/executor/program.cpp:
    get_execution_plan, Program::get_method_name).

Why it happens:
    The exporter takes names from the keys of a dict, which are unique. Merging programs by
    hand, or renaming in the file, gives duplicates.

How to fix it:
    Give each method its own name when exporting:

        from executorch.exir import to_edge_transform_and_lower

        edge = to_edge_transform_and_lower({"encode": encode, "decode": decode})

How it is confirmed:
    With the first of the methods renamed in a copy the name is the other one's, and the same inputs
    give other outputs.

Seen in:
    executorch#2163
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, error, undefined
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign, Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import unreadable
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, artifact_rule
from pte_lint.text.c_strings import c_string

_UNIQUE = """\
Give each method a name of its own when exporting:

    from executorch.exir import to_edge_transform_and_lower

    edge = to_edge_transform_and_lower({"encode": encode, "decode": decode})"""


@artifact_rule(
    "PTE103",
    "method-name",
    Severity.ERROR,
    "methods that cannot be called by name",
    sign=(
        Sign("Execution plan {plan} has null name"),
        Sign("Missing name field"),
        Unseen("the other method runs, and no check looks: renamed, it lets go", Trial.COMPARE),
    ),
)
def check(context: Context) -> Yields:
    """At most one finding a method."""
    first: dict[str, int] = {}
    damaged = unreadable(context)
    for method in context.methods:
        stored = method.plan.name
        name = c_string(stored) if stored is not None else None
        if name is None and damaged & {method.path, f"{method.path}.name"}:
            continue
        earlier = first.setdefault(name, method.index) if name is not None else method.index
        if name is None:
            yield _finding(
                method,
                "The method has no name: it cannot be called, and listing the program's methods "
                "ends the process.",
                Forecast.always(error(Stage.LOAD_METHOD, "InvalidProgram")),
            )
        elif earlier != method.index and _is_copy(method, earlier):
            yield _finding(
                method,
                f"Method {method.index} is method {earlier} once more, its name included: it can "
                "never run.",
                None,
            )
        elif earlier != method.index:
            yield _finding(
                method,
                f"Method {method.index} has the same name as method {earlier}: it can never run, "
                "and callers who want it get the other one's results.",
                Forecast.always(undefined(Stage.LOAD_METHOD)),
            )
        elif not name:
            yield _finding(
                method, "The method's name is empty, which works but is surely not meant.", None
            )


def _is_copy(method: Method, earlier: int) -> bool:
    plans = method.program.execution_plan or ()
    return bool(plans[earlier] == method.plan)


def _finding(method: Method, message: str, forecast: Forecast | None) -> Finding:
    return Finding(
        message=message,
        remediation=_UNIQUE,
        location=method.location(suffix=".name"),
        forecast=forecast,
        order=(LoadMethodStep.METHOD_META, -1),
        subject=f"method {method.index} name",
        severity=Severity.ERROR if forecast else Severity.WARNING,
        method=method.name,
        # Two of one name are one matter for whoever asks for that name.
        plan=method.index if method.plan.name is None else None,
    )
