"""The memory plan of a method as data: which bytes of which arena belong to whom, and when.

One tenant is the tensors of one storage: a tensor with its views. It lives from the first to the
last instruction that uses it; in a method with jumps also wherever control flow keeps its content
needed. Time counts as in `planning.lifetime`: -1 is before the first instruction, when inputs are
set, and the number of instructions is after the last one, when outputs are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pte_lint.inspection.tensors import tensor_type
from pte_lint.picture.marks import Mark, MethodMarks, Overlap
from pte_lint.questions.arena_use import Tenancy, largest, peak, tenancies
from pte_lint.questions.largest_tensors import WORTH_TELLING, largest_tenants
from pte_lint.questions.method import Arena, Method
from pte_lint.questions.planning import allocations
from pte_lint.report.phrases import human_bytes
from pte_lint.schema.frozen import dataclass, field
from pte_lint.schema.str_enum import StrEnum
from pte_lint.text.sanitise import name


class Role(StrEnum):
    """What a tenant is to the method; where it is several things, the first of these."""

    STATE = "state"
    INPUT = "input"
    OUTPUT = "output"
    OTHER = "intermediate"


@dataclass(frozen=True, slots=True)
class Tenant:
    """Bytes [start, start + nbytes) of an arena, needed from step `first` to step `last`."""

    method: Method = field(repr=False, compare=False)
    values: tuple[int, ...]
    role: Role
    start: int
    nbytes: int
    first: int
    last: int
    marks: tuple[Mark, ...] = ()

    @property
    def label(self) -> str:
        """`input 0`, the name of a state, `%7`, and further views counted."""
        return _label(self.method, self.values)

    @property
    def type(self) -> str:
        """Element type and sizes of the largest of the tensors."""
        tensor = self.method.tensor(largest(self.method, self.values))
        return name(str(tensor_type(tensor))) if tensor is not None else ""

    @property
    def end(self) -> int:
        """The byte after the last one."""
        return self.start + self.nbytes


@dataclass(frozen=True, slots=True)
class ArenaPicture:
    """One arena. `peak` is the most bytes needed at once, first reached at step `peak_at`."""

    arena: Arena
    steps: int
    tenants: tuple[Tenant, ...]
    peak: int
    peak_at: int
    overlaps: tuple[Overlap, ...] = ()
    growth: str = ""
    """What bounds the largest tensor, of an arena that is worth a look."""

    @property
    def device(self) -> str:
        """Where the arena is: `host`, `cuda:0`."""
        return "host" if self.arena.device.is_host else str(self.arena.device)

    @property
    def size(self) -> int:
        """Bytes of the arena as planned."""
        return max(self.arena.size, 0)

    @property
    def extent(self) -> int:
        """Bytes that a picture must show: all of the arena, and tenants that leave it."""
        return max([self.size, *(t.end for t in self.tenants)], default=0)

    @property
    def wasted(self) -> int:
        """Bytes that the arena has beyond what is ever needed at once."""
        return max(self.size - self.peak, 0)


@dataclass(frozen=True, slots=True)
class Replanned:
    """What an arena becomes when tensors are no longer planned in it.

    `picture` is None where only the size can be told, or where nothing is left.
    """

    size: int
    dropped: tuple[Tenant, ...]
    picture: ArenaPicture | None


def arena_pictures(method: Method, marks: MethodMarks) -> tuple[ArenaPicture, ...]:
    """Draws up every arena of a method, by memory_id."""
    known = tenancies(method)
    return tuple(
        _picture(
            method,
            arena,
            tuple(_tenant(method, each, marks) for each in known.get(memory_id, ())),
            marks,
        )
        for memory_id, arena in method.arenas.items()
    )


def replanned(
    method: Method, picture: ArenaPicture, without: Sequence[int], size: int
) -> Replanned:
    """An arena after a fix.

    Args:
        method: the method.
        picture: the arena as it is.
        without: tensors that the fix takes out of it.
        size: bytes of the arena then.
    """
    out = frozenset(without)
    dropped = tuple(
        sorted(
            (t for t in picture.tenants if all(v in out for v in t.values)),
            key=lambda t: without.index(next(v for v in without if v in t.values)),
        )
    )
    left = {t.values: t for t in picture.tenants if t not in dropped}
    found = allocations(method, picture.arena.memory_id, without)
    if not left or found is None or max((s.offset + s.size for s in found), default=0) != size:
        return Replanned(size, dropped, None)
    moved = []
    for allocation in found:
        old = left.get(tuple(sorted(allocation.members)))
        if old is None:
            return Replanned(size, dropped, None)
        moved.append(replace(old, start=allocation.offset))
    arena = Arena(picture.arena.memory_id, size, picture.arena.device)
    return Replanned(size, dropped, _measured(arena, picture.steps, tuple(moved)))


def _picture(
    method: Method, arena: Arena, tenants: tuple[Tenant, ...], marks: MethodMarks
) -> ArenaPicture:
    overlaps = tuple(o for o in marks.overlaps if o.memory_id == arena.memory_id)
    picture = _measured(arena, len(method.steps), tenants, overlaps)
    if arena.size < WORTH_TELLING:
        return picture
    grown = (t for t in largest_tenants(method, arena.memory_id) if t.bounded_by)
    return replace(picture, growth=next((f"{t.name}: {t.growth()}" for t in grown), ""))


def _measured(
    arena: Arena, steps: int, tenants: tuple[Tenant, ...], overlaps: tuple[Overlap, ...] = ()
) -> ArenaPicture:
    most, most_at = peak(tenants)
    ordered = tuple(sorted(tenants, key=lambda t: (t.start, t.first, t.values)))
    return ArenaPicture(arena, steps, ordered, most, most_at, overlaps)


def facts(picture: ArenaPicture) -> tuple[str, ...]:
    """An arena in numbers: what is planned, the peak, and what is wasted."""
    told = [f"{human_bytes(picture.size)} planned"]
    if picture.peak:
        at = "set_input" if picture.peak_at < 0 else f"instruction {picture.peak_at}"
        if picture.peak_at >= picture.steps:
            at = "get_output"
        told.append(f"peak {human_bytes(picture.peak)} at {at}")
    told.append(f"{human_bytes(picture.wasted)} wasted")
    if picture.growth:
        told.append(picture.growth)
    return tuple(told)


def names(labels: Iterable[str]) -> str:
    """`input 0, input 1`, and the rest counted."""
    known = list(labels)
    more = f" and {len(known) - 4} more" if len(known) > 4 else ""
    return ", ".join(known[:4]) + more


def _tenant(method: Method, tenancy: Tenancy, marks: MethodMarks) -> Tenant:
    found = [mark for v in tenancy.values for mark in marks.values.get(v, ())]
    return Tenant(
        method,
        tenancy.values,
        _role(method, tenancy.values),
        tenancy.start,
        tenancy.nbytes,
        tenancy.first,
        tenancy.last,
        tuple(sorted(dict.fromkeys(found), key=lambda m: m.severity.rank)) if found else (),
    )


def _role(method: Method, values: Sequence[int]) -> Role:
    if any(method.liveness.storage.is_state(v) for v in values):
        return Role.STATE
    if any(method.is_input[v] for v in values):
        return Role.INPUT
    if any(method.is_output[v] for v in values):
        return Role.OUTPUT
    return Role.OTHER


def _label(method: Method, values: Sequence[int]) -> str:
    known = [v for v in values if method.is_input[v] or method.is_output[v]]
    v = known[0] if known else values[0]
    text = method.describe(v) if known else f"%{v}"
    tensor = method.tensor(v)
    extra = tensor.extra_tensor_info if tensor is not None else None
    if extra is not None and extra.fully_qualified_name and not known:
        text = extra.fully_qualified_name
    more = len(values) - 1
    return name(text) + (f" and {more} view{'' if more == 1 else 's'}" if more else "")
