"""A method without one of the tables that the runtime needs.

What it finds:
    A method whose values, inputs, outputs, arena sizes (non_const_buffer_sizes), delegates, chains
    or instructions are absent, or that has no chain at all. An empty table is fine, but for the
    chains.

What the runtime does:
    load_method returns InvalidProgram. Absent values already make full verification refuse the
    whole program. All versions (runtime/executor/method_meta.cpp, Method::parse_values and
    Method::init in method.cpp, validate_program in program_validation.cpp).

Why it happens:
    No exporter leaves a table out; a tool that rewrites programs may drop what it does not know or
    what looks empty.

How to fix it:
    Export the program again, and let tools that rewrite it keep empty tables:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Loading the method.

Seen in:
    executorch#8923
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, refused_at_load, refused_by_validation, unreadable
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE102",
    "missing-table",
    Severity.ERROR,
    "methods that lack a table the runtime needs",
    sign=(
        Sign("No chains", when={"field": "chains"}),
        Sign(r"Missing {field}\b"),
        Sign("plan {plan} has null {field} table"),
        Sign(r"Missing instructions in chain {chain}\b", when={"field": "instructions"}),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding for each absent table."""
    damaged = unreadable(context)
    for suffix, what, order in _missing(method):
        if method.path + suffix in damaged or method.path in damaged:
            continue
        forecast = refused_by_validation() if suffix == ".values" else refused_at_load()
        yield Finding(
            message=f"The method has no {what}.",
            remediation=REEXPORT,
            location=method.location(suffix=suffix),
            forecast=forecast,
            order=order,
            subject=suffix,
        )


def _missing(method: Method) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    plan = method.plan
    if plan.non_const_buffer_sizes is None:
        yield ".non_const_buffer_sizes", "list of arena sizes", (LoadMethodStep.METHOD_META, 0)
    if plan.inputs is None:
        yield ".inputs", "list of inputs", (LoadMethodStep.METHOD_META, 1)
    if plan.outputs is None:
        yield ".outputs", "list of outputs", (LoadMethodStep.METHOD_META, 2)
    if plan.values is None:
        yield ".values", "table of values", (LoadMethodStep.VALUES_PRESENT,)
    if plan.delegates is None:
        yield ".delegates", "list of delegates", (LoadMethodStep.DELEGATES, -1)
    if not plan.chains:
        what = "chain: its list of chains is " + ("absent" if plan.chains is None else "empty")
        yield ".chains", what, (LoadMethodStep.INSTRUCTIONS, -1)
    before = 0
    for number, chain in enumerate(plan.chains or ()):
        if chain.instructions is None:
            yield (
                f".chains[{number}].instructions",
                f"list of instructions in chain {number}",
                (LoadMethodStep.INSTRUCTIONS, before, 0),
            )
        before += len(chain.instructions or ())
