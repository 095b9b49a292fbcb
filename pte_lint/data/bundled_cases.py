"""What the test cases of a bundled program and a method's signature cannot agree on.

The tools that run the cases hand each input to `Method::set_input` and compare each output of the
method with the expected one (devtools/bundled_program/bundled_program.cpp: `load_bundled_input`,
`verify_method_outputs`, `tensors_are_close`, the same in all versions).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from operator import gt
from typing import Final

from pte_lint.claims.finding import Severity
from pte_lint.files.artifact import Artifact
from pte_lint.interpret.inputs import is_taken_for
from pte_lint.interpret.kinds import kind_name
from pte_lint.questions.method import Method
from pte_lint.schema.bundled_program import BundledMethodTestCase, BundledTensor, BundledValue
from pte_lint.schema.enums import KernelTypes, ShapeDynamism, dtype_name, element_size
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Bool, Double, Int, Tensor
from pte_lint.text.words import article, count

LOAD: Final = "load_bundled_input"
VERIFY: Final = "verify_method_outputs"

_KINDS: Final = {
    BundledTensor: KernelTypes.TENSOR,
    Int: KernelTypes.INT,
    Bool: KernelTypes.BOOL,
    Double: KernelTypes.DOUBLE,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing in which a case and its method differ.

    Attributes:
        message: What is wrong, one sentence, and what follows from it where that is not `result`.
        call: The function of the tools that meets it; empty where none does.
        result: The error that it returns, the signal that it dies of, or empty.
        where: The logical path below the case.
        at: The byte offset in the file.
    """

    message: str
    call: str
    result: str
    where: str
    at: int
    severity: Severity = Severity.ERROR

    @property
    def outcome(self) -> str:
        """How the call ends, as a sentence; empty where it does not fail."""
        if not self.result:
            return ""
        is_signal = self.result.startswith("SIG")
        return f" {self.call} {'crashes' if is_signal else 'fails'} with {self.result}."


def faults(case: BundledMethodTestCase, method: Method, artifact: Artifact) -> Iterator[Fault]:
    """What is wrong with one test case, input by input and then output by output."""
    inputs, outputs = case.inputs or (), case.expected_outputs or ()
    for which, has, takes, call in (
        ("input", inputs, method.inputs, LOAD),
        ("expected output", outputs, method.outputs, VERIFY),
    ):
        if len(has) == len(takes) or (call == VERIFY and not has):
            continue
        verb = "takes" if call == LOAD else "gives"
        message = f"has {count(len(has), which)}; the method {verb} {len(takes)}"
        where = ".inputs" if call == LOAD else ".expected_outputs"
        if len(has) < len(takes):
            yield Fault(f"{message}. {call} reads behind the list.", "", "", where, case.at)
        else:
            rest = f"{message}. The rest is never looked at."
            yield Fault(rest, "", "", where, case.at, Severity.WARNING)
    if not outputs and method.outputs:
        text = "has no expected outputs: nothing can be compared."
        result = "SIGSEGV" if case.expected_outputs is None else "NotSupported"
        yield Fault(text, VERIFY, result, "", case.at, Severity.WARNING)
    for k, (value, v) in enumerate(zip(inputs, method.inputs, strict=False)):
        where = f".inputs[{k}]"
        for message, result in _input(value, v, method, artifact):
            yield Fault(f"{message}.", LOAD, result, where, value.at)
        tensor = method.tensor(v)
        if tensor is not None and isinstance(value.val, BundledTensor):
            given = value.val.sizes or ()
            if _fits(given, tensor) and any(map(gt, given, tensor.sizes or ())):
                text = f"{_sizes(value.val, tensor, 'takes')}. It is accepted for its few elements."
                yield Fault(text, "", "", where, value.at, Severity.WARNING)
    for k, (value, v) in enumerate(zip(outputs, method.outputs, strict=False)):
        for message, result in _output(value, v, method):
            yield Fault(f"{message}.", VERIFY, result, f".expected_outputs[{k}]", value.at)


def _input(
    value: BundledValue, v: int, method: Method, artifact: Artifact
) -> Iterator[tuple[str, str]]:
    """What `load_bundled_input` makes of one input: it returns NotSupported for any refusal."""
    held, given = method.value(v), value.val
    if held is None:
        return
    if given is None:
        yield f"gives a value of kind {value.val_type}, which no tool reads", "NotSupported"
    elif held.val_type != _KINDS[type(given)]:
        wanted = kind_name(held.val_type)
        yield f"gives {_a(value)} for an input that is {article(wanted)}", "NotSupported"
    elif isinstance(given, BundledTensor):
        tensor = method.tensor(v)
        broken = _broken(given)
        if broken is not None:
            yield broken
        elif tensor is not None:
            yield from _tensor_input(given, tensor, artifact)
    else:
        have, wants = _number(given), _number(held.val)
        if have is not None and wants is not None and not is_taken_for(have, wants):
            yield f"gives {have} for an input that was traced as {wants}", "NotSupported"


def _tensor_input(
    given: BundledTensor, tensor: Tensor, artifact: Artifact
) -> Iterator[tuple[str, str]]:
    if given.scalar_type != tensor.scalar_type:
        yield _dtypes(given, tensor, "takes"), "NotSupported"
        return
    if not _fits(given.sizes or (), tensor):
        yield _sizes(given, tensor, "takes"), "NotSupported"
        return
    order = given.dim_order
    if order is None or _layout(given, order) == _layout(given, tensor.dim_order):
        return
    if not _is_uniform(given, artifact):
        yield (
            (
                f"gives a tensor of dim order {list(order)}; the method reads its bytes as "
                f"{list(tensor.dim_order or ())}, so each element lands elsewhere"
            ),
            "",
        )


