"""Faults at boundary copies, in the order in which the kernels test (op__device_copy.cpp).

First the source's tag, then the target's, then sizes, then the allocator of the tag's device
type; the allocator itself refuses null pointers, an index below -1, and memory that is not where
the direction says.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pte_lint.claims.forecast import Forecast
from pte_lint.claims.order import ExecuteStep
from pte_lint.interpret.residency import residency_of
from pte_lint.ir.calling import H2D_COPY
from pte_lint.questions.placement import fault_outcomes as outcome
from pte_lint.questions.placement.copies import COPY_ARGUMENTS, SOURCE, TARGET
from pte_lint.questions.placement.faults import (
    CheckSite,
    Fault,
    FaultCause,
    cause_at_place,
    followed_places,
    is_supplied,
    timing,
)
from pte_lint.schema.enums import DeviceType

if TYPE_CHECKING:
    from pte_lint.interpret.residency import Place
    from pte_lint.ir.method import Method
    from pte_lint.ir.steps import Step

_LOWEST_INDEX: Final = -1
"""The current device; the CUDA allocator refuses anything below (cuda_allocator.cpp)."""


def copy_faults(method: Method, step: Step) -> Iterator[Fault]:
    """Yields the faults of one boundary copy; a wrong argument count is its rule's own matter."""
    if len(step.args) != COPY_ARGUMENTS:
        return
    to_device = step.operator == H2D_COPY
    for position in (SOURCE, TARGET):
        v = step.args[position]
        if method.tensor(v) is None:
            continue
        on_device = (position == TARGET) == to_device
        places = followed_places(method, step, v)
        for place in places:
            nbytes = method.nbytes(v)
            found = _tag_fault(place, position, on_device) or _memory_fault(
                place, on_device, nbytes, points_nowhere(method, place, nbytes)
            )
            if found is None:
                continue
            forecast, phase, otherwise, reason = found
            is_input = bool(method.is_input[place.value])
            cause = otherwise
            if otherwise is not FaultCause.INDEX:
                cause = cause_at_place(place, is_input, otherwise)
            when = timing(method, step, v, place, forecast, phase, position)
            yield Fault(
                cause,
                CheckSite.COPY_SOURCE if position == SOURCE else CheckSite.COPY_TARGET,
                v,
                place,
                when.forecast,
                when.order,
                step,
                position,
                is_output=position == TARGET,
                certain=residency_of(method).is_sure(places) and not is_supplied(method, place),
                reason=reason,
            )


_Found = tuple[Forecast, ExecuteStep, FaultCause, str]


def _tag_fault(place: Place, position: int, on_device: bool) -> _Found | None:
    side = "source" if position == SOURCE else "destination"
    phase = ExecuteStep.SOURCE_TAG if position == SOURCE else ExecuteStep.TARGET_TAG
    if place.tag.is_host == on_device:
        wanted = "on a device" if on_device else "on the host"
        return outcome.COPY_REFUSES, phase, FaultCause.COPY, f"its {side} must be {wanted}"
    if on_device and place.tag.type != DeviceType.CUDA:
        return (
            outcome.COPY_WITHOUT_ALLOCATOR,
            ExecuteStep.ALLOCATOR,
            FaultCause.COPY,
            "no device allocator serves the tag's device type",
        )
    return None


def points_nowhere(method: Method, place: Place, nbytes: int) -> bool:
    """True for a null pointer: no memory at all, or no bytes of an arena that has none either.

    Such an arena has no address. What has bytes does not fit there, and the method does not load.
    """
    if place.home.is_null:
        return True
    if nbytes:
        return False
    arena = method.arenas.get(place.home.memory_id) if place.home.memory_id is not None else None
    return arena is not None and arena.size == 0


def _memory_fault(place: Place, on_device: bool, nbytes: int, is_null: bool) -> _Found | None:
    if on_device and place.tag.index < _LOWEST_INDEX:
        return (
            outcome.COPY_FAILS,
            ExecuteStep.ACCESS,
            FaultCause.INDEX,
            "the allocator refuses a device index below -1",
        )
    # The allocator tests for null before it looks at the size.
    if is_null:
        return outcome.COPY_FAILS, ExecuteStep.ACCESS, FaultCause.NO_MEMORY, "its pointer is null"
    if nbytes == 0:
        return None
    if place.home.device.is_host == on_device:
        where = "the host" if place.home.device.is_host else "a device"
        return (
            outcome.COPY_FAILS,
            ExecuteStep.ACCESS,
            FaultCause.COPY,
            f"its memory is on {where}",
        )
    return None
