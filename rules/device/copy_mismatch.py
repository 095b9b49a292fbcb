"""A boundary copy whose two sides do not match.

What it finds:
    The source and destination of an `et_copy` kernel that differ in sizes, element type, dim
    order, or in what sizes they can take at run time.

What the runtime does:
    The kernel resizes the destination to the source's sizes and returns InvalidArgument where it
    cannot: another rank, other static sizes, more elements than it was planned for. Types and dim
    orders are not compared: the source's bytes are copied as they are. Into a type of another
    width that is wrong data, and into a narrower one it writes past the end. From 1.4 on; older
    runtimes have no such kernels.

Why it happens:
    The exporter clones the specification of the tensor that it copies, so both sides agree. A
    delegate that declares static outputs for dynamic inputs, or a tool that changed one side
    (a cast, a layout pass run late), breaks that.

How to fix it:
    Run passes that change types or layouts before to_executorch, and let delegates declare dynamic
    outputs where their inputs are; the copies then follow:

        from executorch.exir import to_edge_transform_and_lower

        edge = to_edge_transform_and_lower(exported, partitioner=[partitioner])
        edge = edge.transform([your_pass])
        edge.to_executorch()

How it is confirmed:
    Running it: the copy returns InvalidArgument, or the destination holds other numbers than the
    source.

Seen in:
    found here
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pte_lint.schema.enums import ShapeDynamism, dtype_name, element_size
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Tensor

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import IN_CALL, Sign, Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.interpret.faults import FaultKind
from pte_lint.ir.calling import H2D_COPY
from pte_lint.ir.tensor_size import tensor_nbytes, tensor_numel
from pte_lint.questions.method import Method
from pte_lint.questions.placement.copies import BoundaryCopy
from pte_lint.questions.placement.device_findings import tensor_evidence
from pte_lint.questions.placement.fault_outcomes import COPY_FAILS, COPY_REFUSES, WRONG_MEMORY
from pte_lint.questions.placement.faults import execute_order
from pte_lint.rulebook.rule import Yields, method_rule

_REMEDIATION = (
    "Both sides of a copy come from one tensor when the exporter makes it. Run passes that change "
    "types, sizes or layouts before to_executorch, and export again:\n\n"
    "    edge = edge.transform([your_pass])\n"
    "    program = edge.to_executorch()"
)


@dataclass(frozen=True, slots=True)
class _Mismatch:
    """One difference; `forecast` is None where it is only doubtful."""

    what: str
    says: str
    forecast: Forecast | None
    phase: ExecuteStep
    is_by_bound: bool = False
    """It is about the largest sizes that the source may have."""


@method_rule(
    "PTE307",
    "copy-mismatch",
    Severity.ERROR,
    "boundary copies whose two sides do not match",
    sign=(
        Sign(
            "cannot resize out to self sizes",
            also=IN_CALL,
            when={"difference": "sizes"},
        ),
        Unseen("the kernel does not look: only other results would tell", Trial.COMPARE),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a difference; a warning where some callers are not troubled."""
    copies = {copy.step.index: copy for copy in method.placement.copies}
    known: set[int] = set()
    for index, copy in copies.items():
        if not method.flow.reachable[index]:
            continue
        for source, target, place in _pairs(method, copy):
            room = _room(method, copy, target)
            for found in _mismatches(source, target, room):
                if found.is_by_bound and _settled(method, index, found):
                    continue
                if found.forecast is not None:
                    known.add(index)
                if place != index and found.forecast is not None:
                    found = replace(found, forecast=found.forecast.in_second_run())  # noqa: PLW2901
                yield _finding(method, copy, found, place)
    # Sizes that steps before the copy have given its source.
    for fault in method.interpretation.of(FaultKind.SIZES) if copies else ():
        if fault.step in copies and fault.step not in known:
            known.add(fault.step)
            found = _Mismatch(
                "sizes", f"it {fault.message}", Forecast.always(fault.prediction), ExecuteStep.SIZES
            )
            yield _finding(method, copies[fault.step], found, fault.place(method))


def _settled(method: Method, copy: int, found: _Mismatch) -> bool:
    """Whether the sizes that are met are known, whatever bounds say of them."""
    return method.interpretation.knows_sizes(copy, of_all_callers=found.forecast is None)


def _pairs(method: Method, copy: BoundaryCopy) -> Iterator[tuple[Tensor, Tensor, float]]:
    """The tensor objects on both sides, and when they meet; more than one pair only after moves."""
    places = method.residency.places
    seen = set()
    for s in places(copy.step, copy.source):
        for t in places(copy.step, copy.target):
            source, target = _as_written(method, s.value), method.tensor(t.value)
            if source is not None and target is not None and (s.value, t.value) not in seen:
                seen.add((s.value, t.value))
                first = execute_order(method, copy.step, copy.source, s)
                second = execute_order(method, copy.step, copy.target, t)
                yield source, target, max(first, second)[0]


