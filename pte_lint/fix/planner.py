"""Plans the memory of a method again: a smaller plan than the file's, or the one it has.

Three plans compete: that of the file, that of the exporter's own algorithm
(`pte_lint.questions.planning`), so that a repaired program looks as a right export would, and one
made from live intervals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import gcd

from pte_lint.edits.draft import Edit
from pte_lint.edits.memory import ALIGNMENT, Relocate, ResizeArena
from pte_lint.fix.arrange import arrange, peak
from pte_lint.fix.intervals import CannotPlan, Need, needs
from pte_lint.ir.siblings import kept_places
from pte_lint.questions.method import Method
from pte_lint.questions.planning import allocations, padding
from pte_lint.schema.frozen import dataclass

_MOST_ALIGNMENT = 64
"""Larger alignments than this that all offsets have in common come from the sizes."""


@dataclass(frozen=True, slots=True)
class ArenaPlan:
    """A plan of one arena.

    Attributes:
        memory_id: The arena.
        device: Where it is, by name.
        before: Its bytes in the file.
        after: Its bytes in the plan.
        bound: Bytes that no plan can do without.
        places: Byte offset by value.
    """

    memory_id: int
    device: str
    before: int
    after: int
    bound: int
    places: dict[int, int]


def plan_again(method: Method, *, anew: bool = False) -> list[ArenaPlan]:
    """Plans every arena of a method, each for itself.

    Args:
        method: The method.
        anew: Leave the file's own plan out: something is wrong with it. What is read before
            anything writes it is then kept apart from all others.

    Raises:
        CannotPlan: Nothing sound can be said about when bytes are needed.
    """
    wanted = needs(method, stale=anew)
    shared = _shared_arenas(method)
    return [
        _plan_arena(method, memory_id, [n for n in wanted if n.memory_id == memory_id], anew)
        for memory_id in method.arenas
        if memory_id not in shared
    ]


def replan(method: Method, *, force: bool = False) -> list[Edit]:
    """The edits that give a method the best plan found, arena by arena.

    Args:
        method: The method.
        force: Also where the plan is not smaller, because the file's own is wrong.

    Raises:
        CannotPlan: Nothing sound can be said about when bytes are needed, or tensors share some
            that may need them at the same time: with another plan, results may change.
    """
    if not force and _may_change_results(method):
        raise CannotPlan("tensors share bytes that they may need at the same time")
    edits: list[Edit] = []
    for plan in plan_again(method, anew=force):
        if force or plan.after < plan.before:
            for v, offset in plan.places.items():
                edits.append(Relocate(method.index, v, plan.memory_id, offset))
            edits.append(ResizeArena(method.index, plan.memory_id, plan.after))
    return edits


def _may_change_results(method: Method) -> bool:
    live = method.liveness
    return bool(live.conflicts) or any(
        (each.written.start, each.written.end) != (each.read.start, each.read.end)
        for each in live.shared_steps
    )


def _plan_arena(method: Method, memory_id: int, wanted: Sequence[Need], anew: bool) -> ArenaPlan:
    arena = method.arenas[memory_id]
    extra = padding(method) if wanted else 0
    best = arrange(wanted, _alignment(method, wanted, arena.size))
    places, size = dict(_spread(wanted, best.offsets)), best.size + extra
    kept = None if anew else _as_in_the_file(method, wanted)
    for other in (kept, _as_exported(method, memory_id)):
        if other is not None and other[1] + extra <= size and _is_sound(wanted, other[0]):
            places, size = other[0], other[1] + extra
    before = max(arena.size, 0)
    # What is written anew within a block is free in between, which intervals do not know: the
    # file's plan may need less than they say.
    bound = min(best.bound + extra, size if anew else min(size, before))
    return ArenaPlan(memory_id, str(arena.device), before, size, bound, places)


def _shared_arenas(method: Method) -> set[int]:
    """Arenas in which another method keeps state where this one has a tensor.

    A runner may give both the same memory (`share_mutable_buffers`), so both plans would change.
    """
    plans = method.program.execution_plan or ()
    others = (*plans[: method.index], *plans[method.index + 1 :])
    kept = {place for plan in others for place in kept_places(plan) if place is not None}
    return {place[0] for v in method.tensors if (place := method.place(v)) in kept and place}


def _spread(wanted: Sequence[Need], offsets: Sequence[int]) -> Iterator[tuple[int, int]]:
    for need, offset in zip(wanted, offsets, strict=True):
        for v in need.members:
            yield v, offset


def _as_in_the_file(method: Method, wanted: Sequence[Need]) -> tuple[dict[int, int], int]:
    """Where the tensors are now, and the end of the last of them, aligned."""
    places = {v: place[1] for need in wanted for v in need.members if (place := method.place(v))}
    end = max((places[need.members[0]] + need.size for need in wanted), default=0)
    return places, -(-end // ALIGNMENT) * ALIGNMENT


def _as_exported(method: Method, memory_id: int) -> tuple[dict[int, int], int] | None:
    """What the exporter's default algorithm does, where the file was planned with it."""
    found = allocations(method, memory_id, ())
    if found is None:
        return None
    places = {v: allocation.offset for allocation in found for v in allocation.members}
    return places, max((allocation.offset + allocation.size for allocation in found), default=0)


def _is_sound(wanted: Sequence[Need], places: Mapping[int, int]) -> bool:
    """Whether no two that are needed at the same time meet, and views are where their base is."""
    for need in wanted:
        if len({places.get(v) for v in need.members}) != 1 or need.members[0] not in places:
            return False
    starts = [places[need.members[0]] for need in wanted]
    order = sorted(range(len(wanted)), key=starts.__getitem__)
    near: list[int] = []
    for n in order:
        near = [m for m in near if starts[m] + wanted[m].size > starts[n]]
        if any(wanted[m].meets(wanted[n]) for m in near):
            return False
        near.append(n)
    return True


def _alignment(method: Method, wanted: Sequence[Need], size: int) -> int:
    """The alignment that the file's plan keeps."""
    offsets = {place[1] for need in wanted if (place := method.place(need.members[0]))}
    # The size is a sum of aligned ones, too.
    common = gcd(size, *offsets)
    kept = common & -common if common else ALIGNMENT
    return min(max(kept, ALIGNMENT), _MOST_ALIGNMENT)


__all__ = ["ArenaPlan", "CannotPlan", "peak", "plan_again", "replan"]
