"""A tensor whose element or byte count exceeds 64 bits.

What it finds:
    Tensors whose sizes, multiplied in order, exceed 63 bits, or whose bytes exceed 64; and, as a
    warning, tensors without elements whose other sizes do.

What the runtime does:
    Full verification of 1.3 and later refuses the program (InvalidProgram), but for a method input
    of dynamic shape. Minimal verification, and 1.2, compute on with the wrapped number: the tensor
    then looks small, and what is written into it runs out of its memory. A planned tensor whose
    wrapped size exceeds its arena is refused for that (validate_tensor in
    runtime/executor/program_validation.cpp; compute_numel in portable_type/tensor_impl.cpp).

Why it happens:
    An upper bound of a dynamic dimension was left at its default, the largest integer, for several
    dimensions of one tensor; or the file is damaged.

How to fix it:
    Give every dynamic dimension a realistic bound when exporting:

        length = torch.export.Dim("length", max=4096)

How it is confirmed:
    Loading the program, with full and with minimal verification.

Seen in:
    executorch#18679
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.schema.enums import ShapeDynamism

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, undefined
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import refused_by_validation
from pte_lint.ir.tensor_size import overflow, overflow_but_for_zero, wrapped_nbytes
from pte_lint.ir.tensor_table import Form
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_BOUNDS = """\
No memory holds such a tensor. A dynamic dimension was exported without a bound: give it the largest
size that is used. If none is dynamic, the file was edited or damaged: take an intact copy.

    length = torch.export.Dim("length", max=4096)"""


@method_rule(
    "PTE110",
    "size-overflow",
    Severity.ERROR,
    "tensors whose size exceeds 64 bits",
    sign=Sign(
        r"validation failed for value {value} in execution plan {plan}\b",
        unless="Size must be|null sizes|Invalid ScalarType|Tensor is null",
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a tensor."""
    for form in method.table.forms:
        what = overflow(form.tensor)
        if what is not None:
            yield from _overflowing(method, form, what)
        elif overflow_but_for_zero(form.tensor):
            yield from (_empty(method, v) for v in form.values)


def _overflowing(method: Method, form: Form, what: str) -> Iterator[Finding]:
    tensor = form.tensor
    for v in form.values:
        used = bool(method.readers(v) or method.writers(v)) and method.is_planned(v)
        unseen = Forecast.always(undefined(Stage.EXECUTE) if used else None)
        exempt = bool(method.is_input[v]) and tensor.shape_dynamism != ShapeDynamism.STATIC
        if exempt:
            forecast = unseen
        else:
            forecast = refused_by_validation().with_minimal(unseen).until("1.2", unseen.full[0])
        troubled = exempt is False or used
        yield Finding(
            message=f"The {what} of tensor {v} (sizes {list(tensor.sizes or ())[:16]}) exceeds "
            "64 bits.",
            remediation=_BOUNDS,
            location=method.location(value=v, suffix=".val.sizes"),
            forecast=forecast,
            order=(LoadMethodStep.VALUES, v, 17),
            evidence={"bytes_after_wrapping": wrapped_nbytes(tensor)},
            subject=f"value {v} sizes",
            severity=Severity.ERROR if troubled else Severity.WARNING,
        )


def _empty(method: Method, v: int) -> Finding:
    return Finding(
        message=f"Tensor {v} has no elements, but its other sizes exceed 64 bits.",
        remediation=_BOUNDS,
        location=method.location(value=v, suffix=".val.sizes"),
        subject=f"value {v} sizes",
        severity=Severity.WARNING,
    )
