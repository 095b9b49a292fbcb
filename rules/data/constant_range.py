"""A constant that leaves the constant segment.

What it finds:
    Constant tensors whose bytes, from their offset on, do not all lie in the constant segment.

What the runtime does:
    InvalidArgument at load_method, when the tensor is parsed. 1.2 adds offset and size without an
    overflow test: an offset near 2^64 reads bytes before the segment
    (runtime/executor/program.cpp: Program::get_constant_buffer_data).

Why it happens:
    The offsets, the segment's size, or the tensor's sizes were edited or damaged; or constants
    were replaced by others of another shape.

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
from pte_lint.claims.forecast import Forecast, Stage, error, undefined
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import AT_VALUE, Sign
from pte_lint.data.constants import constant_area, constants
from pte_lint.data.context import Context
from pte_lint.data.segments import U64
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_REFUSED = Forecast.always(error(Stage.LOAD_METHOD, "InvalidArgument"))


@method_rule(
    "PTE503",
    "constant-range",
    Severity.ERROR,
    "constants outside their segment",
    sign=Sign(
        r"Constant segment offset {offset} \+ size_bytes {nbytes} invalid",
        AT_VALUE,
    ),
)
def check(method: Method, ctx: Context) -> Yields:
    """One finding an index: tensors that share one share its place."""
    area = constant_area(ctx)
    if area is None or area.size == 0:
        return
    said: set[int] = set()
    for constant in constants(method):
        if constant.entry >= len(area.offsets) or constant.entry in said:
            continue
        offset = area.offsets[constant.entry]
        if offset + constant.nbytes <= area.size:
            continue
        said.add(constant.entry)
        forecast = _REFUSED
        if offset + constant.nbytes >= U64:
            forecast = forecast.until("1.2", undefined(Stage.EXECUTE))
        yield Finding(
            message=f"Value {constant.value} (constant {constant.entry}) takes bytes {offset} to "
            f"{offset + constant.nbytes} of the constant segment, which has {area.size}.",
            remediation='Export the program again:\n\n    program.save("model.pte")',
            location=method.location(value=constant.value, suffix=".val.data_buffer_idx"),
            forecast=forecast,
            order=(LoadMethodStep.VALUES, constant.value, 50),
            evidence={"offset": offset, "nbytes": constant.nbytes, "segment_size": area.size},
            subject=f"constant {constant.entry}",
        )
