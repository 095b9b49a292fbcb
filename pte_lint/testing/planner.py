"""Memory planning for built methods: every tensor gets its own range, nothing overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pte_lint.schema.program import AllocationDetails, NonConstBufferDevice
from pte_lint.testing.device import HOST

# Explicit arena numbers beyond this one are written as given and get no arena.
LAST_ARENA = 64


@dataclass(frozen=True)
class Placement:
    """A planned tensor.

    Attributes:
        value: Index of its value.
        nbytes: Its size in bytes.
        home: Device type and index of the memory it shall lie in.
        memory_id: Its arena, when the test chooses it.
        offset: Its offset in the arena in bytes, when the test chooses it.
    """

    value: int
    nbytes: int
    home: tuple[int, int] = HOST
    memory_id: int | None = None
    offset: int | None = None


@dataclass(frozen=True)
class Plan:
    """What planning gives a method: ranges by value, arena sizes and the device list."""

    ranges: dict[int, AllocationDetails]
    sizes: tuple[int, ...]
    devices: tuple[NonConstBufferDevice, ...] | None


def plan_memory(placements: Sequence[Placement], alignment: int = 16) -> Plan:
    """Places tensors one after the other, in an arena for each home.

    Arenas are numbered as the exporter does: host first, then devices by type and index. A chosen
    ``memory_id`` makes that arena; its home is that of the first tensor in it. Arenas grow to
    hold every tensor in them, chosen offsets included.

    Args:
        placements: The planned tensors, in the order they are laid out.
        alignment: Alignment of ranges that the planner chooses, in bytes.
    """
    homes: dict[int, tuple[int, int]] = {}
    for each in placements:
        if each.memory_id is not None and 1 <= each.memory_id <= LAST_ARENA:
            homes.setdefault(each.memory_id, each.home)
    arenas = {home: number for number, home in reversed(homes.items())}
    for home in sorted({each.home for each in placements if each.memory_id is None}):
        if home not in arenas:
            number = next(n for n in range(1, LAST_ARENA + 2) if n not in homes)
            homes[number] = home
            arenas[home] = number
    ends = dict.fromkeys(range(1, max(homes, default=0) + 1), 0)
    ranges = {}
    for each in placements:
        memory_id = arenas[each.home] if each.memory_id is None else each.memory_id
        end = ends.get(memory_id, 0)
        offset = end + -end % alignment if each.offset is None else each.offset
        ranges[each.value] = AllocationDetails(memory_id, offset & 0xFFFFFFFF, offset >> 32)
        if memory_id in ends:
            ends[memory_id] = max(end, offset + each.nbytes)
    devices = tuple(
        NonConstBufferDevice(number, *homes[number])
        for number in sorted(homes)
        if homes[number] != HOST
    )
    return Plan(ranges, (0, *ends.values()), devices or None)
