"""A method input that is not in the value table.

What it finds:
    Entries of the method's inputs that are negative or past the last value.

What the runtime does:
    The method loads. Setting that input ends the process (SIGABRT), in C++ and in Python; a
    caller that asks for the input's metadata first gets InvalidProgram. All versions
    (Method::set_input and Method::get_value in runtime/executor/method.cpp; method_meta.cpp).

Why it happens:
    Values were removed or renumbered without the list of inputs.

How to fix it:
    Export the program again; a tool that renumbers values must renumber inputs too:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Setting the inputs.

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
    "PTE112",
    "input-reference",
    Severity.ERROR,
    "inputs that are no values",
    sign=(
        Sign(r"\(i < n_value_\): {index:u64} >= {values}\b"),
        Sign(r"internal value index {index} out of range \[0,{values}\) for input {input}\b"),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding an input."""
    count = len(method.values)
    for k, v in enumerate(method.inputs):
        if not 0 <= v < count:
            yield Finding(
                message=f"Input {k} is value {v}, but the method has "
                f"{words.count(count, 'value')}.",
                remediation=REEXPORT,
                location=method.location(suffix=f".inputs[{k}]"),
                forecast=Forecast.always(crash(Stage.SET_INPUT, "SIGABRT")),
                order=(k,),
                evidence={"index": v, "values": count},
                subject=f"input {k}",
            )
