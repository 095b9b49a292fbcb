"""A planned tensor beyond 4 GiB of its arena.

What it finds:
    Planned tensors whose offset needs the high word (memory_offset_high).

What the runtime does:
    64-bit builds join the two words. 32-bit builds refuse the tensor: load_method returns
    NotSupported. All versions (getMemPlannedPtr in runtime/executor/tensor_parser_exec_aten.cpp).

Why it happens:
    The arena is larger than 4 GiB; often a dynamic dimension has a huge upper bound.

How to fix it:
    Give dynamic dimensions realistic bounds when exporting:

        length = torch.export.Dim("length", max=4096)

How it is confirmed:
    Loading the method in a 32-bit build.

Seen in:
    executorch#21958
"""

from __future__ import annotations

from operator import itemgetter

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.questions.largest_tensors import bound_advice, largest_tenants
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule("PTE208", "far-offset", Severity.WARNING, "tensors that 32-bit targets cannot place")
def check(method: Method, context: Context) -> Yields:
    """One finding an arena: its first such tensor."""
    seen: set[int] = set()
    far = [
        (p.values[0], p.info)
        for p in method.table.plots
        # An arena that does not exist is PTE201's.
        if p.info.memory_offset_high and p.info.memory_id in method.arenas
    ]
    for v, info in sorted(far, key=itemgetter(0)):
        if info.memory_id in seen:
            continue
        seen.add(info.memory_id)
        yield Finding(
            message=f"Tensor {v} starts at byte {info.memory_offset} of arena {info.memory_id}: a "
            "32-bit runtime cannot place it.",
            remediation=bound_advice(
                method,
                largest_tenants(method, info.memory_id),
                method.arenas[info.memory_id].size,
            ),
            location=method.location(value=v, suffix=".val.allocation_info.memory_offset_high"),
            evidence={"offset": info.memory_offset},
            subject=f"arena {info.memory_id} offset",
        )
