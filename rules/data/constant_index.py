"""A constant whose index is beyond the constants there are.

What it finds:
    Constant tensors whose data_buffer_idx is not in the list of constant offsets.

What the runtime does:
    InvalidArgument at load_method, when the tensor is parsed, all versions
    (runtime/executor/program.cpp: Program::get_constant_buffer_data).

Why it happens:
    The program was edited, or two programs were merged without renumbering. Indices count from 1;
    0 means no constant data.

How to fix it:
    Export the program again:

        program.save("model.pte")

How it is confirmed:
    Loading the method gives InvalidArgument.

Seen in:
    executorch#2163
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import AT_VALUE, Sign
from pte_lint.data.constants import constant_area, constants
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count

_REFUSED = Forecast.always(error(Stage.LOAD_METHOD, "InvalidArgument"))


@method_rule(
    "PTE502",
    "constant-index",
    Severity.ERROR,
    "constants beyond the constant offsets",
    sign=Sign(
        r"buffer index {data_buffer_idx} invalid for program constant",
        AT_VALUE,
    ),
)
def check(method: Method, ctx: Context) -> Yields:
    """One finding an index."""
    area = constant_area(ctx)
    if area is None or area.size == 0:
        return
    said: set[int] = set()
    for constant in constants(method):
        if constant.entry < len(area.offsets) or constant.entry in said:
            continue
        said.add(constant.entry)
        yield Finding(
            message=f"Value {constant.value} is constant {constant.entry}, but the program "
            f"has {count(len(area.offsets) - 1, 'constant')}.",
            remediation='Export the program again:\n\n    program.save("model.pte")',
            location=method.location(value=constant.value, suffix=".val.data_buffer_idx"),
            forecast=_REFUSED,
            order=(LoadMethodStep.VALUES, constant.value, 50),
            evidence={"data_buffer_idx": constant.entry, "constants": len(area.offsets) - 1},
            subject=f"constant {constant.entry}",
        )
