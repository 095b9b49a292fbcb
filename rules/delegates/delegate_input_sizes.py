"""A delegate that is called with other sizes than its graph was made for.

What it finds:
    Calls of XNNPACK delegates with a static input whose sizes differ from the graph's. It is an
    error where the graph consists of operators that pass sizes on (fully connected layers and
    element by element) and the outputs still have the graph's sizes: no result can fit then.

What the runtime does:
    XNNPACK takes the sizes of the inputs, computes all others from them, and resizes the outputs:
    Internal at execute where an operator cannot take the sizes, NotSupported where a static output
    would have to change (backends/xnnpack/runtime/XNNExecutor.cpp: prepare_args, resize_outputs).
    All versions. Graphs that reduce, slice, reshape or pool may well give the same output.

Why it happens:
    The program was edited, or the blob is of another export with other example inputs.

How to fix it:
    Export with the sizes that are used, or with dynamic ones:

        from torch.export import Dim

        torch.export.export(model, inputs, dynamic_shapes={"x": {0: Dim("batch", max=8)}})

How it is confirmed:
    Executing the method gives the error named.

Seen in:
    executorch#21287
"""

from __future__ import annotations

from typing import Final

from pte_lint.schema.delegates import BlobArgument, BlobFacts
from pte_lint.schema.enums import ShapeDynamism
from pte_lint.schema.program import Tensor

from pte_lint.analysis.method import Method, Step
from pte_lint.analysis.steps import StepKind
from pte_lint.context import Context
from pte_lint.data.blobs import Blob, blobs
from pte_lint.finding import Finding, Severity
from pte_lint.forecast import Forecast, Stage, error
from pte_lint.rule import Yields, method_rule

_XNNPACK = "XnnpackBackend"
_LAYER: Final = "XNNFullyConnected"
_BINARY: Final = frozenset(
    ("XNNAdd", "XNNDiv", "XNNMaximum", "XNNMinimum", "XNNMultiply", "XNNPReLU", "XNNSubtract")
)
_UNARY: Final = frozenset(
    (
        "XNNAbs", "XNNCeiling", "XNNClamp", "XNNConvert", "XNNCopy", "XNNCos", "XNNELU", "XNNExp",
        "XNNFloor", "XNNGelu", "XNNHardswish", "XNNLeakyReLU", "XNNLog", "XNNNegate",
        "XNNReciprocalSquareRoot", "XNNSigmoid", "XNNSin", "XNNSoftmax", "XNNSquare",
        "XNNSquareRoot", "XNNTanh",
    )
)  # fmt: skip
_PASSES_ON: Final = _BINARY | _UNARY | {_LAYER}


@method_rule(
    "PTE421",
    "delegate-input-sizes",
    Severity.ERROR,
    "delegate inputs of other sizes than the graph's",
)
def check(method: Method, ctx: Context) -> Yields:
    """One finding a call; calls that do not fit in other ways are PTE416."""
    graphs = {
        blob.index: blob
        for blob in blobs(method, ctx)
        if blob.backend == _XNNPACK and not blob.facts.problems and blob.facts.inputs
    }
    if not graphs:
        return
    # What a move leaves in a value is not what the table says.
    moved = {move.args[1] for move in method.of_kind(StepKind.MOVE)}
    for step in method.delegate_calls():
        blob = graphs.get(step.target)
        if blob is None or not method.flow.reachable[step.index] or moved & set(step.args):
            continue
        for argument in blob.facts.inputs or ():
            tensor = _tensor(method, step, argument)
            if tensor is None or tensor.shape_dynamism != ShapeDynamism.STATIC:
                continue
            have, wanted = _stored(tensor), list(argument.sizes or ())
            if have == wanted:
                continue
            name = None
            if blob.backend in ctx.target.profile.backends and _outputs_fit(method, step, blob):
                name = _error(blob.facts, argument.supported, have, wanted)
            yield _finding(method, step, argument, have, name)
            break


def _finding(
    method: Method, step: Step, argument: BlobArgument, have: list[int], name: str | None
) -> Finding:
    wanted = list(argument.sizes or ())
    forecast = Forecast.always(error(Stage.EXECUTE, name)) if name is not None else None
    return Finding(
        message=f"Argument {argument.index} has the static sizes {have} (in memory order), but "
        f"the graph was made for {wanted}"
        + (" and its outputs still have their sizes." if name is not None else "."),
        remediation="Export with the sizes that are used, or with dynamic ones:\n\n"
        "    from torch.export import Dim\n\n"
        '    torch.export.export(model, inputs, dynamic_shapes={"x": {0: Dim("n", max=8)}})',
        location=method.location(step=step, argument=argument.index),
        forecast=forecast,
        order=(step.index,),
        evidence={"program": have, "graph": wanted},
        subject=f"instruction {step.index}",
        severity=Severity.ERROR if forecast is not None else Severity.WARNING,
    )


def _error(
    facts: BlobFacts, supported: frozenset[int], have: list[int], wanted: list[int]
) -> str | None:
    """The error that is certain for these sizes; None where the graph may take them."""
    names = {name for name, _ in facts.operators}
    if len(have) != len(wanted) or not names or not names <= _PASSES_ON:
        return None
    differing = [(h, w) for h, w in zip(have, wanted, strict=True) if h != w]
    # Sizes of 1 are broadcast; stored sizes that no other value has prove nothing.
    if any(h <= 1 or w <= 1 or w not in supported for h, w in differing):
        return None
    if _LAYER in names and have[-1] != wanted[-1]:
        return "Internal"
    return "Internal" if names & _BINARY and len(facts.inputs or ()) > 1 else "NotSupported"


def _outputs_fit(method: Method, step: Step, blob: Blob) -> bool:
    for argument in blob.facts.outputs or ():
        tensor = _tensor(method, step, argument)
        if tensor is None or tensor.shape_dynamism != ShapeDynamism.STATIC:
            return False
        if _stored(tensor) != list(argument.sizes or ()):
            return False
    return bool(blob.facts.outputs)


def _tensor(method: Method, step: Step, argument: BlobArgument) -> Tensor | None:
    position = argument.index
    if position is None or not 0 <= position < len(step.args):
        return None
    return method.tensor(step.args[position])


def _stored(tensor: Tensor) -> list[int]:
    """Sizes in memory order, as XNNPACK is given them."""
    sizes, order = tensor.sizes or (), tensor.dim_order or ()
    return [sizes[d] for d in order if d < len(sizes)]
