"""Arenas: the planned buffers of a method."""

from __future__ import annotations

from pte_lint.ir.device import HOST, Device, device
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import ExecutionPlan


@dataclass(frozen=True, slots=True)
class Arena:
    """One planned buffer."""

    memory_id: int
    size: int
    device: Device
    entry: int | None = None
    """Position in non_const_buffer_device of the entry that placed it; None: host by default."""


def arenas_of(plan: ExecutionPlan) -> dict[int, Arena]:
    """Arenas by memory_id. Index 0 of the file's list is reserved and never an arena.

    The device is that of the first entry with this buffer_idx
    (`MethodMeta::memory_planned_buffer_device`, runtime/executor/method_meta.cpp).
    """
    first: dict[int, int] = {}
    entries = plan.non_const_buffer_device or ()
    for position, entry in enumerate(entries):
        first.setdefault(entry.buffer_idx, position)
    arenas: dict[int, Arena] = {}
    for memory_id, size in enumerate(plan.non_const_buffer_sizes or ()):
        if memory_id == 0:
            continue
        where, used = HOST, first.get(memory_id)
        if used is not None:
            where = device(entries[used].device_type, entries[used].device_index)
        arenas[memory_id] = Arena(memory_id, size, where, used)
    return arenas
