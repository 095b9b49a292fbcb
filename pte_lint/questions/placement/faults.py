"""Placement faults: where tags and homes collide with what an instruction needs.

Every place where the runtime, a kernel or a delegate meets a tensor is looked at once, and each
collision is one `Fault`: what goes wrong, what each runtime version does, and which fact of the
file is to blame. The rules of the device family each report one kind of cause, so that one cause
gives one finding and nothing is reported twice or falls between two rules.

Kernels and jumps never look at tags, only at pointers; `set_input`, the boundary copies and device
delegates look at tags (runtime/executor/method.cpp, kernels/portable/cpu/op__device_copy.cpp).
Runtimes before 1.4 keep every arena in host memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pte_lint.claims.forecast import RUNTIME_VERSIONS, Forecast, Outcome, Prediction
from pte_lint.claims.order import Order
from pte_lint.interpret.residency import Place, residency_of
from pte_lint.ir.device import HomeKind
from pte_lint.ir.steps import Step
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.str_enum import StrEnum

if TYPE_CHECKING:
    from pte_lint.ir.method import Method


class FaultCause(StrEnum):
    """The fact of the file that a fault goes back to; one rule each."""

    PLANNED_INPUT = "device-input-planned"
    MISSING_H2D = "missing-h2d-copy"
    MISSING_D2H = "missing-d2h-copy"
    COPY = "copy-contract"
    DEVICE_TAG = "device-tag-in-host-arena"
    HOST_TAG = "host-tag-in-device-arena"
    INDEX = "device-index-disagrees"
    SPEC = "target-device-spec"
    CONDITION = "device-condition"
    CONSTANT = "constant-on-device"
    STATE = "initial-state-on-device"
    NO_MEMORY = "device-tensor-without-memory"
    ORDER = "copy-order"
    MOVED_INPUT = "moved-input"
    """Told with `ORDER`: a move leaves a device tensor in an input's place."""


class CheckSite(StrEnum):
    """Who meets the tensor."""

    SET_INPUT = "set_input"
    LOAD = "load"
    COPY_SOURCE = "copy source"
    COPY_TARGET = "copy target"
    KERNEL = "kernel"
    JUMP = "jump"
    DELEGATE = "delegate"
    CALLER = "caller"


@dataclass(frozen=True, slots=True)
class Fault:
    """One collision."""

    cause: FaultCause
    check_site: CheckSite
    value: int
    """The value in the argument; `place.value` is the tensor object behind it."""
    place: Place
    forecast: Forecast
    order: Order
    step: Step | None = None
    argument: int | None = None
    is_output: bool = False
    """The instruction writes the argument."""
    certain: bool = True
    """False where the file alone does not prove the failure: a warning."""
    reason: str = ""
    """What the instruction wants, for readers: "the source must be tagged cpu"."""


def cause_at_place(place: Place, is_input: bool, otherwise: FaultCause) -> FaultCause:
    """Finds the cause of a fault at a place that an instruction cannot take.

    Args:
        place: the argument's residence.
        is_input: the tensor object is a method input.
        otherwise: the cause when tag and home agree with each other: the instruction.
    """
    tag, home = place.tag, place.home
    if home.kind is HomeKind.FREED:
        return FaultCause.ORDER
    if home.kind is HomeKind.NONE:
        return FaultCause.NO_MEMORY
    if place.storage != place.value:
        return otherwise  # a view: its own tag and place in the file say nothing
    if home.kind in (HomeKind.CONSTANT, HomeKind.EXTERNAL):
        return otherwise if tag.is_host else FaultCause.CONSTANT
    if home.kind is HomeKind.ARENA and tag.type != home.device.type:
        if tag.is_host:
            return FaultCause.HOST_TAG
        return FaultCause.PLANNED_INPUT if is_input else FaultCause.DEVICE_TAG
    return otherwise


def followed_places(method: Method, step: Step, v: int) -> tuple[Place, ...]:
    """The residences of an argument; none where the method was too confusing to follow."""
    residency = residency_of(method)
    if residency.is_moved(v) and not residency.exact:
        return ()
    return residency.places(step, v)


@dataclass(frozen=True, slots=True)
class Timing:
    """When a fault shows: in the first run, or only once a run has left something behind."""

    forecast: Forecast
    order: Order


def timing(
    method: Method, step: Step, v: int, place: Place, forecast: Forecast, *within: int
) -> Timing:
    """Times a fault at execute; what only a second run meets comes after all of the first.

    Args:
        method: the method.
        step: the instruction.
        v: the argument's value.
        place: its residence.
        forecast: what happens when the instruction meets it.
        within: what orders faults inside the instruction.
    """
    order = execute_order(method, step, v, place, *within)
    later = method.timeline.is_later(order)
    return Timing(forecast.in_second_run() if later else forecast, order)


def execute_order(method: Method, step: Step, v: int, place: Place, *within: int) -> Order:
    """The order of what an instruction meets: that of a second run stands behind the first."""
    first = residency_of(method).is_in_first_run(step, v, place)
    return (method.timeline.place(1 if first else 2, step.index), *within)


def is_supplied(method: Method, place: Place) -> bool:
    """True for a tensor without memory that is state which the embedder supplies.

    The exporter leaves mutable buffers without memory on request (alloc_mutable_buffers=False),
    and then always writes their names; nothing but an in-place update ever writes them, while an
    intermediate has a producer.
    """
    if place.home.kind is not HomeKind.NONE:
        return False
    tensor = method.tensor(place.value)
    extra = tensor.extra_tensor_info if tensor is not None else None
    if extra is None or not extra.fully_qualified_name:
        return False
    v = place.value
    return all(v in method.steps[i].reads for i in method.writers(v))


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a group of faults with one cause amounts to."""

    forecast: Forecast
    order: Order
    first: Fault
    """The fault that the newest troubled runtime meets first."""
    certain: bool
    orders: Mapping[str, Order]
    """The order by version, for those that meet another fault first."""


def combined(faults: Sequence[Fault]) -> Outlook:
    """Merges faults of one cause: for each runtime the first failure that is sure to show.

    Undefined behaviour does not stop a run, so a later error or crash is what is seen.
    """
    sure = [f for f in faults if f.certain]
    pool = sure or list(faults)
    full = tuple(_first(pool, n, False) for n in range(len(RUNTIME_VERSIONS)))
    minimal = tuple(_first(pool, n, True) for n in range(len(RUNTIME_VERSIONS)))
    leading = next((f for f in reversed(full) if f is not None), pool[0])
    forecast = Forecast(
        tuple(f.forecast.full[n] if f else None for n, f in enumerate(full)),
        tuple(f.forecast.minimal[n] if f else None for n, f in enumerate(minimal)),
    )
    orders = {
        version: f.order
        for version, f in zip(RUNTIME_VERSIONS, full, strict=True)
        if f is not None and f.order != leading.order
    }
    return Outlook(forecast, leading.order, leading, bool(sure), orders)


def _first(faults: Iterable[Fault], version: int, minimal: bool) -> Fault | None:
    best: tuple[tuple[bool, int, Order], Fault] | None = None
    for fault in faults:
        column = fault.forecast.minimal if minimal else fault.forecast.full
        prediction: Prediction | None = column[version]
        if prediction is None:
            continue
        undefined = prediction.outcome is Outcome.UNDEFINED
        key = (undefined, prediction.rank, fault.order)
        if best is None or key < best[0]:
            best = (key, fault)
    return best[1] if best else None
