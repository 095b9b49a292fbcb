"""A row copy (et_copy_index) that does not fit.

What it finds:
    Copies of a tensor into a row of another (what map and scan are made of) whose shapes or element
    types do not fit, whose target cannot grow, or that start past the first row.

What the runtime does:
    Ranks that do not differ by one, or other sizes: execute returns InvalidArgument. The target is
    resized to the rows written so far, so one of static shape fails with InvalidState unless it
    has exactly one row. Element types are not compared: a wider source is refused
    (InvalidArgument), a narrower one leaves wrong numbers; rows before the first one written keep
    old bytes. All versions (kernels/prim_ops/et_copy_index.cpp).

Why it happens:
    A tensor's shape, type or the loop counter's start was edited after export.

How to fix it:
    Export the program again:

        with open("model.pte", "wb") as file:
            edge.to_executorch().write_to_file(file)

How it is confirmed:
    Executing the method.

Seen in:
    Found here.
"""

from __future__ import annotations

from pte_lint.schema.enums import ShapeDynamism, dtype_name, element_size
from pte_lint.schema.program import Int

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Outcome, Prediction, Stage, undefined
from pte_lint.claims.order import ExecuteStep, Order
from pte_lint.claims.sign import IN_CALL, Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, require_readable
from pte_lint.interpret.failing_call import reported
from pte_lint.interpret.faults import FaultKind
from pte_lint.ir.calling import ET_COPY_INDEX
from pte_lint.ir.steps import Step
from pte_lint.ops.numbers import wrapped
from pte_lint.questions.method import Method
from pte_lint.questions.sizes_known import known_sizes
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE136",
    "copy-index",
    Severity.ERROR,
    "row copies that do not fit",
    sign=Sign(
        r"et_copy_index\.cpp:\d+ |Attempted to",
        also=IN_CALL,
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a copy: what the kernel meets first."""
    require_readable(method, context)
    known: set[int] = set()
    silent: set[int] = set()
    for step in method.calls.of(ET_COPY_INDEX):
        if len(step.args) != 3:
            continue
        found = _judge(method, step) if method.flow.reachable[step.index] else None
        if found is not None:
            message, prediction, phase = found
            (silent if prediction.outcome is Outcome.UNDEFINED else known).add(step.index)
            yield _finding(method, step, message, prediction, (step.index, phase))
    for fault in method.interpretation.of(FaultKind.ROW_COPY):
        is_silent = fault.prediction.outcome is Outcome.UNDEFINED
        if fault.step not in known and not (is_silent and fault.step in silent):
            known.add(fault.step)
            step = method.steps[fault.step]
            order = (fault.place(method), ExecuteStep.SIZES)
            yield _finding(method, step, fault.message, fault.prediction, order)


def _finding(
    method: Method, step: Step, message: str, prediction: Prediction, order: Order
) -> Finding:
    return Finding(
        message=f"The row copy {message}.",
        remediation=REEXPORT,
        location=method.location(step=step, value=step.args[0]),
        forecast=Forecast.always(prediction),
        order=order,
        subject=f"instruction {step.index} row copy",
    )


def _judge(method: Method, step: Step) -> tuple[str, Prediction, int] | None:
    target, source = method.tensor(step.args[0]), method.tensor(step.args[1])
    start = method.value(step.args[2])
    moved = method.residency.is_rebound(step.args[0]) or method.residency.is_rebound(step.args[1])
    if target is None or source is None or start is None or moved:
        return None
    if not isinstance(start.val, Int):
        return None
    first = start.val.int_val
    refused = reported(method, step, "InvalidArgument")
    if first < 0:
        return f"starts at row {first}", refused, ExecuteStep.SIZES
    ranks = len(target.sizes or ()), len(source.sizes or ())
    if ranks[0] != ranks[1] + 1:
        message = f"needs a target of one dimension more, not {ranks[0]} for {ranks[1]}"
        return message, refused, ExecuteStep.SIZES
    row = known_sizes(method, step.args[1])
    if row is not None and tuple((target.sizes or ())[1:]) != tuple(row):
        message = f"puts a tensor of sizes {list(row)} into rows of {list(target.sizes or ())[1:]}"
        return message, refused, ExecuteStep.SIZES
    rows = wrapped(first + 1, 32)
    if target.shape_dynamism == ShapeDynamism.STATIC and (target.sizes or ())[0] != rows:
        message = f"resizes its target to {first + 1} rows, but its shape is static"
        return message, reported(method, step, "InvalidState"), ExecuteStep.SIZES
    if rows != first + 1:
        return None  # the interpretation knows the sizes that it takes
    wide, narrow = element_size(source.scalar_type), element_size(target.scalar_type)
    if wide is not None and narrow is not None and source.scalar_type != target.scalar_type:
        types = f"copies {dtype_name(source.scalar_type)} into {dtype_name(target.scalar_type)}"
        if wide > narrow:
            return types, refused, ExecuteStep.SIZES
        return types, undefined(Stage.EXECUTE), ExecuteStep.SILENT
    if first > 0:
        message = f"starts at row {first}: the rows before it are never written"
        return message, undefined(Stage.EXECUTE), ExecuteStep.SILENT
    return None
