"""Walks a method once and finds every placement fault; see `faults`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pte_lint import fault_outcomes as outcome
from pte_lint.calling import ET_VIEW, list_items
from pte_lint.copies import is_copy
from pte_lint.copy_faults import copy_faults
from pte_lint.delegate_faults import delegate_faults
from pte_lint.device import HomeKind
from pte_lint.faults import Blame, Fault, Meeting, blame_place, is_supplied
from pte_lint.order import ExecuteStep, LoadMethodStep
from pte_lint.steps import Step, StepKind

if TYPE_CHECKING:
    from pte_lint.method import Method
    from pte_lint.placement import Placement
    from pte_lint.residency import Place

_SIZES_ONLY: Final = frozenset(
    {"aten::sym_size.int", "aten::sym_numel", "aten::full_like.out", ET_VIEW}
)
"""Operators that look at their tensor inputs' sizes and never at their data."""

_BOOL: Final = 11
"""The element type of conditions."""

_HOST_NAMESPACES: Final = ("aten", "executorch_prim", "dim_order_ops", "quantized_decomposed")
"""Namespaces whose kernels run on the host in every ExecuTorch runtime."""


def find_faults(method: Method, placement: Placement) -> Iterator[Fault]:
    """Yields the faults of one method: inputs and state, then step by step, then outputs."""
    yield from _initial_states(method)
    yield from _inputs(method)
    hot, residency, reachable = placement.hot, method.residency, method.flow.reachable
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
    yield from _outputs(method)


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
    for v in method.tensors:
        if not method.has_initial_state(v) or method.nbytes(v) == 0:
            continue
        for place in method.residency.initial(v):
            if not place.home.device.is_host:
                order = (LoadMethodStep.VALUES, v)
                yield Fault(
                    Blame.STATE, Meeting.LOAD, v, place, outcome.STATE_READ_INTO_DEVICE, order
                )


def _inputs(method: Method) -> Iterator[Fault]:
    """`Method::set_input` copies into planned inputs and shares the caller's pointer otherwise."""
    for position, v in enumerate(method.inputs):
        tensor = method.tensor(v)
        if tensor is None or method.nbytes(v) == 0:
            continue
        if tensor.allocation_info is None and tensor.data_buffer_idx == 0:
            continue
        for place in method.residency.initial(v):
            on_device = not place.home.device.is_host
            if not place.tag.is_host:
                blame = Blame.PLANNED_INPUT
                forecast = (
                    outcome.DEVICE_INPUT_IN_DEVICE_ARENA
                    if on_device
                    else outcome.DEVICE_INPUT_IN_HOST_ARENA
                )
            elif on_device:
                blame, forecast = Blame.HOST_TAG, outcome.INPUT_COPIED_INTO_DEVICE
            else:
                continue
            yield Fault(blame, Meeting.SET_INPUT, v, place, forecast, (position,))


def _kernel(method: Method, step: Step) -> Iterator[Fault]:
    touched = [] if step.operator == ET_VIEW else list(step.writes)
    if step.operator not in _SIZES_ONLY:
        touched.extend(step.reads)
    written = set(step.writes)
    for v in sorted(set(touched)):
        if method.nbytes(v) == 0:
            continue
        places = method.residency.places(step, v)
        for place in places:
            is_null = place.home.is_null
            if place.home.device.is_host and not (is_null and not place.tag.is_host):
                continue
            position = argument_of(method, step, v)
            yield Fault(
                blame_place(place, _is_input(method, place), Blame.MISSING_D2H),
                Meeting.KERNEL,
                v,
                place,
                outcome.NULL_ACCESS if is_null else outcome.HOST_ACCESS,
                (step.index, ExecuteStep.ACCESS, position or 0),
                step,
                position,
                is_output=v in written,
                certain=is_host_operator(step.operator)
                and method.residency.is_sure(places)
                and (not is_null or not is_supplied(method, place.value)),
            )


def _jump(method: Method, step: Step) -> Iterator[Fault]:
    v = step.args[0]
    tensor = method.tensor(v)
    if tensor is None or tensor.scalar_type != _BOOL or method.nbytes(v) == 0:
        return
    places = method.residency.places(step, v)
    for place in places:
        is_null = place.home.is_null
        if place.home.device.is_host and not (is_null and not place.tag.is_host):
            continue
        yield Fault(
            blame_place(place, _is_input(method, place), Blame.CONDITION),
            Meeting.JUMP,
            v,
            place,
            outcome.NULL_CONDITION if is_null else outcome.HOST_ACCESS,
            (step.index, ExecuteStep.ACCESS, 0),
            step,
            0,
            certain=method.residency.is_sure(places),
        )


def _outputs(method: Method) -> Iterator[Fault]:
    """An output tagged as on the host is read there by every caller who believes the tag."""
    for position, v in enumerate(method.outputs):
        if method.tensor(v) is None or method.nbytes(v) == 0:
            continue
        places = method.residency.at_end(v)
        for place in places:
            if (
                place.tag.is_host
                and place.home.kind is HomeKind.ARENA
                and not place.home.device.is_host
            ):
                yield Fault(
                    Blame.HOST_TAG,
                    Meeting.CALLER,
                    v,
                    place,
                    outcome.HOST_READER_OF_OUTPUT,
                    (position,),
                    certain=method.residency.is_sure(places),
                )


def _is_input(method: Method, place: Place) -> bool:
    return bool(method.is_input[place.value])
