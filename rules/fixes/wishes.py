"""Where those who touch a tensor want it, and the edits that put it there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pte_lint.edits.draft import Edit
from pte_lint.edits.memory import PlaceArena, Plan, Retag
from pte_lint.edits.plan_draft import EditError
from pte_lint.ir.calling import D2H_COPY, H2D_COPY
from pte_lint.ir.device import HOST, Device, HomeKind
from pte_lint.ir.steps import Step, StepKind
from pte_lint.questions.method import Method
from pte_lint.questions.placement.copies import COPY_ARGUMENTS, SOURCE, is_copy

ANY_DEVICE = Device(-1, -1)
"""Not the host; which device does not matter: the device side of a copy."""


def wishes(method: Method, v: int, besides: int | None = None) -> set[Device]:
    """Where the instructions that name a tensor want it.

    Kernels and jumps want it on the host, delegates on their device, copies on either side what
    their operator says. Callers take what they are told.

    Args:
        method: The method.
        v: The tensor.
        besides: An instruction that is not asked.
    """
    found: set[Device] = set()
    for index in {*method.readers(v), *method.writers(v)} - {besides}:
        found |= _wish(method, method.steps[index], v)
    return found


def _wish(method: Method, step: Step, v: int) -> set[Device]:
    if step.kind is StepKind.DELEGATE:
        target = method.placement.target(step)
        return {target.device} if target is not None and target.device is not None else set()
    if step.kind is StepKind.KERNEL and is_copy(step.operator):
        if len(step.args) != COPY_ARGUMENTS:
            return set()
        return {copy_side(step, n) for n in (SOURCE, 1) if step.args[n] == v}
    return {HOST} if step.kind in (StepKind.KERNEL, StepKind.JUMP) else set()


def copy_side(step: Step, side: int) -> Device:
    """Where a copy wants its source (0) or target (1)."""
    return HOST if (step.operator == H2D_COPY) == (side == SOURCE) else ANY_DEVICE


def goal(method: Method, v: int, besides: int | None = None) -> Device | None:
    """The one place that suits all who touch a tensor; None: there is none, or nobody cares."""
    wanted = wishes(method, v, besides)
    if wanted == {HOST}:
        return HOST
    if not wanted or HOST in wanted:
        return None
    named = wanted - {ANY_DEVICE} or {
        d for d in (method.tag(v), method.home(v).device) if not d.is_host and d.index >= 0
    }
    return named.pop() if len(named) == 1 else None


def put(method: Method, v: int, where: Device) -> Iterator[Edit]:
    """Tags a tensor for a device and plans it there, as far as that is not so already.

    Raises:
        EditError: It is not planned, or it is state that other methods may keep at the same place.
    """
    home = method.home(v)
    if method.tag(v) != where or where.is_host:
        yield Retag(method.index, v, where)
    if home.kind is HomeKind.ARENA and home.device != where:
        yield move(method, v, where)
    elif home.kind not in (HomeKind.ARENA, HomeKind.CALLER, HomeKind.NONE):
        raise EditError("the tensor is not planned")


def move(method: Method, v: int, where: Device) -> Edit:
    """Plans a tensor, or its whole arena where all in it belong there, on the device of its tag.

    Raises:
        EditError: It is state that other methods may keep at the same place.
    """
    memory_id = method.home(v).memory_id
    neighbours = {method.tag(w) for w in method.tensors if _arena(method, w) == memory_id}
    if neighbours == {where} and memory_id is not None:
        return PlaceArena(method.index, memory_id, where)
    is_state = method.has_initial_state(v) or method.liveness.storage.is_state(v)
    if is_state and len(method.program.execution_plan or ()) > 1:
        raise EditError("the tensor is state, which other methods may keep at the same place")
    return Plan(method.index, method.liveness.storage.together(v))


def _arena(method: Method, v: int) -> int | None:
    place = method.place(v)
    return place[0] if place is not None else None


def tags_in(method: Method, memory_id: int) -> set[Device]:
    """The tags of the tensors in an arena."""
    return {method.tag(v) for v in method.tensors if _arena(method, v) == memory_id}


def is_given(method: Method, v: int, besides: Iterable[int]) -> bool:
    """Whether a tensor gets its content from somewhere else than some instructions."""
    return bool(
        method.is_input[v]
        or method.is_constant(v)
        or method.has_initial_state(v)
        or set(method.writers(v)) - set(besides)
    )


def other_operator(step: Step) -> str:
    """The copy of the other direction."""
    return D2H_COPY if step.operator == H2D_COPY else H2D_COPY
