"""A prim op with an argument value that stops the process.

What it finds:
    Integer divisions by a constant zero, sym_size of a dimension that the tensor does not have,
    and _local_scalar_dense of a tensor that is empty or of an element type it cannot read.

What the runtime does:
    Dividing whole numbers by zero traps (SIGFPE), as does the smallest one by -1; sums and products
    that leave 64 bits wrap around. A dimension out of range ends the process (SIGABRT); negative
    ones are not counted from the end. _local_scalar_dense returns InvalidArgument from execute. All
    versions (kernels/prim_ops/register_prim_ops.cpp).

Why it happens:
    A constant was edited; a model reads a number out of a half-precision tensor.

How to fix it:
    Convert the tensor before reading a number out of it:

        n = x.float().item()

How it is confirmed:
    Executing the method.

Seen in:
    Found here.
"""

from __future__ import annotations

from pte_lint.schema.enums import KernelTypes, dtype_name

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Prediction, Stage, crash
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import IN_CALL, Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT, require_readable
from pte_lint.interpret.failing_call import reported
from pte_lint.interpret.faults import FaultKind
from pte_lint.interpret.numbers_known import known_int
from pte_lint.ir.calling import LOCAL_SCALAR
from pte_lint.ir.steps import Step
from pte_lint.ir.tensor_size import tensor_numel
from pte_lint.ops.prims import PRIM_OPS, SYM_SIZE, Result, divides_by
from pte_lint.questions.method import Method
from pte_lint.questions.sizes_known import known_sizes
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import article

_READABLE = frozenset({0, 1, 2, 3, 4, 6, 7, 11})
"""Element types of ET_SWITCH_REAL_TYPES_AND(Bool): integers, float32, float64, bool."""

_CONVERT = """\
Convert the tensor before reading a number out of it:

    n = x.float().item()

Where the file was edited after it was written, export it again."""


@method_rule(
    "PTE135",
    "prim-argument",
    Severity.ERROR,
    "prim ops whose argument stops the process",
    sign=(
        Sign("signal: SIGFPE"),
        Sign(
            r"[Dd]im|index|SIGABRT",
            also=IN_CALL,
        ),
        Sign(
            "expected|Expected|unsupported|Unsupported|dtype",
            also=IN_CALL,
        ),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a call that can be reached."""
    require_readable(method, context)
    known: set[int] = set()
    for step in method.calls.of(*(name for name in method.calls.operators if name in PRIM_OPS)):
        count = PRIM_OPS[step.operator].count
        if len(step.args) != count or not method.flow.reachable[step.index]:
            continue
        found = _judge(method, step)
        if found is not None:
            known.add(step.index)
            yield _finding(method, step, *found, step.index)
    for fault in method.interpretation.of(FaultKind.NUMBER):
        if fault.step not in known:
            known.add(fault.step)
            step = method.steps[fault.step]
            yield _finding(method, step, fault.message, fault.prediction, fault.place(method))


def _finding(
    method: Method, step: Step, message: str, prediction: Prediction, place: float
) -> Finding:
    return Finding(
        message=f"{step.operator} {message}.",
        remediation=_CONVERT if step.operator == LOCAL_SCALAR else REEXPORT,
        location=method.location(step=step),
        forecast=Forecast.always(prediction),
        order=(place, ExecuteStep.ACCESS),
        subject=f"instruction {step.index} argument",
    )


def _judge(method: Method, step: Step) -> tuple[str, Prediction] | None:
    first, ints = step.args[0], {KernelTypes.INT}
    if all(method.kinds.of(v) == ints for v in step.args[:-1]):
        numbers = [Result(KernelTypes.INT, known_int(method, v)) for v in step.args[:-1]]
        divisor = divides_by(step.operator, numbers)
        if divisor is not None:
            return f"divides by {divisor}", crash(Stage.EXECUTE, "SIGFPE")
    elif step.operator == SYM_SIZE:
        tensor, dim = method.tensor(first), known_int(method, step.args[1])
        if tensor is not None and dim is not None and not method.residency.is_rebound(first):
            rank = len(tensor.sizes or ())
            if not 0 <= dim < rank:
                message = f"asks for dimension {dim} of a tensor of rank {rank}"
                return message, crash(Stage.EXECUTE, "SIGABRT")
    elif step.operator == LOCAL_SCALAR:
        tensor = method.tensor(first)
        if tensor is None or method.residency.is_rebound(first):
            return None
        if known_sizes(method, first) is not None and tensor_numel(tensor) == 0:
            return "reads a tensor without elements", reported(method, step, "InvalidArgument")
        if tensor.scalar_type not in _READABLE:
            name = dtype_name(tensor.scalar_type)
            return f"cannot read {article(name)} tensor", reported(method, step, "InvalidArgument")
    return None
