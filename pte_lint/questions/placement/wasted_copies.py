"""Boundary copies that move nothing new: round trips, repetitions, dead copies, constants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pte_lint.interpret.flow import flow_of
from pte_lint.interpret.reaching import START
from pte_lint.interpret.residency import residency_of
from pte_lint.ir.device import Device
from pte_lint.questions.placement.copies import BoundaryCopy
from pte_lint.questions.placement.device_facts import DeviceFacts
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.str_enum import StrEnum

if TYPE_CHECKING:
    from pte_lint.ir.method import Method


class Waste(StrEnum):
    """Why a copy need not be made."""

    ROUND_TRIP = "round trip"
    REPEATED = "repeated"
    DEAD = "dead"
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class WastedCopy:
    """One copy that could be saved, with the bytes per call that this would save.

    `other` is the step of the copy that makes this one superfluous: the first half of a round
    trip, or the earlier copy of the same data.
    """

    copy: BoundaryCopy
    waste: Waste
    other: int | None
    nbytes: int


def wasted_copies(method: Method, placement: DeviceFacts) -> Iterator[WastedCopy]:
    """Yields each wasteful copy once, for the first reason that holds, in order."""
    by_step = {c.step.index: c for c in placement.copies}
    seen: dict[tuple[int, Device, bool, frozenset[int]], int] = {}
    reachable = flow_of(method).reachable
    for copy in placement.copies:
        if copy.nbytes == 0 or not reachable[copy.step.index]:
            continue
        if _is_moved(method, copy):
            continue  # what a branch decides is judged by nobody here
        if _is_dead(method, placement, copy):
            yield WastedCopy(copy, Waste.DEAD, None, copy.nbytes)
            continue
        trip = _round_trip(method, placement, copy, by_step)
        if trip is not None:
            both = copy.nbytes + (trip.nbytes if _only_reader(method, copy, trip) else 0)
            yield WastedCopy(copy, Waste.ROUND_TRIP, trip.step.index, both)
            continue
        version = placement.producers.reaching(copy.step, copy.source)
        key = (copy.source, copy.device(method), copy.to_device, version)
        earlier = seen.get(key)
        if earlier is not None:
            if _is_intact(method, by_step, earlier):
                yield WastedCopy(copy, Waste.REPEATED, earlier, copy.nbytes)
        elif copy.to_device and _is_constant(method, copy.source):
            yield WastedCopy(copy, Waste.CONSTANT, None, copy.nbytes)
        if earlier is None and not flow_of(method).is_conditional(copy.step.index):
            seen[key] = copy.step.index


def _is_moved(method: Method, copy: BoundaryCopy) -> bool:
    residency = residency_of(method)
    return residency.is_moved(copy.source) or residency.is_moved(copy.target)


def _is_constant(method: Method, v: int) -> bool:
    return method.is_constant(v) or (method.is_external(v) and not method.is_planned(v))


def _is_intact(method: Method, by_step: dict[int, BoundaryCopy], earlier: int) -> bool:
    """True when nothing but boundary copies writes what the earlier copy made."""
    return all(w in by_step for w in method.writers(by_step[earlier].target))


def _is_dead(method: Method, placement: DeviceFacts, copy: BoundaryCopy) -> bool:
    """True when nobody ever reads the target, under its own name or as a view of its storage."""
    v = copy.target
    if method.is_output[v] or method.is_input[v] or method.readers(v):
        return False
    return not any(
        _is_seen_after(method, u, copy)
        for u in placement.producers.storage_mates(v)
        if not method.writers(u)
    )


def _is_seen_after(method: Method, u: int, copy: BoundaryCopy) -> bool:
    """True when a view of the copy's target may be read once the copy is made."""
    if method.is_output[u]:
        return True
    loops = flow_of(method).is_conditional(copy.step.index)
    return any(loops or r > copy.step.index for r in method.readers(u))


def _round_trip(
    method: Method, placement: DeviceFacts, copy: BoundaryCopy, by_step: dict[int, BoundaryCopy]
) -> BoundaryCopy | None:
    """The copy to the host that a copy to the same device undoes; None if it is no such pair."""
    if not copy.to_device:
        return None
    producers = placement.producers
    defs = producers.reaching(copy.step, copy.source)
    if len(defs) != 1 or START in defs:
        return None
    first = by_step.get(next(iter(defs)))
    if first is None or first.to_device or _is_moved(method, first):
        return None
    if first.device(method) != copy.device(method):
        return None
    rewritten = any(first.step.index < w < copy.step.index for w in method.writers(first.source))
    return None if rewritten else first


def _only_reader(method: Method, copy: BoundaryCopy, trip: BoundaryCopy) -> bool:
    """True when the host copy in the middle of a round trip serves nobody else."""
    v = trip.target
    return not method.is_output[v] and list(method.readers(v)) == [copy.step.index]
