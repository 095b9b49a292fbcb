"""Walks a method once and finds every placement fault; see `faults`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pte_lint.claims.order import ExecuteStep, LoadMethodStep
from pte_lint.interpret.flow import flow_of
from pte_lint.interpret.residency import residency_of
from pte_lint.ir.calling import ET_VIEW, LOCAL_SCALAR, is_scalar_valued, list_items
from pte_lint.ir.device import HomeKind
from pte_lint.ir.steps import Step, StepKind
from pte_lint.ops.operators import reads_only_shape
from pte_lint.questions.placement import fault_outcomes as outcome
from pte_lint.questions.placement.copies import is_copy
from pte_lint.questions.placement.copy_faults import copy_faults
from pte_lint.questions.placement.delegate_faults import delegate_faults
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

if TYPE_CHECKING:
    from pte_lint.interpret.residency import Place
    from pte_lint.ir.method import Method

_BOOL: Final = 11
"""The element type of conditions."""

_DATA_READ: Final = 60
"""Where in the parsing of a tensor its initial state is read."""

_HOST_NAMESPACES: Final = ("aten", "executorch_prim", "dim_order_ops", "quantized_decomposed")
"""Namespaces whose kernels run on the host in every ExecuTorch runtime."""


def find_faults(method: Method, placement: DeviceFacts) -> Iterator[Fault]:
    """Yields the faults of one method: inputs and state, then step by step, then outputs."""
    yield from _initial_states(method)
    yield from _inputs(method)
    yield from _steps(method, placement)
    yield from _inputs_again(method)
    yield from _outputs(method)


def _steps(method: Method, placement: DeviceFacts) -> Iterator[Fault]:
    hot, residency, reachable = placement.hot, residency_of(method), flow_of(method).reachable
    for step in method.steps:
        if not reachable[step.index]:
            continue
        if step.kind is StepKind.KERNEL:
            if is_copy(step.operator):
                yield from copy_faults(method, step)
            elif any(hot[v] or residency.is_moved(v) for v in (*step.reads, *step.writes)):
                yield from _kernel(method, step)
        elif step.kind is StepKind.DELEGATE:
            yield from delegate_faults(method, placement, step)
        elif step.kind is StepKind.JUMP:
            yield from _jump(method, step)


def is_host_operator(operator: str) -> bool:
    """True when the kernel is known to run on the host; custom kernels may take device memory."""
    return operator.partition("::")[0] in _HOST_NAMESPACES


def argument_of(method: Method, step: Step, v: int) -> int | None:
    """The position of `v` among a step's arguments, or of the list that holds it."""
    for position, arg in enumerate(step.args):
        if arg == v or v in list_items(method.value(arg)):
            return position
    return None


def _initial_states(method: Method) -> Iterator[Fault]:
    for v in method.initial_states:
        if method.nbytes(v) == 0:
            continue
        if not (method.is_external(v) or _is_in_file(method, v)):
            continue  # the loader fails before it reads: another rule's matter
        for place in residency_of(method).initial(v):
            if not place.home.device.is_host:
                # The tensor's metadata and the place of its data are looked at before.
                order = (LoadMethodStep.VALUES, v, _DATA_READ)
                yield Fault(
                    FaultCause.STATE,
                    CheckSite.LOAD,
                    v,
                    place,
                    outcome.STATE_READ_INTO_DEVICE,
                    order,
                )


def _is_in_file(method: Method, v: int) -> bool:
    """True when the tables lead to the initial data (`Program::load_mutable_subsegment_into`)."""
    program, tensor = method.program, method.tensor(v)
    tables = program.mutable_data_segments or ()
    offsets = tables[0].offsets if tables else None
    segments = program.segments or ()
    return (
        tensor is not None
        and offsets is not None
        and tensor.data_buffer_idx < len(offsets)
        and tables[0].segment_index < len(segments)
        and offsets[tensor.data_buffer_idx] + method.nbytes(v)
        <= segments[tables[0].segment_index].size
    )


def _inputs(method: Method) -> Iterator[Fault]:
    """`Method::set_input` copies into planned inputs and shares the caller's pointer otherwise."""
    for position, v in enumerate(method.inputs):
        tensor = method.tensor(v)
        if tensor is None:
            continue
        if tensor.allocation_info is None and tensor.data_buffer_idx == 0:
            continue
        is_empty = method.nbytes(v) == 0
        for place in residency_of(method).initial(v):
            on_device = not place.home.device.is_host and not is_empty
            if not place.tag.is_host:
                cause = FaultCause.PLANNED_INPUT
                forecast = (
                    outcome.DEVICE_INPUT_IN_DEVICE_ARENA
                    if on_device
                    else outcome.DEVICE_INPUT_IN_HOST_ARENA
                )
            elif on_device:
                cause, forecast = FaultCause.HOST_TAG, outcome.INPUT_COPIED_INTO_DEVICE
            else:
                continue
            yield Fault(cause, CheckSite.SET_INPUT, v, place, forecast, (position,))


