"""A field that says something the runtime does not do.

What it finds:
    Tensors with a shape dynamism that does not exist, a data location that does not exist, a
    layout other than strided, or an index of a mutable data segment other than 0; chains with
    inputs, outputs or a stack trace that do not fit; methods without container_meta_type.

What the runtime does:
    It ignores all of these. A tensor of unknown dynamism can silently not be resized; one of
    unknown location counts as part of the program; mutable data always come from entry 0. All
    versions (parseTensor and getTensorDataPtr in runtime/executor; Method::init reads only a
    chain's instructions).

Why it happens:
    The file was written by another version of the exporter or by another tool, or is damaged.

How to fix it:
    Export the program again with the ExecuTorch version of the target:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Emptied in a copy of the file, all runs stay the same.

Seen in:
    Found here.
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.schema.enums import ShapeDynamism, TensorDataLocation
from pte_lint.schema.program import Chain, ExtraTensorInfo, Tensor

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE111",
    "ignored-field",
    Severity.WARNING,
    "fields that the runtime does not honour",
    sign=Unseen("no run looks at it", Trial.IDLE),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a field."""
    for message, location in _odd(method):
        yield Finding(
            message=message, remediation=REEXPORT, location=location, subject=location.path
        )


def _odd(method: Method) -> Iterator[tuple[str, Location]]:
    if method.plan.container_meta_type is None:
        yield (
            "The method has no container_meta_type: how outputs were nested cannot be told.",
            method.location(suffix=".container_meta_type"),
        )
    for form in method.table.forms:
        for what, suffix in _odd_form(form.tensor):
            for v in form.values:
                yield f"Tensor {v} {what}.", method.location(value=v, suffix=f".val{suffix}")
    for v in method.table.extra:
        tensor = method.tensor(v)
        extra = tensor.extra_tensor_info if tensor is not None else None
        for what, suffix in _odd_extra(extra) if extra is not None else ():
            yield f"Tensor {v} {what}.", method.location(value=v, suffix=f".val{suffix}")
    for number, chain in enumerate(method.plan.chains or ()):
        for what, suffix in _odd_chain(chain, len(method.values)):
            yield f"Chain {number} {what}.", method.location(suffix=f".chains[{number}]{suffix}")


def _odd_form(tensor: Tensor) -> Iterator[tuple[str, str]]:
    if tensor.shape_dynamism not in set(ShapeDynamism):
        yield (
            f"has the unknown shape dynamism {tensor.shape_dynamism}: it counts as dynamic and may "
            "not be resized",
            ".shape_dynamism",
        )
    if tensor.layout != 0:
        yield f"has the layout {tensor.layout}, but is used as strided", ".layout"


def _odd_extra(extra: ExtraTensorInfo) -> Iterator[tuple[str, str]]:
    if extra.location not in set(TensorDataLocation):
        yield (
            f"has the unknown data location {extra.location}, and counts as part of the program",
            ".extra_tensor_info.location",
        )
    if extra.mutable_data_segments_idx != 0:
        yield (
            f"names mutable data segment {extra.mutable_data_segments_idx}, but entry 0 is used",
            ".extra_tensor_info.mutable_data_segments_idx",
        )


def _odd_chain(chain: Chain, count: int) -> Iterator[tuple[str, str]]:
    for name, indices in (("inputs", chain.inputs), ("outputs", chain.outputs)):
        if any(not 0 <= v < count for v in indices or ()):
            yield f"lists {name} outside the value table", f".{name}"
    if chain.stacktrace is not None and chain.stacktrace:
        frames, steps = len(chain.stacktrace), len(chain.instructions or ())
        if frames != steps:
            yield f"has {frames} stack traces for {steps} instructions", ".stacktrace"
