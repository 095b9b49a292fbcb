"""A delegate call whose arguments do not fit the graph in the blob.

What it finds:
    Calls of XNNPACK delegates with fewer or more arguments than the graph has inputs and outputs,
    with something else than a tensor, with another element type, and with a tensor that only the
    call can write, and that the graph does not give. Calls of CUDA delegates with something else
    than a tensor.

What the runtime does:
    Neither the runtime nor XNNPACK counts: a missing argument is read beyond the list, which mostly
    is SIGSEGV at execute; an argument that the graph does not give holds what it held before.
    Something else than a tensor: InvalidArgument. Another element type: the bits are reinterpreted,
    with status Ok (backends/xnnpack/runtime/XNNExecutor.cpp: prepare_args). The CUDA backend takes
    each argument for a tensor without asking: SIGABRT (backends/cuda/runtime/cuda_backend.cpp:
    CudaBackend::execute). All versions.

Why it happens:
    The instruction or the blob was replaced, or the blob is of another method.

How to fix it:
    Export the program again:

        program.save("model.pte")

How it is confirmed:
    Executing the method gives the error, crashes, or gives other outputs.

Seen in:
    executorch#21287
"""

from __future__ import annotations

from dataclasses import replace

from pte_lint.schema.delegates import BlobArgument
from pte_lint.schema.enums import KernelTypes, dtype_name
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Tensor

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Prediction, Stage, crash, error, undefined
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Sign
from pte_lint.data.blobs import Blob, blobs
from pte_lint.data.context import Context
from pte_lint.interpret.faults import FaultKind
from pte_lint.interpret.kinds import kind_name
from pte_lint.ir.calling import CUDA_BACKEND
from pte_lint.ir.steps import StepKind
from pte_lint.questions.method import Method, Step
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import article, count

_XNNPACK = "XnnpackBackend"
_ABORT = crash(Stage.EXECUTE, "SIGABRT")
_KIND = error(Stage.EXECUTE, "InvalidArgument")
_WRONG = undefined(Stage.EXECUTE)


_TENSORS_ONLY = """\
A number that the delegate needs must be a constant of the model or a tensor. Export with sizes that
do not change, or pass the number as a tensor:

    exported = torch.export.export(model, (x, torch.tensor(n)))"""


@dataclass(frozen=True, slots=True)
class _Fault:
    message: str
    prediction: Prediction | None
    argument: int | None = None


@method_rule(
    "PTE416",
    "delegate-arguments",
    Severity.ERROR,
    "delegate calls that do not fit the blob",
    sign=Sign(
        r"XNNExecutor\.cpp:\d+ ", r"CALL_DELEGATE execute failed at instruction {position}\b"
    ),
)
def check(method: Method, ctx: Context) -> Yields:
    """The first fault of each reachable call."""
    yield from _no_tensors(method)
    graphs = {
        blob.index: blob
        for blob in blobs(method, ctx)
        if blob.backend == _XNNPACK and not blob.facts.problems and blob.facts.inputs is not None
    }
    if not graphs:
        return
    # What a move leaves in a value is not what the table says.
    moved = {move.args[1] for move in method.of_kind(StepKind.MOVE)}
    for step in method.delegate_calls():
        blob = graphs.get(step.target)
        # A call without a list of arguments fails before: at load.
        if blob is None or not step.args or not method.flow.reachable[step.index]:
            continue
        fault = _fault(method, step, blob, moved)
        if fault is None:
            continue
        proven = blob.backend in ctx.target.profile.backends and fault.prediction is not None
        yield Finding(
            message=f"{fault.message}.",
            remediation='Export the program again:\n\n    program.save("model.pte")',
            location=method.location(step=step, argument=fault.argument),
            forecast=Forecast.always(fault.prediction) if proven else None,
            order=(step.index,),
            evidence={"arguments": len(step.args), "graph": _size(blob)},
            subject=f"instruction {step.index}",
            severity=Severity.ERROR if proven else Severity.WARNING,
        )


