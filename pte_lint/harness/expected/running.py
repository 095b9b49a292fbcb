"""Runs a case on the real runtime and compares what comes out."""

from __future__ import annotations

from struct import pack

from pte_lint.harness.elements import (
    Apart,
    Tolerance,
    compare,
    in_logical_order,
    in_memory_order,
    numbers,
    width_of,
)
from pte_lint.harness.expected.cases import Case, GivenTensor
from pte_lint.harness.outcome import MethodRun
from pte_lint.harness.recorded_runs import Recorder, how_it_ended, went_through
from pte_lint.harness.recording import Damaged, RecordedTensor, RecordedValue, Recording, Scalar
from pte_lint.interpret.inputs import is_taken_for
from pte_lint.interpret.kinds import kind_name
from pte_lint.questions.method import Method
from pte_lint.schema.enums import dtype_name
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Bool, Double, EValue, Int

EQUAL, DIFFERS, FAILED = "equal", "differs", "failed"

_NUMBERS = {"int64": "int", "float64": "double", "bool": "bool"}


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What became of a case.

    Attributes:
        case: Its name.
        method: The method's name.
        status: `equal`, `differs`, or `failed` where it could not be run or compared.
        reason: One sentence.
        output: The first output that is off.
        input: The input that the runtime refused.
        is_unlike: Whether that output has another type or other sizes.
        apart: How far, where types and sizes are equal.
        compared: Outputs that were looked at.
    """

    case: str
    method: str | None
    status: str
    reason: str
    output: int | None = None
    apart: Apart | None = None
    compared: int = 0
    input: int | None = None
    is_unlike: bool = False


def run_case(
    case: Case, method: Method, recorder: Recorder, tolerance: Tolerance | None = None
) -> CaseResult:
    """Runs one case in a fenced child.

    Args:
        case: What to give and what to expect.
        method: The method, as the file describes it.
        recorder: The program, and how to run it.
        tolerance: Instead of those by element type.

    Raises:
        HarnessUnavailable: The runtime or the compiler is missing.
    """
    contents: dict[int, bytes] = {}
    sizes: dict[int, tuple[int, ...]] = {}
    for position, given in case.inputs.items():
        problem = _unfit(position, given, method)
        if problem is not None:
            return CaseResult(case.name, case.method, FAILED, problem)
        tensor = method.tensor(method.inputs[position])
        if tensor is not None:
            order = tensor.dim_order or tuple(range(len(given.sizes)))
            width = width_of(tensor.scalar_type)
            contents[position] = in_memory_order(given.data, width, given.sizes, order)
            sizes[position] = given.sizes
    run = recorder.run(method, contents, sizes)
    if not went_through(run):
        refused = run.input if isinstance(run, MethodRun) and run.error is not None else None
        at = refused if run.stage == "set_input" else None
        return CaseResult(case.name, case.method, FAILED, how_it_ended(run), input=at)
    try:
        return _compared(case, recorder.recording, tolerance)
    except Damaged:
        reason = "what was recorded of the run makes no sense: nothing in it counts"
        return CaseResult(case.name, case.method, FAILED, reason)


def _unfit(position: int, given: GivenTensor, method: Method) -> str | None:
    """Why an input cannot be given; the runtime itself looks at sizes."""
    if position >= len(method.inputs):
        return f"the method has no input {position}"
    value = method.value(method.inputs[position])
    tensor = method.tensor(method.inputs[position])
    if tensor is None:
        kind = kind_name(value.val_type) if value is not None else "nothing"
        held = _held(value)
        if held is None or given.sizes or _NUMBERS.get(given.dtype, "") != kind.lower():
            return f"input {position} is {given}; the method takes {kind}"
        number = (numbers(given.data, given.dtype) or (0,))[0]
        if not is_taken_for(number, held):
            return f"input {position} is {number:g}; the method was exported for {held:g}"
        return None
    if dtype_name(tensor.scalar_type) != given.dtype:
        wanted = dtype_name(tensor.scalar_type)
        return f"input {position} is {given.dtype}; the method takes {wanted}"
    if len(tensor.sizes or ()) != len(given.sizes):
        return f"input {position} is {given}; the method takes {list(tensor.sizes or ())}"
    return None


def _held(value: EValue | None) -> int | float | None:
    """The number that stands in the file."""
    match value.val if value is not None else None:
        case Int(int_val=number) | Double(double_val=number) | Bool(bool_val=number):
            return number
    return None


def _compared(case: Case, recording: Recording, tolerance: Tolerance | None) -> CaseResult:
    outputs = {
        record.index: record.value
        for record in recording.records()
        if isinstance(record, RecordedValue) and record.kind == "output"
    }
    for count, (position, want) in enumerate(sorted(case.outputs.items())):
        got = outputs.get(position)
        text, apart = _difference(got, want, recording, tolerance)
        if text is not None:
            word = FAILED if apart is None else DIFFERS
            return CaseResult(
                case.name,
                case.method,
                word,
                f"output {position} {text}",
                position,
                apart,
                count + 1,
                is_unlike=isinstance(got, RecordedTensor) and _is_unlike(got, want),
            )
    told = "1 output is" if len(case.outputs) == 1 else f"{len(case.outputs)} outputs are"
    reason = f"{told} as expected"
    return CaseResult(case.name, case.method, EQUAL, reason, compared=len(case.outputs))


def _difference(
    got: object, want: GivenTensor, recording: Recording, tolerance: Tolerance | None
) -> tuple[str | None, Apart | None]:
    """What is wrong with an output, and how far it is off."""
    if got is None:
        return "is none of the method's", None
    if isinstance(got, Scalar):
        if got.kind != _NUMBERS.get(want.dtype) or want.sizes:
            return f"is {got.kind}; {want} is expected", None
        apart = compare(_packed(got), want.data, want.dtype, (), tolerance)
        return (None if apart is None else described(apart)), apart
    if not isinstance(got, RecordedTensor):
        return "is a list, which no case describes", None
    if _is_unlike(got, want):
        return f"is {dtype_name(got.dtype)}{list(got.sizes)}; {want} is expected", None
    content = recording.content(got)
    if content is None:
        return "cannot be read", None
    logical = in_logical_order(content, width_of(got.dtype), got.sizes, got.order)
    apart = compare(logical, want.data, want.dtype, want.sizes, tolerance)
    return (None if apart is None else described(apart)), apart


def _is_unlike(got: RecordedTensor, want: GivenTensor) -> bool:
    return (dtype_name(got.dtype), tuple(got.sizes)) != (want.dtype, want.sizes)


def _packed(number: Scalar) -> bytes:
    code = {"int": "q", "double": "d", "bool": "?"}[number.kind]
    return pack(f"<{code}", number.value)


def described(apart: Apart) -> str:
    """`is off by 0.5 (12 % of the largest) in 3 of 8 elements, first at [0, 1]: 1.5 for 1`."""
    where = f" at {list(apart.element)}" if apart.element else ""
    share = f" ({apart.relative:.2g} of the largest)" if apart.relative != float("inf") else ""
    return (
        f"is off by {apart.absolute:.6g}{share} in {apart.different} of {apart.elements} elements,"
        f" first{where}: {apart.got:.6g} for {apart.want:.6g}"
    )
