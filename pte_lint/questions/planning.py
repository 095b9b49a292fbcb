"""What a method's arenas would need if some tensors were not planned.

Follows the exporter's default algorithm (exir/memory_planning.py: `greedy`, `pick_shared_obj`):
tensors by aligned size, largest first; each goes to the start of the first shared object whose
tensors are all dead during its life, else behind those that are alive there if it fits, else to a
new object. An arena is the sum of its objects. Lifetimes are first to last use, state lives
throughout, and a view is one tensor with its base.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from pte_lint.ir.calling import D2H_COPY
from pte_lint.ir.device import Device
from pte_lint.questions.liveness import liveness_of
from pte_lint.schema.frozen import dataclass, field

if TYPE_CHECKING:
    from pte_lint.ir.method import Method

ALIGNMENT = 16
"""The exporter's default alignment in bytes (exir/memory_planning_pass.py: `ALIGNMENT`)."""

XNNPACK_PADDING = 64
"""Bytes behind the tensors of every arena of a method that calls XNNPACK, which may read past the
end of a tensor (exir/memory_planning.py: `apply_algo`)."""

_BUDGET = 2_000_000
"""Lifetime comparisons; a plan with more is estimated from the file's own numbers."""


@dataclass(slots=True)
class _Need:
    """Tensors of one storage to place: aligned size in bytes, first and last step of their life."""

    members: tuple[int, ...]
    size: int
    first: int
    last: int
    offset: int = 0


@dataclass(slots=True)
class _Shared:
    """Memory that tensors take turns in."""

    size: int
    tenants: list[_Need] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Allocation:
    """A place that the simulated planner gives to the tensors of one storage.

    `offset` and `size` are bytes in the arena; the size is aligned.
    """

    members: tuple[int, ...]
    offset: int
    size: int


class _TooLong(Exception):  # noqa: N818 - a limit, handled by the caller
    """The simulation would cost too much."""


def replan(method: Method, without: Collection[int]) -> dict[Device, int]:
    """Planned bytes by device if the tensors `without` had no place in an arena.

    What the file's planner did differently from the default one (padding, another algorithm,
    branches planned on their own) is kept: the simulated saving is taken off the file's arenas.
    Where the simulation would take too long, the saving is the bytes that only those tensors use.

    Args:
        method: the method.
        without: value indices of planned tensors that the caller is to provide instead.

    Returns:
        Bytes by device, arenas of one device added up; a device whose arenas all become empty is
        left out.
    """
    totals: dict[Device, int] = {}
    for memory_id, arena in method.arenas.items():
        after = arena_without(method, memory_id, without)
        if after:
            totals[arena.device] = totals.get(arena.device, 0) + after
    return totals


def allocations(
    method: Method, memory_id: int, without: Collection[int]
) -> tuple[Allocation, ...] | None:
    """Where the default algorithm places what is left of an arena, by offset.

    Args:
        method: the method.
        memory_id: the arena.
        without: value indices of planned tensors that the caller is to provide instead.

    Returns:
        None where the file was planned in another way (the simulation of the arena as it is does
        not need the bytes that the file gives it), or where the simulation would take too long:
        nothing can then be said about single places.
    """
    arena = method.arenas.get(memory_id)
    everything = _alias_sets(method, memory_id)
    dropped = frozenset(without)
    left = [members for members in everything if not all(v in dropped for v in members)]
    try:
        if arena is None or _total(_greedy(method, everything)) != arena.size - padding(method):
            return None
        objects = _greedy(method, left)
    except _TooLong:
        return None
    found: list[Allocation] = []
    start = 0
    for shared in objects:
        found.extend(Allocation(t.members, start + t.offset, t.size) for t in shared.tenants)
        start += shared.size
    return tuple(sorted(found, key=lambda allocation: (allocation.offset, allocation.members)))