def _no_tensors(method: Method) -> Yields:
    """Arguments of CUDA delegates that cannot be tensors, or are none when a run gets there."""
    known = set()
    for step in method.delegate_calls():
        if step.operator != CUDA_BACKEND or not method.flow.reachable[step.index]:
            continue
        for position, v in enumerate(step.args):
            kinds = method.kinds.of(v)
            if not kinds or KernelTypes.TENSOR in kinds:
                continue
            what = " or ".join(sorted(map(kind_name, kinds)))
            known.add(step.index)
            yield _no_tensor(method, step, position, f"is {article(what)}", step.index)
            break
    for fault in method.interpretation.of(FaultKind.DELEGATE):
        if fault.step not in known:
            known.add(fault.step)
            step, place = method.steps[fault.step], fault.place(method)
            again = " in a second run" if fault.run > 1 else ""
            finding = _no_tensor(method, step, fault.argument or 0, fault.message + again, place)
            yield replace(finding, forecast=Forecast.always(fault.prediction))


def _no_tensor(method: Method, step: Step, position: int, what: str, place: float) -> Finding:
    return Finding(
        message=f"Argument {position} {what}; the CUDA backend takes tensors only.",
        remediation=_TENSORS_ONLY,
        location=method.location(step=step, argument=position),
        forecast=Forecast.always(_ABORT),
        order=(place, ExecuteStep.ACCESS, position),
        subject=f"instruction {step.index} argument {position}",
    )


def _size(blob: Blob) -> int:
    return len(blob.facts.inputs or ()) + len(blob.facts.outputs or ())


def _fault(method: Method, step: Step, blob: Blob, moved: set[int]) -> _Fault | None:
    inputs, outputs = blob.facts.inputs or (), blob.facts.outputs or ()
    given = len(step.args)
    for argument in (*inputs, *outputs):
        if argument.index is not None and argument.index >= given:
            return _Fault(
                f"The call has {count(given, 'argument')}, but the graph has "
                f"{count(len(inputs), 'input')} and {count(len(outputs), 'output')}",
                _WRONG,
            )
    for argument in inputs:
        fault = _tensor_fault(method, step, argument, moved, "input")
        if fault is not None:
            return fault
    for argument in outputs:
        fault = _tensor_fault(method, step, argument, moved, "output")
        if fault is not None:
            return fault
    made = {step.args[argument.index] for argument in outputs if argument.index is not None}
    for position, v in enumerate(step.args):
        if v not in made and _is_left(method, step, v):
            return _Fault(
                f"Argument {position} is used later, nothing but this call can write it, and the "
                "graph does not give it",
                _WRONG,
                position,
            )
    if given > _size(blob):
        return _Fault(
            f"The call has {count(given, 'argument')}, but the graph uses {_size(blob)} of them",
            None,
        )
    return None


def _is_left(method: Method, step: Step, v: int) -> bool:
    """Whether what is used later holds what it held before, if a call does not write it."""
    readers = (each for each in method.readers(v) if each != step.index)
    return (
        method.tensor(v) is not None
        and (bool(method.is_output[v]) or any(method.flow.reachable[each] for each in readers))
        and not method.is_input[v]
        and not method.is_constant(v)
        and not method.has_initial_state(v)
        and method.nbytes(v) != 0
        and set(method.writers(v)) == {step.index}
    )


def _tensor_fault(
    method: Method, step: Step, argument: BlobArgument, moved: set[int], role: str
) -> _Fault | None:
    tensor, position = _tensor(method, step, argument, moved)
    if position is None or step.args[position] in moved:
        return None
    if tensor is None:
        value = method.value(step.args[position])
        if value is None:
            return None
        return _Fault(f"Argument {position} is no tensor, but a graph {role}", _KIND, position)
    have = dtype_name(tensor.scalar_type)
    # 64-bit outputs are widened from the graph's 32-bit indices.
    if argument.dtype in (None, have) or (role == "output" and have == "int64"):
        return None
    return _Fault(
        f"Argument {position} is {have}, but the graph's {role} is {argument.dtype}: its bits are "
        "reinterpreted",
        _WRONG,
        position,
    )


def _tensor(
    method: Method, step: Step, argument: BlobArgument, moved: set[int]
) -> tuple[Tensor | None, int | None]:
    position = argument.index
    if position is None or not 0 <= position < len(step.args):
        return None, None
    v = step.args[position]
    return (None if v in moved else method.tensor(v)), position
