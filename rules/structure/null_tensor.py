"""A tensor without memory that an instruction uses.

What it finds:
    Tensors on the host that have no memory, because none was planned and neither the program nor
    the caller provides it, or because a free took it away, where a kernel, a jump or a delegate
    uses them or the method returns them. Tensors without elements need no memory. Tensors on a
    device have a rule of their own.

What the runtime does:
    The method loads: a null pointer is legal. A kernel that touches it crashes (SIGSEGV); a jump
    on it returns InvalidState from execute; a delegate gets the null pointer and mostly crashes;
    convolutions and norms take a weight or bias without memory for an absent one, and embeddings
    leave their result unwritten: wrong results;
    a freed output is returned without data. All versions (getTensorDataPtr in
    runtime/executor/tensor_parser_exec_aten.cpp; Method::execute_instruction).

Why it happens:
    Mutable buffers were exported with alloc_mutable_buffers=False and nobody provides them; memory
    planning was run on part of the graph only; or the file was edited.

How to fix it:
    Let the exporter plan all memory but that of inputs and outputs:

        from executorch.exir.passes import MemoryPlanningPass

        MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)

    and leave alloc_mutable_buffers at True.

How it is confirmed:
    Executing the method.

Seen in:
    executorch#7678
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, crash, error, undefined
from pte_lint.claims.order import ExecuteStep, Order
from pte_lint.claims.sign import Sign, Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.data.damage import require_readable
from pte_lint.interpret.residency import Place
from pte_lint.ir.calling import D2H_COPY, ET_VIEW, H2D_COPY, LOCAL_SCALAR, is_scalar_valued
from pte_lint.ir.steps import Step, StepKind
from pte_lint.ops.operators import base_name, reads_only_shape
from pte_lint.questions.in_time import when_met
from pte_lint.questions.method import Method
from pte_lint.questions.paths import leads_to
from pte_lint.questions.placement.faults import execute_order, is_supplied
from pte_lint.rulebook.rule import Yields, method_rule

_NOT_HERE = frozenset({H2D_COPY, D2H_COPY, ET_VIEW})

_TAKEN_FOR_NONE: Final = {
    "aten::convolution": frozenset({2}),
    "aten::embedding": frozenset({0}),
    "aten::max_pool2d_with_indices": frozenset({7}),
    "aten::native_group_norm": frozenset({1, 2}),
    "aten::native_layer_norm": frozenset({2, 3}),
    "aten::zeros": frozenset({1, 2}),
}
"""Arguments by position that kernels do without where the pointer is null: weights, biases,
and outputs of indices and of zeros."""

_ADVICE = """\
Let the exporter plan memory for everything but inputs and outputs; in particular leave
alloc_mutable_buffers at True:

    from executorch.exir.passes import MemoryPlanningPass

    MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)"""


@method_rule(
    "PTE131",
    "null-tensor",
    Severity.ERROR,
    "uses of tensors that have no memory",
    sign=(
        Sign("output {output}: pointer is null"),
        Unseen("which argument is null is not named: undone, the failure is gone", Trial.UNDO),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a tensor: where it is first used."""
    require_readable(method, context)
    suspects = _suspects(method)
    if not suspects:
        return
    first: dict[int, tuple[tuple[bool, Order], Step, Place, Order]] = {}
    for step in method.steps:
        if not method.flow.reachable[step.index]:
            continue
        for v in _touched(step):
            if v not in suspects:
                continue
            place = _null_place(method, v, step)
            if place is not None:
                order = execute_order(method, step, v, place, ExecuteStep.ACCESS)
                # What only some paths bring about is not there yet when the step is first met.
                is_sometimes = len(method.residency.places(step, v)) > 1
                rank = is_sometimes, order if is_sometimes else when_met(order, method)
                if v not in first or rank < first[v][0]:
                    first[v] = rank, step, place, order
    for v, (_, step, place, order) in first.items():
        yield _use(method, step, v, place, order)
    for k, v in enumerate(method.outputs):
        place = _null_place(method, v, None) if v in suspects else None
        if place is not None and v not in first:
            yield Finding(
                message=f"Output {k} is returned with {place.home}.",
                remediation=_ADVICE,
                location=method.location(value=v),
                forecast=Forecast.always(undefined(Stage.GET_OUTPUT)),
                order=(k,),
                subject=f"value {v} memory",
            )


