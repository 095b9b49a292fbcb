"""Data that goes from a device to the host and straight back.

What it finds:
    A boundary copy to the host whose result is copied back to the same device, while nothing
    changes it in between.

What the runtime does:
    It runs, and waits twice for nothing: each copy synchronises host and device, and moves the
    bytes given in the evidence on every call.

Why it happens:
    Exporters before 1.4 and passes of one's own do not elide such pairs. 1.4 and later do between
    adjacent delegates, but not where the copies were inserted by hand.

How to fix it:
    Export with 1.4 or later, which feeds the device tensor to the second delegate directly, or
    partition both parts into one delegate:

        from executorch.exir import to_edge_transform_and_lower

        edge = to_edge_transform_and_lower(exported, partitioner=[partitioner])
        program = edge.to_executorch()

How it is confirmed:
    The copies and their bytes are listed by the run.

Seen in:
    executorch#20914
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.questions.placement.wasted_copies import Waste
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE318", "redundant-round-trip", Severity.WARNING, "copies to the host and straight back"
)
def check(method: Method, context: Context) -> Yields:
    """One finding a pair."""
    for wasted in method.placement.wasted:
        if wasted.waste is not Waste.ROUND_TRIP or wasted.other is None:
            continue
        copy, first = wasted.copy, method.steps[wasted.other]
        yield Finding(
            message=f"Instruction {first.index} copies {method.describe(first.args[0])} to the "
            f"host, and instruction {copy.step.index} copies it back to {copy.device(method)} "
            f"unchanged: {wasted.nbytes} bytes per call for nothing.",
            remediation="Give the device tensor to the second delegate directly. Exporters since "
            "1.4 do so between delegates of one device; export again, or partition both parts "
            "into one delegate:\n\n"
            "    from executorch.exir import to_edge_transform_and_lower\n\n"
            "    edge = to_edge_transform_and_lower(exported, partitioner=[partitioner])\n"
            "    program = edge.to_executorch()",
            location=method.location(step=copy.step, value=copy.source, argument=0),
            evidence={
                "bytes_per_call": wasted.nbytes,
                "d2h_instruction": first.index,
                "h2d_instruction": copy.step.index,
                "device": str(copy.device(method)),
            },
            subject=method.describe(copy.source),
        )
