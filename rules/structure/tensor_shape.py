"""A tensor whose shape the runtime cannot take.

What it finds:
    Tensors without sizes or dim_order, with a negative size, with more than 16 dimensions, and
    those whose dim_order has another length than the sizes or is no permutation of the dimensions.

What the runtime does:
    load_method returns InvalidProgram; for a dim_order of the right length that is no permutation
    it returns Internal. Absent sizes and negative ones already make full verification refuse the
    whole program, unless the tensor is a method input of dynamic shape. All versions (parseTensor
    in runtime/executor/tensor_parser_portable.cpp, validate_dim_order in
    runtime/core/exec_aten/util/dim_order_util.h, validate_tensor in program_validation.cpp).

Why it happens:
    The exporter writes sizes and dim_order of one length from the same tensor; only editing or
    damage makes them differ. Tensors of more than 16 dimensions have to be reshaped in the model.

How to fix it:
    For a damaged file, export again. For a high rank, merge dimensions before the tensor is made:

        x = x.flatten(0, 3)

How it is confirmed:
    Loading the method.

Seen in:
    executorch#8923
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.schema.enums import MAX_RANK, ShapeDynamism
from pte_lint.schema.program import Tensor

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import AT_VALUE, Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, refused_at_load, refused_by_validation, unreadable
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE106",
    "tensor-shape",
    Severity.ERROR,
    "tensors whose sizes or dim_order are invalid",
    sign=(
        Sign(
            "[Dd]im.order",
            AT_VALUE,
            when={"field": "dim_order"},
        ),
        Sign(
            "dim_order",
            AT_VALUE,
            when={"field": "dim_order"},
        ),
        Sign(
            r"Missing sizes|null sizes|Negative size|must be non-negative|rank too large",
            AT_VALUE,
            when={"field": "sizes"},
        ),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a tensor: what the runtime meets first."""
    damaged = unreadable(context)
    # A form without a fault has none for inputs either, which are held to less.
    wrong = [form for form in method.table.forms if any(_faults(form.tensor, False))]
    for tensor, v in ((form.tensor, v) for form in wrong for v in form.values):
        if damaged and _is_damaged(damaged, f"{method.path}.values[{v}].val"):
            continue
        exempt = bool(method.is_input[v]) and tensor.shape_dynamism != ShapeDynamism.STATIC
        for message, suffix, place, forecast in _faults(tensor, exempt):
            yield Finding(
                message=f"Tensor {v} {message}.",
                remediation=_advice(tensor),
                location=method.location(value=v, suffix=suffix),
                forecast=forecast,
                order=(LoadMethodStep.VALUES, v, place),
                evidence={"rank": len(tensor.sizes or ())},
                subject=f"value {v} shape",
            )
            break


def _is_damaged(damaged: frozenset[str], path: str) -> bool:
    return any(path + suffix in damaged for suffix in ("", ".sizes", ".dim_order"))


def _faults(tensor: Tensor, exempt: bool) -> Iterator[tuple[str, str, int, Forecast]]:
    """What is wrong, in the order in which `parseTensor` looks."""
    sizes, dim_order = tensor.sizes, tensor.dim_order
    validated = refused_at_load() if exempt else refused_by_validation()
    if sizes is None:
        yield "has no sizes", ".val.sizes", 13, validated
        return
    negative = [n for n, size in enumerate(sizes) if size < 0]
    if negative and not exempt:
        # Full verification sees it before anything else is looked at; minimal meets the rest first.
        minimal = next((f for *_, f in _faults_at_load(tensor)), refused_at_load())
        yield (
            f"has the size {sizes[negative[0]]} in dimension {negative[0]}",
            ".val.sizes",
            13,
            validated.with_minimal(minimal),
        )
        return
    yield from _faults_at_load(tensor)
    if dim_order is not None and negative:
        yield (
            f"has the size {sizes[negative[0]]} in dimension {negative[0]}",
            ".val.sizes",
            16,
            validated,
        )


def _faults_at_load(tensor: Tensor) -> Iterator[tuple[str, str, int, Forecast]]:
    sizes, dim_order = tensor.sizes or (), tensor.dim_order
    rank = len(sizes)
    if rank > MAX_RANK:
        yield f"has {rank} dimensions; the most is {MAX_RANK}", ".val.sizes", 14, refused_at_load()
    elif dim_order is None:
        yield "has no dim_order", ".val.dim_order", 15, refused_at_load()
    elif len(dim_order) != rank:
        yield (
            f"has {rank} sizes but a dim_order of {len(dim_order)}",
            ".val.dim_order",
            15,
            refused_at_load(),
        )
    elif not any(size < 0 for size in sizes) and sorted(dim_order) != list(range(rank)):
        yield (
            f"has the dim_order {list(dim_order)}, which is no permutation of its dimensions",
            ".val.dim_order",
            17,
            refused_at_load("Internal"),
        )


def _advice(tensor: Tensor) -> str:
    if len(tensor.sizes or ()) > MAX_RANK:
        return (
            f"The runtime handles at most {MAX_RANK} dimensions. Merge dimensions in the model:\n\n"
            "    x = x.flatten(0, 3)"
        )
    return REEXPORT