def _as_written(method: Method, v: int) -> Tensor | None:
    """A tensor with the largest sizes that it may come to have: those of what alone is copied
    into it, where its own are larger."""
    tensor, writers = method.tensor(v), method.writers(v)
    copies = [copy for copy in method.placement.copies if copy.step.index in writers[:1]]
    if tensor is None or tensor.shape_dynamism == ShapeDynamism.STATIC:
        return tensor
    if len(writers) != 1 or not copies or method.is_input[v]:
        return tensor
    source = method.tensor(copies[0].source)
    mine, theirs = tensor.sizes or (), (source.sizes or ()) if source is not None else ()
    if len(mine) != len(theirs):
        return tensor
    return replace(tensor, sizes=tuple(map(min, mine, theirs)))


def _room(method: Method, copy: BoundaryCopy, target: Tensor) -> int | None:
    """Bytes from a device tensor's place to the end of its arena; None where that is not known.

    A device's allocator refuses to copy beyond what it has given out; host memory is overrun.
    """
    info, sizes = target.allocation_info, method.plan.non_const_buffer_sizes or ()
    if copy.step.operator != H2D_COPY or info is None or not 0 < info.memory_id < len(sizes):
        return None
    return sizes[info.memory_id] - info.memory_offset


def _mismatches(source: Tensor, target: Tensor, room: int | None) -> Iterator[_Mismatch]:
    if (sizes := _sizes(source, target)) is not None:
        yield sizes
    if source.scalar_type != target.scalar_type:
        width = element_size(source.scalar_type), element_size(target.scalar_type)
        says = f"{dtype_name(source.scalar_type)} is copied as {dtype_name(target.scalar_type)}"
        if width[0] == width[1]:
            says += ": the bits are kept and the numbers change"
        forecast = WRONG_MEMORY if width[0] != width[1] else None
        if forecast is not None and room is not None and tensor_nbytes(source) > room:
            says += ", beyond the end of the arena"
            forecast = COPY_FAILS
        yield _Mismatch("types", says, forecast, ExecuteStep.ACCESS)
    if _layout(source) != _layout(target) and len(source.sizes or ()) == len(target.sizes or ()):
        says = f"dim order {list(source.dim_order or ())} is copied as "
        says += f"{list(target.dim_order or ())}: the bytes are taken as another layout"
        yield _Mismatch("dim orders", says, None, ExecuteStep.ACCESS)


def _sizes(source: Tensor, target: Tensor) -> _Mismatch | None:
    """The destination is resized to the source's sizes (`resize_tensor`).

    The largest sizes of a dynamic source are sizes that a caller may give.
    """
    mine, theirs = source.sizes or (), target.sizes or ()
    fixed = source.shape_dynamism == ShapeDynamism.STATIC
    says = f"sizes {list(mine)} do not fit into {list(theirs)}"
    if len(mine) != len(theirs):
        return _Mismatch("sizes", says, COPY_REFUSES, ExecuteStep.SIZES)
    if not fixed:
        says = f"sizes up to {list(mine)} do not fit into {list(theirs)}"
    if target.shape_dynamism != ShapeDynamism.STATIC:
        fits = tensor_numel(source) <= tensor_numel(target)
    else:
        fits = mine == theirs
    if not fits:
        return _Mismatch("sizes", says, COPY_REFUSES, ExecuteStep.SIZES, is_by_bound=not fixed)
    if fixed or target.shape_dynamism != ShapeDynamism.STATIC:
        return None
    says = f"sizes up to {list(mine)} go into a destination that takes {list(theirs)} only"
    return _Mismatch("dynamic bounds", says, None, ExecuteStep.SIZES, is_by_bound=True)


def _layout(tensor: Tensor) -> list[int]:
    """The dim order without dimensions of size 1, which have no say in the layout."""
    sizes = tensor.sizes or ()
    return [d for d in tensor.dim_order or () if d >= len(sizes) or sizes[d] != 1]


def _finding(method: Method, copy: BoundaryCopy, found: _Mismatch, place: float) -> Finding:
    return Finding(
        message=f"The two sides of {copy.step.operator} differ in {found.what}: {found.says}.",
        remediation=_REMEDIATION,
        location=method.location(step=copy.step),
        forecast=found.forecast,
        order=(place, found.phase),
        evidence={
            "difference": found.what,
            "source": tensor_evidence(method, copy.source),
            "destination": tensor_evidence(method, copy.target),
        },
        subject=f"{copy.direction} of {method.describe(copy.source)}, {found.what}",
        severity=None if found.forecast is not None else Severity.WARNING,
    )