def _suspects(method: Method) -> set[int]:
    """Tensors that have no memory at load, or whose pointer some step changes."""
    residency = method.residency
    return {v for v in method.table.unplanned if method.home(v).is_null} | residency.moved


def _touched(step: Step) -> Iterator[int]:
    """Values whose memory the step reads or writes."""
    if step.kind is StepKind.KERNEL:
        if step.operator in _NOT_HERE:
            return
        # Prim ops calculate with numbers and put them into slots; one reads a tensor.
        is_prim = is_scalar_valued(step.operator)
        if step.operator == LOCAL_SCALAR or not (is_prim or reads_only_shape(step.operator)):
            yield from step.reads
        if not is_prim:
            yield from (v for v in step.writes if v in step.reads or not _may_be_null(step, v))
    elif step.kind in (StepKind.DELEGATE, StepKind.JUMP):
        yield from step.reads
        yield from step.writes


def _null_place(method: Method, v: int, step: Step | None) -> Place | None:
    """A place on the host without memory that is surely met on some path; no step: at the end."""
    residency = method.residency
    places = residency.places(step, v) if step is not None else residency.at_end(v)
    if not residency.exact:
        return None
    # A jump looks at the pointer before it counts elements (`parse_cond_value`).
    even_empty = step is not None and step.kind is StepKind.JUMP
    for place in places:
        counts = even_empty or method.nbytes(place.value) > 0
        if not (place.home.is_null and place.tag.is_host and counts):
            continue
        if residency.is_sure(places) or _keeps_its_own(method, v, place, step):
            return place
    return None


def _keeps_its_own(method: Method, v: int, place: Place, step: Step | None) -> bool:
    """True when a path that can be taken gets to a step with what the value held at load."""
    if place not in method.residency.initial(v):
        return False
    goal = step.index if step is not None else len(method.steps)
    return leads_to(method, goal, method.writers(v))


def _may_be_null(step: Step, v: int) -> bool:
    """True for an output that the kernel leaves out where the pointer is null."""
    return _is_taken_for_none(step, v)


def _is_taken_for_none(step: Step, v: int) -> bool:
    """True for an argument whose pointer the kernel tests, as if it were absent."""
    optional = _TAKEN_FOR_NONE.get(base_name(step.operator), frozenset())
    # Items of lists have no position of their own, and no kernel does without one.
    positions = {n for n, each in enumerate(step.args) if each == v}
    return bool(positions) and positions <= optional


def _use(method: Method, step: Step, v: int, place: Place, order: Order) -> Finding:
    if step.kind is StepKind.JUMP:
        prediction = error(Stage.EXECUTE, "InvalidState")
    elif step.kind is StepKind.KERNEL and not _is_taken_for_none(step, v):
        prediction = crash(Stage.EXECUTE, "SIGSEGV")
    else:
        prediction = undefined(Stage.EXECUTE)
    forecast = Forecast.always(prediction)
    if method.timeline.is_later(order):
        forecast = forecast.in_second_run()
    verb = "writes" if v in step.writes else "reads"
    return Finding(
        message=f"{step.operator} {verb} {method.describe(v)}, which has {place.home}.",
        remediation=_ADVICE,
        location=method.location(step=step, value=v),
        forecast=forecast,
        order=order,
        # State that the embedder supplies by its name is his to give; the file is not at fault.
        severity=Severity.WARNING if is_supplied(method, place) else None,
        evidence={"home": str(place.home.kind), "bytes": method.nbytes(place.value)},
        subject=f"value {v} memory",
    )
