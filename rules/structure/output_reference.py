"""A method output that is not in the value table.

What it finds:
    Entries of the method's outputs that are negative or past the last value.

What the runtime does:
    The method loads and executes. Reading the outputs, or giving memory for one, ends the process
    (SIGABRT); the Python front ends ask for the outputs' metadata when loading and raise there.
    All versions (Method::get_outputs and Method::get_value in runtime/executor/method.cpp).

Why it happens:
    Values were removed or renumbered without the list of outputs.

How to fix it:
    Export the program again; a tool that renumbers values must renumber outputs too:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Executing the method and reading its outputs.

Seen in:
    executorch#8923
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, crash
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text import words


@method_rule(
    "PTE113",
    "output-reference",
    Severity.ERROR,
    "outputs that are no values",
    sign=(
        Sign(r"\(i < n_value_\): {index:u64} >= {values}\b"),
        Sign(r"internal value index {index} out of range \[0,{values}\) for output {output}\b"),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding an output."""
    count = len(method.values)
    for k, v in enumerate(method.outputs):
        if not 0 <= v < count:
            yield Finding(
                message=f"Output {k} is value {v}, but the method has "
                f"{words.count(count, 'value')}.",
                remediation=REEXPORT,
                location=method.location(suffix=f".outputs[{k}]"),
                forecast=Forecast.always(crash(Stage.GET_OUTPUT, "SIGABRT")),
                order=(k,),
                evidence={"index": v, "values": count},
                subject=f"output {k}",
            )
