"""Convolutions and matrix products left to host kernels.

What it finds:
    Calls of the operators that dominate run time (convolution, matrix products, attention) that no
    delegate took, and how many of the method's calls are delegated. Most programs without a backend
    have some and are right, so this rule runs only when it is asked for: `--select PTE8` (or ALL),
    or a severity for it.

What the runtime does:
    The portable and optimized kernels run them on the CPU, correctly and much slower than a backend
    would (all versions; kernels/portable/cpu).

Why it happens:
    The model was exported without a partitioner, or the partitioner declined these calls: dynamic
    shapes, element types or attributes that it does not take.

How to fix it:
    Lower the model to a backend; XNNPACK takes most of these on any CPU:

        from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
        from executorch.exir import to_edge_transform_and_lower

        edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])

How it is confirmed:
    Not visible by running, but in a profile (ETDump).

Seen in:
    executorch#5110, executorch#20286
"""

from __future__ import annotations

from collections import Counter

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.questions.method import Method, Step
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count

_HEAVY = frozenset(
    (
        "aten::addmm",
        "aten::baddbmm",
        "aten::bmm",
        "aten::convolution",
        "aten::linear",
        "aten::mm",
        "aten::scaled_dot_product_attention",
        "llama::custom_sdpa",
        "llama::sdpa_with_kv_cache",
    )
)


@method_rule(
    "PTE802",
    "heavy-undelegated",
    Severity.INFO,
    "heavy operators left to host kernels",
    is_optional=True,
)
def check(method: Method, ctx: Context) -> Yields:
    """One finding a method."""
    heavy: Counter[str] = Counter()
    kernels = 0
    first: Step | None = None
    for alike in method.calls.groups:
        kernels += len(alike.calls)
        base = alike.operator.split(".", 1)[0]
        if base in _HEAVY:
            heavy[base] += len(alike.calls)
            first = first or alike.calls[0]
    if first is None:
        return
    delegated = len(method.delegate_calls())
    names = ", ".join(f"{name} ({n})" for name, n in heavy.most_common())
    yield Finding(
        message=f"Heavy operators run on host kernels: {names}. The method has "
        f"{count(kernels, 'kernel call')} and {count(delegated, 'delegate call')}.",
        remediation="Lower the model to a backend:\n\n"
        "    from executorch.backends.xnnpack.partition.xnnpack_partitioner "
        "import XnnpackPartitioner\n"
        "    from executorch.exir import to_edge_transform_and_lower\n\n"
        "    edge = to_edge_transform_and_lower(\n"
        "        exported, partitioner=[XnnpackPartitioner()])",
        location=method.location(step=first),
        evidence={"operators": dict(heavy), "kernel_calls": kernels, "delegate_calls": delegated},
        subject="heavy operators",
    )
