"""Constants in a program that loads no constant data.

What it finds:
    Methods with constant tensors in a program whose constant segment has 0 bytes, or whose list of
    constant offsets holds the placeholder only.

What the runtime does:
    Loaders give no pointer for 0 bytes, and with one offset nothing is loaded; the lookup then
    takes the path for inline constants, which is compiled out since 1.3: InvalidProgram at
    load_method (1.2: InvalidArgument). Only a loader over a buffer in memory gives a pointer for 0
    bytes, so such a method runs from a buffer and not from a file (runtime/executor/program.cpp:
    Program::load, Program::get_constant_buffer_data).

Why it happens:
    A plain export whose only constants have no elements (an empty index tensor, a zero-sized
    buffer) gives exactly this file. Otherwise the program was edited.

How to fix it:
    Give the module a constant with elements, or compute the empty one in forward:

        def forward(self, x):
            empty = torch.zeros(0, dtype=torch.long)

How it is confirmed:
    Loading the method from a file gives InvalidProgram.

Seen in:
    No public report is known; a plain export shows it.
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

_REFUSED = Forecast.always(error(Stage.LOAD_METHOD, "InvalidProgram")).until(
    "1.2", error(Stage.LOAD_METHOD, "InvalidArgument")
)


@method_rule(
    "PTE501",
    "constant-segment-empty",
    Severity.ERROR,
    "constants without constant data",
    sign=Sign("constant_buffer path is disabled", AT_VALUE),
)
def check(method: Method, ctx: Context) -> Yields:
    """One finding a method: its first constant fails."""
    program = ctx.program
    if program is None or program.constant_segment is None:
        return
    offsets = program.constant_segment.offsets or ()
    area = constant_area(ctx)
    if area is not None and area.size > 0:
        return
    if area is None and len(offsets) != 1:
        return
    found = list(constants(method))
    if not found:
        return
    first = found[0]
    why = (
        f"the constant segment (segment {area.index}) has 0 bytes"
        if area is not None
        else "the program loads no constant segment (its offsets hold the placeholder only)"
    )
    empty = area is not None and all(c.nbytes == 0 for c in found)
    yield Finding(
        message=f"The method has {count(len(found), 'constant')}, but {why}."
        + (" All of them have no elements." if empty else ""),
        remediation="Give the module a constant with elements, or compute empty tensors in "
        "forward:\n\n    empty = torch.zeros(0, dtype=torch.long)",
        location=method.location(value=first.value, suffix=".val.data_buffer_idx"),
        forecast=_REFUSED,
        order=(LoadMethodStep.VALUES, first.value, 50),
        evidence={"constants": len(found), "offsets": len(offsets)},
        subject="constant segment",
    )
