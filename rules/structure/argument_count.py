"""A kernel call with the wrong number of arguments.

What it finds:
    Calls of operators with a known signature whose arguments are not exactly: the schema's
    arguments, its outs, and one more for the return (an out argument is named twice). Boundary
    copies have a rule of their own.

What the runtime does:
    The method loads; the kernel's wrapper counts when it is called, and execute returns
    InvalidProgram. Where the operator's overload is absent rather than empty, writing the log line
    crashes instead (SIGSEGV). All versions (codegen/gen.py: ComputeCodegenUnboxedKernels;
    kernels/prim_ops/register_prim_ops.cpp).

Why it happens:
    The instruction was edited, or the program was exported against another version of the
    operator's schema than the kernels were built with.

How to fix it:
    Export with the ExecuTorch version of the target:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Executing the method.

Seen in:
    executorch#20270
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import IN_CALL, Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, require_readable
from pte_lint.interpret.failing_call import reported_always
from pte_lint.ir.calling import D2H_COPY, H2D_COPY
from pte_lint.ops.prims import PRIM_OPS
from pte_lint.ops.schemas import operator_schema
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE123",
    "argument-count",
    Severity.ERROR,
    "kernel calls with the wrong number of arguments",
    sign=Sign(
        r"Expected {expected} ?args,? (received|got) {arguments}\b",
        also=IN_CALL,
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a call that can be reached."""
    require_readable(method, context)
    reachable = method.flow.reachable
    wrong = (
        (wanted, step)
        for alike in method.calls.groups
        if (wanted := expected_count(alike.operator)) not in (None, len(alike.calls[0].args))
        for step in alike.calls
    )
    for wanted, step in wrong:
        if not reachable[step.index]:
            continue
        yield Finding(
            message=f"The call has {len(step.args)} arguments; {step.operator} takes {wanted}, "
            "the return counted.",
            remediation=REEXPORT,
            location=method.location(step=step),
            forecast=reported_always(method, step, "InvalidProgram"),
            order=(step.index, ExecuteStep.ARGUMENT_COUNT),
            evidence={"arguments": len(step.args), "expected": wanted},
            subject=f"instruction {step.index} arguments",
        )


def expected_count(operator: str) -> int | None:
    """How many arguments a call must have; None when that is not known."""
    if operator in (H2D_COPY, D2H_COPY):
        return None
    prim = PRIM_OPS.get(operator)
    if prim is not None:
        return prim.count
    schema = operator_schema(operator)
    return schema.call_size if schema is not None else None
