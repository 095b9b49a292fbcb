"""A tensor whose size has no upper bound.

What it finds:
    Tensors with the shape dynamism DYNAMIC_UNBOUND.

What the runtime does:
    load_method returns NotSupported: memory is planned for the largest size, and there is none.
    All versions (parseTensor in runtime/executor/tensor_parser_portable.cpp).

Why it happens:
    A dynamic dimension was exported without a bound, or an operator has an output whose size
    depends on data (nonzero, masked_select).

How to fix it:
    Give every dynamic dimension a bound when exporting:

        batch = torch.export.Dim("batch", min=1, max=32)
        exported = torch.export.export(model, (x,), dynamic_shapes=({0: batch},))

    Bound sizes that depend on data inside the model:

        torch._check(n <= 32)

How it is confirmed:
    Loading the method.

Seen in:
    executorch#8923
"""

from __future__ import annotations

from pte_lint.schema.enums import ShapeDynamism

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import AT_VALUE, Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import refused_at_load
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE109",
    "unbound-shape",
    Severity.ERROR,
    "tensors of unbounded size",
    sign=Sign("Fully dynamic tensor shapes", AT_VALUE),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a tensor."""
    unbound = ShapeDynamism.DYNAMIC_UNBOUND
    wrong = [form for form in method.table.forms if form.tensor.shape_dynamism == unbound]
    for v in (v for form in wrong for v in form.values):
        yield Finding(
            message=f"The sizes of tensor {v} have no upper bound (DYNAMIC_UNBOUND).",
            remediation="Give every dynamic dimension a bound when exporting:\n\n"
            '    batch = torch.export.Dim("batch", min=1, max=32)\n'
            "    exported = torch.export.export(model, (x,), dynamic_shapes=({0: batch},))\n\n"
            "and bound sizes that depend on data with torch._check(n <= 32) in the model.",
            location=method.location(value=v, suffix=".val.shape_dynamism"),
            forecast=refused_at_load("NotSupported"),
            order=(LoadMethodStep.VALUES, v, 12),
            subject=f"value {v} shape_dynamism",
        )
