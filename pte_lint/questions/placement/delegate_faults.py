"""Faults at delegate calls: arguments that are not where the delegate takes them.

The contract of a delegate for device D: each tensor argument is tagged D and its pointer lies in
D's memory; a delegate without a target device takes host memory. The CUDA backend checks both at
execute, argument by argument (backends/cuda/runtime/cuda_backend.cpp); what any other backend does
with wrong memory is its own affair, and undefined.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pte_lint.claims.forecast import Forecast
from pte_lint.claims.order import ExecuteStep
from pte_lint.interpret.residency import residency_of
from pte_lint.ir.calling import list_items
from pte_lint.questions.placement import fault_outcomes as outcome
from pte_lint.questions.placement.device_facts import DeviceFacts
from pte_lint.questions.placement.faults import (
    CheckSite,
    Fault,
    FaultCause,
    cause_at_place,
    followed_places,
    is_supplied,
    timing,
)
from pte_lint.questions.placement.target_device import XNNPACK_BACKEND, DelegateTarget
from pte_lint.schema.enums import DeviceType

if TYPE_CHECKING:
    from pte_lint.interpret.residency import Place
    from pte_lint.ir.method import Method
    from pte_lint.ir.steps import Step


def delegate_faults(method: Method, placement: DeviceFacts, step: Step) -> Iterator[Fault]:
    """Yields the faults of one delegate call, argument by argument."""
    target = placement.target(step)
    if target is None:
        return
    for position, arg in enumerate(step.args):
        for v in list_items(method.value(arg)) or (arg,):
            if method.tensor(v) is None:
                continue
            places = followed_places(method, step, v)
            sure = residency_of(method).is_sure(places)
            for place in places:
                found = _fault(method, placement, target, place, v)
                if found is not None:
                    phase = ExecuteStep.ACCESS
                    when = timing(method, step, v, place, found.forecast, phase, position)
                    yield replace(
                        found,
                        forecast=when.forecast,
                        order=when.order,
                        step=step,
                        argument=position,
                        is_output=position >= step.first_output,
                        certain=found.certain and sure,
                    )


def _fault(
    method: Method, placement: DeviceFacts, target: DelegateTarget, place: Place, v: int
) -> Fault | None:
    """What is wrong with one argument at one of its places; step and order are left out."""
    home, tag = place.home, place.tag
    is_input = bool(method.is_input[place.value])
    certain = True
    if target.checks and tag.type != DeviceType.CUDA:
        otherwise = FaultCause.MISSING_H2D if tag.is_host else FaultCause.INDEX
        cause, forecast = cause_at_place(place, is_input, otherwise), outcome.CUDA_TAG_REFUSED
    elif method.nbytes(v) == 0:
        return None
    elif home.is_null:
        if not target.is_device and tag.is_host:
            return None  # a host tensor without memory: not a matter of devices
        cause, forecast = (
            cause_at_place(place, is_input, FaultCause.NO_MEMORY),
            outcome.NULL_TO_DELEGATE,
        )
        certain = not is_supplied(method, place)
    elif target.device is None or (target.is_host and home.device.is_host):
        return None
    elif target.is_host:
        otherwise, forecast = _host_delegate(placement, target)
        cause, forecast = (
            cause_at_place(place, is_input, otherwise),
            outcome.reached(place, forecast),
        )
    elif home.device.is_host:
        cause = cause_at_place(place, is_input, FaultCause.MISSING_H2D)
        forecast = outcome.CUDA_POINTER_REFUSED if target.checks else outcome.WRONG_MEMORY
    elif tag.is_host:
        # The pointer is right and only the tag is wrong: a backend that does not check works.
        cause, forecast, certain = FaultCause.HOST_TAG, outcome.NOTHING, False
    elif target.accepts(home.device) and target.accepts(tag):
        return None
    else:
        certain = _is_wrong_device(placement, target, place)
        elsewhere = home.device.index >= 0 and not target.accepts(home.device)
        wrong = outcome.reached(place, outcome.WRONG_MEMORY)
        cause, forecast = FaultCause.INDEX, wrong if elsewhere else outcome.NOTHING
    return Fault(cause, CheckSite.DELEGATE, v, place, forecast, (), certain=certain)


def _host_delegate(placement: DeviceFacts, target: DelegateTarget) -> tuple[FaultCause, Forecast]:
    """Device memory given to a host delegate: who is to cause, and what is seen.

    Where every tensor that the delegate is ever given is on a device, its own target is missing
    or wrong, not its arguments.
    """
    if target.backend == XNNPACK_BACKEND:
        return FaultCause.MISSING_D2H, outcome.HOST_ACCESS
    only_device = target.index in placement.fed_from_devices
    return FaultCause.SPEC if only_device else FaultCause.MISSING_D2H, outcome.WRONG_MEMORY


def _is_wrong_device(placement: DeviceFacts, target: DelegateTarget, place: Place) -> bool:
    """True when the memory is sure to be on another device than the delegate's.

    Nobody compares indices, and an index that the machine lacks means the current device
    (CudaAllocator::allocate ignores that cudaSetDevice failed), so a lone disagreement of an arena
    is only doubtful. It is sure when tag and memory agree on the wrong device, or when another
    delegate of the program needs that device, so that the machine has it.
    """
    where = place.home.device
    if target.device is None or target.device.type != where.type:
        return False  # a type that no runtime knows: nobody can say where that is
    if target.accepts(where) or where.index < 0:
        return False
    return place.tag == where or where in placement.program_devices
