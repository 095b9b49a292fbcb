"""A tensor that starts inside its storage.

What it finds:
    Tensors whose storage_offset is not 0.

What the runtime does:
    load_method returns NotSupported. All versions (parseTensor in
    runtime/executor/tensor_parser_portable.cpp).

Why it happens:
    The exporter always writes 0: a view into another tensor becomes a copy. Hand-made programs may
    keep the offset of a PyTorch view.

How to fix it:
    Make the tensor own its memory before exporting:

        x = x.contiguous().clone()

How it is confirmed:
    Loading the method.

Seen in:
    Found here; the exporter has written 0 in every release.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import AT_VALUE, Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import refused_at_load
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE108",
    "storage-offset",
    Severity.ERROR,
    "tensors that start inside their storage",
    sign=Sign("Non-zero storage offset {storage_offset} ", AT_VALUE),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a tensor."""
    wrong = [form for form in method.table.forms if form.tensor.storage_offset]
    for tensor, v in ((form.tensor, v) for form in wrong for v in form.values):
        yield Finding(
            message=f"Tensor {v} has the storage offset {tensor.storage_offset}; only 0 is "
            "supported.",
            remediation="Make the tensor own its memory before exporting:\n\n"
            "    x = x.contiguous().clone()",
            location=method.location(value=v, suffix=".val.storage_offset"),
            forecast=refused_at_load("NotSupported"),
            order=(LoadMethodStep.VALUES, v, 10),
            evidence={"storage_offset": tensor.storage_offset},
            subject=f"value {v} storage_offset",
        )
