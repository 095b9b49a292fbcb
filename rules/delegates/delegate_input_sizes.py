"""A delegate that is called with sizes that its graph cannot take.

What it finds:
    Calls of XNNPACK delegates whose inputs have a rank, channels or inner sizes that an operator of
    the graph does not take, or whose outputs cannot take what the graph makes of the inputs. Sizes
    that the caller chooses are taken as the largest. A warning where the inputs differ from what
    the graph was made for, and it is not known what some operator makes of that.

What the runtime does:
    XNNPACK takes the sizes of the inputs and computes all others from them: Internal at execute
    where an operator cannot take the sizes, or a result has another rank than its output;
    NotSupported where an output cannot take the result's sizes
    (backends/xnnpack/runtime/XNNExecutor.cpp: prepare_args, resize_outputs; XNNPACK's reshape
    functions). Before 1.5 convolutions, fully connected layers and concatenations do not compare
    channels, and read past their inputs.

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

from collections.abc import Mapping
from typing import Final

from pte_lint.schema.enums import ShapeDynamism
from pte_lint.schema.frozen import dataclass, field
from pte_lint.schema.program import Tensor
from pte_lint.schema.xnnpack_graph import EXTERNAL_INPUT, EXTERNAL_OUTPUT

from pte_lint.claims.finding import Finding, Json, Severity
from pte_lint.claims.forecast import RUNTIME_VERSIONS, Forecast, Prediction, Stage, undefined
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.interpret.delegates import meet, stored
from pte_lint.interpret.faults import FaultKind
from pte_lint.ir.steps import StepKind
from pte_lint.ops.xnnpack import External, externals
from pte_lint.questions.method import Method, Step
from pte_lint.rulebook.rule import Yields, method_rule

_REMEDY: Final = """\
Export with the sizes that are used, or with dynamic ones:

    from torch.export import Dim

    torch.export.export(model, inputs, dynamic_shapes={"x": {0: Dim("n", max=8)}})"""


@method_rule(
    "PTE421",
    "delegate-input-sizes",
    Severity.ERROR,
    "delegate inputs of sizes that the graph cannot take",
    sign=Sign(
        "Propagating input shapes failed|Output shape|resize",
        r"CALL_DELEGATE execute failed at instruction {position}\b",
    ),
)
def check(method: Method, ctx: Context) -> Yields:
    """One finding a call; calls that do not fit in other ways are PTE416."""
    if not method.graphs:
        return
    known: set[int] = set()
    # What a move leaves in a value is not what the table says.
    moved = {move.args[1] for move in method.of_kind(StepKind.MOVE)}
    for step in method.delegate_calls():
        if step.target not in method.graphs or moved & set(step.args):
            continue
        trouble = _static_trouble(method, step) if method.flow.reachable[step.index] else None
        if trouble is not None:
            known.add(step.index)
            yield _finding(method, ctx, step, trouble)
    for fault in method.interpretation.of(FaultKind.GRAPH):
        if fault.step not in known:
            known.add(fault.step)
            place = fault.place(method)
            trouble = _Trouble(fault.message, place, fault.prediction, fault.since, fault.argument)
            yield _finding(method, ctx, method.steps[fault.step], trouble)


@dataclass(frozen=True, slots=True)
class _Trouble:
    message: str
    place: float
    prediction: Prediction | None = None
    since: str = ""
    argument: int | None = None
    evidence: Mapping[str, Json] = field(default_factory=dict)


def _static_trouble(method: Method, step: Step) -> _Trouble | None:
    """What a graph does not take, of inputs whose sizes cannot change."""
    graph = method.graphs[step.target]
    other: External | None = None
    have: list[int] = []
    for external in (*externals(graph, EXTERNAL_INPUT), *externals(graph, EXTERNAL_OUTPUT)):
        tensor = _tensor(method, step, external.argument)
        if tensor is None or tensor.sizes is None:
            return None
        if tensor.shape_dynamism != ShapeDynamism.STATIC:
            return None  # An interpretation knows more.
        sizes = stored(tensor.sizes, tensor)
        if other is None and sizes != external.sizes:
            other, have = external, list(sizes)
    evidence: dict[str, Json] = {}
    if other is not None:
        evidence = {"program": have, "graph": list(other.sizes)}
    met = meet(
        graph,
        lambda position: _tensor(method, step, position),
        lambda position: getattr(_tensor(method, step, position), "sizes", None),
    )
    if met.prediction is not None:
        argument = met.argument
        if argument is None and other is not None:
            argument = other.argument
        return _Trouble(met.message, step.index, met.prediction, met.since, argument, evidence)
    if other is None or None not in met.results.values():
        return None
    message = f"argument {other.argument} has the static sizes {have} (in memory order), and the "
    message += f"graph was made for {list(other.sizes)}"
    return _Trouble(message, step.index, None, "", other.argument, evidence)


def _tensor(method: Method, step: Step, position: int) -> Tensor | None:
    return method.tensor(step.args[position]) if 0 <= position < len(step.args) else None


def _finding(method: Method, ctx: Context, step: Step, trouble: _Trouble) -> Finding:
    forecast = None
    if trouble.prediction is not None and "XnnpackBackend" in ctx.target.profile.backends:
        forecast = Forecast.always(trouble.prediction)
        if trouble.since:
            before = RUNTIME_VERSIONS[RUNTIME_VERSIONS.index(trouble.since) - 1]
            forecast = forecast.until(before, undefined(Stage.EXECUTE))
    verb = "may not take" if trouble.prediction is None else "does not take"
    return Finding(
        message=f"The delegate's graph {verb} these sizes: {trouble.message}.",
        remediation=_REMEDY,
        location=method.location(step=step, argument=trouble.argument),
        forecast=forecast,
        order=(trouble.place,),
        evidence=trouble.evidence,
        subject=f"instruction {step.index}",
        severity=Severity.ERROR if forecast is not None else Severity.WARNING,
    )