def _inputs_again(method: Method) -> Iterator[Fault]:
    """A planned input that a free or a move has changed: the next set_input meets that."""
    for position, v in enumerate(method.inputs):
        if not residency_of(method).is_moved(v) or not method.is_planned(v):
            continue
        places = residency_of(method).at_end(v)
        for place in places:
            on_device = not place.home.device.is_host
            if place.home.is_null:
                forecast = outcome.NULL_INPUT
            elif place.value == v or (place.tag.is_host and not on_device):
                continue
            elif place.tag.is_host:
                forecast = outcome.INPUT_COPIED_INTO_DEVICE
            elif on_device:
                forecast = outcome.DEVICE_INPUT_IN_DEVICE_ARENA
            else:
                forecast = outcome.DEVICE_INPUT_IN_HOST_ARENA
            yield Fault(
                FaultCause.MOVED_INPUT,
                CheckSite.SET_INPUT,
                v,
                place,
                forecast.in_second_run(),
                (len(method.steps), position, 1),
                certain=residency_of(method).is_sure(places),
            )


def _kernel(method: Method, step: Step) -> Iterator[Fault]:
    # These put a number or a tensor into a slot, whatever the slot holds now.
    fills_slot = step.operator == ET_VIEW or is_scalar_valued(step.operator)
    touched = [] if fills_slot else list(step.writes)
    # Of these only one reads a tensor; the others calculate with what slots hold.
    if step.operator == LOCAL_SCALAR or not (fills_slot or reads_only_shape(step.operator)):
        touched.extend(step.reads)
    written = set(step.writes)
    for v in sorted(set(touched)):
        if method.nbytes(v) == 0:
            continue
        places = followed_places(method, step, v)
        for place in places:
            is_null = place.home.is_null
            if place.home.device.is_host and not (is_null and not place.tag.is_host):
                continue
            position = argument_of(method, step, v)
            forecast = (
                outcome.NULL_ACCESS if is_null else outcome.reached(place, outcome.HOST_ACCESS)
            )
            when = timing(method, step, v, place, forecast, ExecuteStep.ACCESS, position or 0)
            yield Fault(
                cause_at_place(place, _is_input(method, place), FaultCause.MISSING_D2H),
                CheckSite.KERNEL,
                v,
                place,
                when.forecast,
                when.order,
                step,
                position,
                is_output=v in written,
                certain=is_host_operator(step.operator)
                and residency_of(method).is_sure(places)
                and not is_supplied(method, place),
            )


def _jump(method: Method, step: Step) -> Iterator[Fault]:
    v = step.args[0]
    tensor = method.tensor(v)
    if tensor is None or tensor.scalar_type != _BOOL or method.nbytes(v) == 0:
        return
    places = followed_places(method, step, v)
    for place in places:
        is_null = place.home.is_null
        if place.home.device.is_host and not (is_null and not place.tag.is_host):
            continue
        forecast = (
            outcome.NULL_CONDITION if is_null else outcome.reached(place, outcome.HOST_ACCESS)
        )
        when = timing(method, step, v, place, forecast, ExecuteStep.ACCESS)
        yield Fault(
            cause_at_place(place, _is_input(method, place), FaultCause.CONDITION),
            CheckSite.JUMP,
            v,
            place,
            when.forecast,
            when.order,
            step,
            0,
            certain=residency_of(method).is_sure(places),
        )


def _outputs(method: Method) -> Iterator[Fault]:
    """An output tagged as on the host is read there by every caller who believes the tag.

    The runtime hands the pointer over whatever it is, so this is the caller's risk: a warning.
    """
    for position, v in enumerate(method.outputs):
        if method.tensor(v) is None or method.nbytes(v) == 0:
            continue
        for place in residency_of(method).at_end(v):
            if not place.tag.is_host or place.home.device.is_host:
                continue
            if place.home.kind is HomeKind.ARENA:
                yield Fault(
                    FaultCause.HOST_TAG,
                    CheckSite.CALLER,
                    v,
                    place,
                    outcome.NOTHING,
                    (position,),
                    certain=False,
                )


def _is_input(method: Method, place: Place) -> bool:
    return bool(method.is_input[place.value])
