"""Two constants that share bytes.

What it finds:
    Constants whose ranges overlap in part (an error), or where one lies inside the other without
    starting where it starts (a warning). Constants that start at the same byte may be shared on
    purpose.

What the runtime does:
    Nothing: each constant is a pointer into the segment. Where ranges overlap in part, at least one
    of the two reads the other's bytes: wrong numbers with status Ok, all versions
    (runtime/executor/program.cpp: Program::get_constant_buffer_data).

Why it happens:
    An offset was damaged, or a constant was replaced by a larger one in place. The exporter lays
    constants out one after the other (exir/_serialize/_program.py: _extract_constant_segment).

How to fix it:
    Export the program again:

        program.save("model.pte")

How it is confirmed:
    The outputs differ from those of the undamaged program.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, undefined
from pte_lint.claims.sign import Unseen
from pte_lint.data.constants import constant_area, constants
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_GARBAGE = Forecast.always(undefined(Stage.EXECUTE))
_Range = tuple[int, int, int, int]
"""Start and end in the segment, entry, value."""


@method_rule(
    "PTE504",
    "constant-overlap",
    Severity.ERROR,
    "constants that share bytes",
    sign=Unseen("the bytes are there for both: only results would tell which of the two they were"),
)
def check(method: Method, ctx: Context) -> Yields:
    """A sweep in order of start; each constant is compared with the one that reaches furthest."""
    area = constant_area(ctx)
    if area is None:
        return
    widest: dict[int, _Range] = {}
    for constant in constants(method):
        if constant.nbytes == 0 or constant.entry >= len(area.offsets):
            continue
        start = area.offsets[constant.entry]
        end = start + constant.nbytes
        known = widest.get(start)
        if end <= area.size and (known is None or end > known[1]):
            widest[start] = (start, end, constant.entry, constant.value)
    furthest: _Range | None = None
    for each in sorted(widest.values()):
        if furthest is not None and each[0] < furthest[1]:
            yield _finding(method, furthest, each)
        if furthest is None or each[1] > furthest[1]:
            furthest = each


def _finding(method: Method, first: _Range, second: _Range) -> Finding:
    inside = second[1] <= first[1]
    relation = "lies inside" if inside else "overlaps"
    place = method.location(value=second[3], suffix=".val.data_buffer_idx")
    return Finding(
        message=f"Constant {second[2]} (bytes {second[0]} to {second[1] - 1} of the constant "
        f"segment) {relation} constant {first[2]} (bytes {first[0]} to {first[1] - 1}).",
        remediation='Export the program again:\n\n    program.save("model.pte")',
        location=Location(place.path, value=second[3], byte_offset=place.byte_offset),
        forecast=None if inside else _GARBAGE,
        evidence={"first": list(first[:3]), "second": list(second[:3])},
        subject=f"constant {second[2]}",
        severity=Severity.WARNING if inside else Severity.ERROR,
    )
