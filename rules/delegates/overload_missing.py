"""An operator whose overload is null instead of empty.

What it finds:
    Operators in use that have no overload string at all. The exporter writes an empty one for
    operators without overload.

What the runtime does:
    The method loads and runs. If the kernel fails at run time, the runtime's own error message
    reads the overload through the null pointer: SIGSEGV in place of the kernel's error, in builds
    with logging, all versions (runtime/executor/method.cpp: Method::execute_instruction).

Why it happens:
    A tool other than the exporter wrote the program.

How to fix it:
    Write an empty string:

        from executorch.exir.schema import Operator

        Operator(name="aten::add", overload="")

How it is confirmed:
    Only visible when the kernel fails.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule("PTE405", "overload-missing", Severity.WARNING, "operators whose overload is null")
def check(method: Method, ctx: Context) -> Yields:
    """Unused entries do not matter."""
    used = {alike.target for alike in method.calls.groups}
    for index, operator in enumerate(method.plan.operators or ()):
        if operator.overload is None and operator.name is not None and index in used:
            yield Finding(
                message=f"{operator.name} has no overload, not even an empty one: when its kernel "
                "fails, the runtime crashes instead of returning the error.",
                remediation="The exporter writes an empty overload; a tool that wrote the file "
                "anew left it out. Export again, or let that tool write\n\n"
                f'    Operator(name="{operator.name}", overload="")',
                location=Location(
                    path=f"{method.path}.operators[{index}]",
                    byte_offset=method.base + operator.at,
                ),
                evidence={"operator": operator.name},
                subject=f"operator {operator.name}",
            )
