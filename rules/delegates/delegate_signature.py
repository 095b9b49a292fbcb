"""A call of an Ethos-U delegate that does not fit what Vela compiled.

What it finds:
    Calls of Ethos-U delegates with fewer arguments than the command stream has inputs and outputs,
    and inputs whose element type or number of elements is not the one that it was compiled for.

What the runtime does:
    A missing argument is read beyond the list. An input of another element type than Int, Char,
    Byte, Short or Bool with the bytes that Vela wrote down, or of another number of elements:
    InvalidProgram at execute (backends/arm/runtime/EthosUBackend.cpp: EthosUBackend::execute). All
    versions.

Why it happens:
    The instruction or the blob was replaced, or quantisation of inputs was changed after lowering.

How to fix it:
    Export the program again:

        program.save("model.pte")

How it is confirmed:
    Only on a machine with the backend.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

from pte_lint.schema.blob.vela import BACKEND
from pte_lint.schema.delegates import BlobArgument
from pte_lint.schema.enums import ShapeDynamism, dtype_name

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Prediction, Stage, error, undefined
from pte_lint.claims.sign import Unseen
from pte_lint.data.blobs import Blob, blobs
from pte_lint.data.context import Context
from pte_lint.ir.steps import StepKind
from pte_lint.questions.method import Method, Step
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count

_BYTES: Final = {"int32": 4, "int8": 1, "uint8": 1, "int16": 2, "bool": 1}
"""Element types that the backend copies in, with the bytes that it wants them to have."""
_REFUSED: Final = error(Stage.EXECUTE, "InvalidProgram")
_BEYOND: Final = undefined(Stage.EXECUTE)


@method_rule(
    "PTE434",
    "delegate-signature",
    Severity.ERROR,
    "calls that do not fit an Ethos-U delegate",
    sign=Unseen("real blobs of that backend need its library and its device"),
)
def check(method: Method, ctx: Context) -> Yields:
    """The first fault of each reachable call."""
    known = {
        blob.index: blob
        for blob in blobs(method, ctx)
        if blob.backend == BACKEND and not blob.facts.problems and blob.facts.inputs is not None
    }
    if not known:
        return
    # What a move leaves in a value is not what the table says.
    moved = {move.args[1] for move in method.of_kind(StepKind.MOVE)}
    for step in method.delegate_calls():
        blob = known.get(step.target)
        if blob is None or not step.args or not method.flow.reachable[step.index]:
            continue
        for message, prediction, argument in _faults(method, step, blob, moved):
            is_known = blob.backend in ctx.target.profile.backends
            yield Finding(
                message=f"{message}.",
                remediation='Export the program again:\n\n    program.save("model.pte")',
                location=method.location(step=step, argument=argument),
                forecast=Forecast.always(prediction) if is_known else None,
                order=(step.index,),
                evidence={"arguments": len(step.args)},
                subject=f"instruction {step.index}",
                severity=Severity.ERROR if is_known else Severity.WARNING,
            )
            break


def _faults(
    method: Method, step: Step, blob: Blob, moved: set[int]
) -> Iterator[tuple[str, Prediction, int | None]]:
    inputs, outputs = blob.facts.inputs or (), blob.facts.outputs or ()
    if len(step.args) < len(inputs) + len(outputs):
        have = count(len(step.args), "argument")
        wants = f"{count(len(inputs), 'input')} and {count(len(outputs), 'output')}"
        yield f"The call has {have}, but the delegate has {wants}", _BEYOND, None
        return
    for argument in inputs:
        position = argument.index or 0
        v = step.args[position]
        tensor = None if v in moved else method.tensor(v)
        if tensor is None or tensor.sizes is None:
            continue
        dtype, sizes = dtype_name(tensor.scalar_type), tensor.sizes
        if _BYTES.get(dtype) != argument.nbytes:
            message = f"Argument {position} is {dtype}, but the delegate takes elements of "
            yield f"{message}{argument.nbytes} bytes", _REFUSED, position
        elif tensor.shape_dynamism == ShapeDynamism.STATIC and prod(sizes) != _elements(argument):
            have, takes = f"{list(sizes)}", list(argument.sizes or ())
            message = f"Argument {position} has the sizes {have}, but the delegate takes {takes}"
            yield message, _REFUSED, position


def _elements(argument: BlobArgument) -> int:
    return prod(argument.sizes or ())