def lifetime(method: Method, members: Iterable[int]) -> tuple[int, int]:
    """The first and the last step at which tensors of one storage need their bytes.

    Inputs live from -1 (before the first step), outputs until `len(method.steps)`, and state
    throughout. Tensors that nothing uses live for a negative time: the last step is before the
    first.
    """
    end = len(method.steps)
    storage = liveness_of(method).storage
    first, last = end, -1
    for v in members:
        uses = [*method.readers(v)[:1], *method.readers(v)[-1:]]
        uses += [*method.writers(v)[:1], *method.writers(v)[-1:]]
        if method.is_input[v]:
            uses.append(-1)
        if method.is_output[v]:
            uses.append(end)
        if storage.is_state(v):
            uses += [-1, end]
        first, last = min([first, *uses]), max([last, *uses])
    return first, last


def padding(method: Method) -> int:
    """Bytes that the exporter adds to every arena of a method."""
    delegates = method.plan.delegates or ()
    calls_xnnpack = any("xnnpack" in (delegate.id or "").lower() for delegate in delegates)
    return XNNPACK_PADDING if calls_xnnpack else 0


def arena_without(method: Method, memory_id: int, without: Collection[int]) -> int:
    """Planned bytes of one arena if the tensors `without` had no place in it; see `replan`."""
    size = max(method.arenas[memory_id].size, 0)
    dropped_values = frozenset(without)
    everything = _alias_sets(method, memory_id)
    left = [members for members in everything if not all(v in dropped_values for v in members)]
    if len(left) == len(everything):
        return size
    if not left:
        return 0
    try:
        saved = _total(_greedy(method, everything)) - _total(_greedy(method, left))
    except _TooLong:
        dropped = set(everything).difference(left)
        saved = sum(_aligned(max(method.nbytes(v) for v in members)) for members in dropped)
    return max(size - max(saved, 0), 0)


def _alias_sets(method: Method, memory_id: int) -> list[tuple[int, ...]]:
    """The tensors of an arena, views together with their base."""
    storage = liveness_of(method).storage
    found: dict[int, list[int]] = {}
    for v in method.tensors:
        place = method.place(v)
        if place is not None and place[0] == memory_id:
            found.setdefault(storage.alias_set(v), []).append(v)
    return [tuple(members) for members in found.values()]


def _greedy(method: Method, alias_sets: Iterable[tuple[int, ...]]) -> list[_Shared]:
    """The shared objects that the default algorithm makes for these tensors, in order."""
    needs = sorted((_need(method, members) for members in alias_sets), key=lambda n: -n.size)
    objects: list[_Shared] = []
    budget = _BUDGET
    for need in needs:
        for shared in objects:
            budget -= len(shared.tenants)
            if all(t.last < need.first or need.last < t.first for t in shared.tenants):
                need.offset = 0
                shared.tenants.append(need)
                break
        else:
            budget -= _behind_the_living(need, objects)
        if budget < 0:
            raise _TooLong
    return objects


def _total(objects: Iterable[_Shared]) -> int:
    """Bytes of an arena that holds these objects one behind the other."""
    return sum(shared.size for shared in objects)


def _behind_the_living(need: _Need, objects: list[_Shared]) -> int:
    """Places `need` behind the tensors alive in some object, else alone; returns the cost."""
    cost = 0
    for shared in objects:
        cost += len(shared.tenants)
        end = max(
            (
                t.offset + t.size
                for t in shared.tenants
                if not (t.last < need.first or need.last < t.first)
            ),
            default=0,
        )
        if end + need.size <= shared.size:
            need.offset = end
            shared.tenants.append(need)
            return cost
    objects.append(_Shared(need.size, [need]))
    return cost


def _need(method: Method, members: tuple[int, ...]) -> _Need:
    size = max((method.nbytes(v) for v in members), default=0)
    first, last = lifetime(method, members)
    if any(_is_copied_out(method, v) for v in members):
        last = len(method.steps)
    return _Need(members, _aligned(size), first, last)


def _is_copied_out(method: Method, v: int) -> bool:
    """Whether a copy of `v` to the host is a method output.

    The exporter then keeps the bytes of `v` to the end: seen in the plans of 60 random graphs with
    device delegates, exported by 1.5.1.
    """
    return any(
        0 <= target < len(method.values) and bool(method.is_output[target])
        for reader in method.readers(v)
        if (step := method.steps[reader]).operator == D2H_COPY
        for target in step.args[1:2]
    )


def _aligned(nbytes: int) -> int:
    return -(-nbytes // ALIGNMENT) * ALIGNMENT