def _output(value: BundledValue, v: int, method: Method) -> Iterator[tuple[str, str]]:
    """What `verify_method_outputs` makes of one output, before it looks at any element."""
    expected, kinds = value.val, method.kinds.of(v)
    if not kinds:
        return
    if not isinstance(expected, BundledTensor):
        yield f"expects {_a(value)}; only tensors can be compared", "NotSupported"
        return
    if KernelTypes.TENSOR not in kinds:
        wanted = " or ".join(sorted(kind_name(kind) for kind in kinds))
        yield f"expects a tensor; the method gives {article(wanted)}", "SIGABRT"
        return
    broken = _broken(expected)
    tensor = method.tensor(v)
    if broken is not None:
        yield broken
    elif tensor is None or method.kinds.is_changed(v) or method.residency.is_rebound(v):
        return
    elif expected.scalar_type != tensor.scalar_type:
        yield _dtypes(expected, tensor, "gives"), "NotFound"
    elif not _fits(expected.sizes or (), tensor):
        yield _sizes(expected, tensor, "gives"), "NotFound"
    else:
        own = _strides(expected, expected.dim_order)
        if expected.dim_order is None and expected.sizes:
            yield "expects a tensor without a dim order", "SIGSEGV"
        elif own is None:
            yield "expects a tensor without a valid dim order", "SIGABRT"
        elif own != (theirs := _strides(expected, tensor.dim_order)) and theirs is not None:
            yield (
                (
                    f"expects dim order {list(expected.dim_order or ())}; the method gives "
                    f"{list(tensor.dim_order or ())}, and the two are not compared"
                ),
                "SIGABRT",
            )


def _broken(tensor: BundledTensor) -> tuple[str, str] | None:
    """Why no tensor can be made of it, and how that ends."""
    if tensor.sizes is None:
        return "has a tensor without sizes", "SIGSEGV"
    size = element_size(tensor.scalar_type)
    if size is None or any(n < 0 for n in tensor.sizes):
        kind = f"{dtype_name(tensor.scalar_type)}[{_listed(tensor.sizes)}]"
        return f"has a tensor that cannot be: {kind}", "SIGABRT"
    wanted = math.prod(tensor.sizes) * size
    have = tensor.data.size if tensor.data is not None else 0
    if have < wanted:
        short = f"has a tensor of {wanted} bytes with {have} bytes of data"
        return f"{short}, and what lies behind them is read", ""
    return None


def _fits(sizes: Sequence[int], tensor: Tensor) -> bool:
    """Whether the method's tensor can have these sizes (`TensorImpl::internal_resize_contiguous`).

    A tensor that is not static takes any sizes of its rank with no more elements than it has.
    """
    own = tensor.sizes or ()
    if len(sizes) != len(own):
        return False
    if tensor.shape_dynamism == ShapeDynamism.STATIC:
        return tuple(sizes) == tuple(own)
    return math.prod(sizes) <= math.prod(own)


def _strides(tensor: BundledTensor, order: Sequence[int] | None) -> tuple[int, ...] | None:
    """Strides in elements of a tensor of these sizes (`dim_order_to_stride`); None: not valid."""
    sizes = tensor.sizes or ()
    if order is None:
        order = range(len(sizes))
    if sorted(order) != list(range(len(sizes))):
        return None
    strides, step = [0] * len(sizes), 1
    for dim in reversed(order):
        strides[dim] = step
        step *= max(sizes[dim], 1)
    return tuple(strides)


def _layout(tensor: BundledTensor, order: Sequence[int] | None) -> tuple[int, ...] | None:
    """Where its elements lie: the strides, but for dimensions of one element."""
    strides = _strides(tensor, order)
    if strides is None:
        return None
    sizes = tensor.sizes or ()
    return tuple(stride for stride, n in zip(strides, sizes, strict=True) if n != 1)


def _is_uniform(tensor: BundledTensor, artifact: Artifact) -> bool:
    """Whether all elements are the same, so that their order does not matter."""
    assert tensor.data is not None
    size = element_size(tensor.scalar_type) or 1
    total = math.prod(tensor.sizes or ()) * size
    content = bytes(artifact.buffer[tensor.data.start : tensor.data.start + total])
    return content[size:] == content[:-size]


def _number(value: object) -> int | float | None:
    match value:
        case Int():
            return value.int_val
        case Bool():
            return value.bool_val
        case Double():
            return value.double_val
    return None


def _a(value: BundledValue) -> str:
    if value.val is None:
        return f"a value of kind {value.val_type}"
    return article(kind_name(_KINDS[type(value.val)]))


def _dtypes(case: BundledTensor, own: Tensor, verb: str) -> str:
    word = "gives" if verb == "takes" else "expects"
    return f"{word} {dtype_name(case.scalar_type)}; the method {verb} {dtype_name(own.scalar_type)}"


def _sizes(case: BundledTensor, own: Tensor, verb: str) -> str:
    word = "gives" if verb == "takes" else "expects"
    bound = "" if own.shape_dynamism == ShapeDynamism.STATIC else "up to "
    sizes = f"[{_listed(case.sizes or ())}]"
    return f"{word} sizes {sizes}; the method {verb} {bound}[{_listed(own.sizes or ())}]"


def _listed(sizes: Sequence[int]) -> str:
    return ", ".join(str(n) for n in sizes[:16]) + (", ..." if len(sizes) > 16 else "")
