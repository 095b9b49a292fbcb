"""A tensor of an element type that the runtime does not know.

What it finds:
    Tensors whose scalar_type is outside 0 to 29.

What the runtime does:
    load_method returns InvalidProgram; full verification refuses the whole program, unless the
    tensor is a method input of dynamic shape. All versions (parseTensor in
    runtime/executor/tensor_parser_portable.cpp, isValid in scalar_type_util.h, validate_tensor in
    program_validation.cpp).

Why it happens:
    The file is damaged, or was written by a newer ExecuTorch that knows more element types.

How to fix it:
    Convert the tensor to a type that the target knows before exporting:

        model = model.to(torch.float32)

How it is confirmed:
    Loading the program.

Seen in:
    executorch#2163
"""

from __future__ import annotations

from pte_lint.schema.enums import SCALAR_TYPES, ShapeDynamism

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import AT_VALUE, Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import refused_at_load, refused_by_validation
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE107",
    "element-type",
    Severity.ERROR,
    "tensors of an unknown element type",
    sign=Sign(r"ScalarType {scalar_type}\b", AT_VALUE),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a tensor."""
    wrong = [form for form in method.table.forms if form.tensor.scalar_type not in SCALAR_TYPES]
    for tensor, v in ((form.tensor, v) for form in wrong for v in form.values):
        exempt = bool(method.is_input[v]) and tensor.shape_dynamism != ShapeDynamism.STATIC
        yield Finding(
            message=f"Tensor {v} has the unknown element type {tensor.scalar_type}.",
            remediation="Export with the ExecuTorch version of the target, from a model whose "
            "tensors have a type it knows:\n\n    model = model.to(torch.float32)",
            location=method.location(value=v, suffix=".val.scalar_type"),
            forecast=refused_at_load() if exempt else refused_by_validation(),
            order=(LoadMethodStep.VALUES, v, 11),
            evidence={"scalar_type": tensor.scalar_type},
            subject=f"value {v} scalar_type",
        )
