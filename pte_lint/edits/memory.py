"""Edits of where tensors live: planned or not, in which place, in which arena, on which device."""

from __future__ import annotations

from dataclasses import replace

from pte_lint.edits.draft import Draft
from pte_lint.edits.plan_draft import EditError, PlanDraft
from pte_lint.ir.device import HOST, Device
from pte_lint.ir.tensor_size import tensor_nbytes
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import (
    AllocationDetails,
    ExtraTensorInfo,
    NonConstBufferDevice,
    Tensor,
)

ALIGNMENT = 16
"""The exporter's alignment of places in bytes (exir/memory_planning_pass.py)."""


def details(memory_id: int, offset: int) -> AllocationDetails:
    """A place in an arena."""
    return AllocationDetails(memory_id, offset & 0xFFFFFFFF, offset >> 32)


def arena_device(plan: PlanDraft, memory_id: int) -> Device:
    """Where an arena lies: the first entry for it decides (`memory_planned_buffer_device`)."""
    for entry in plan.devices:
        if entry.buffer_idx == memory_id:
            return Device(entry.device_type, entry.device_index)
    return HOST


def allocate(plan: PlanDraft, tensor: Tensor, where: Device) -> AllocationDetails:
    """A place of its own at the end of the device's last arena, which grows; else a new arena.

    Planning the method again finds a better one.
    """
    if not plan.sizes:
        plan.sizes.append(0)  # entry 0 is reserved
    chosen = next(
        (m for m in range(len(plan.sizes) - 1, 0, -1) if arena_device(plan, m) == where), None
    )
    if chosen is None:
        chosen = len(plan.sizes)
        plan.sizes.append(0)
        if not where.is_host:
            plan.devices.append(NonConstBufferDevice(chosen, where.type, where.index))
    offset = -(-plan.sizes[chosen] // ALIGNMENT) * ALIGNMENT
    plan.sizes[chosen] = offset + tensor_nbytes(tensor)
    return details(chosen, offset)


def tagged(tensor: Tensor, where: Device) -> Tensor:
    """The tensor with a device tag; what says nothing any more is left out."""
    extra = replace(
        tensor.extra_tensor_info or ExtraTensorInfo(),
        device_type=where.type,
        device_index=where.index,
    )
    return replace(tensor, extra_tensor_info=None if extra == ExtraTensorInfo() else extra)


@dataclass(frozen=True, slots=True)
class Unplan:
    """Takes tensors out of their arenas: the caller gives their memory.

    The arenas stay as they are, unless the method is planned again.
    """

    plan: int
    values: tuple[int, ...]
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        for v in self.values:
            draft.plan(self.plan).change_tensor(v, allocation_info=None)


@dataclass(frozen=True, slots=True)
class Plan:
    """Gives a tensor memory of its own on the device of its tag: nobody else has to.

    Several values are views of one storage, and get one place.
    """

    plan: int
    values: tuple[int, ...]
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        largest = max(map(plan.tensor, self.values), key=tensor_nbytes)
        extra = largest.extra_tensor_info or ExtraTensorInfo()
        place = allocate(plan, largest, Device(extra.device_type, extra.device_index))
        for v in self.values:
            plan.change_tensor(v, allocation_info=place)


@dataclass(frozen=True, slots=True)
class OwnArena:
    """Gives a tensor an arena of its own, the method's last one, on the device of its tag.

    Tensors `beside` it in its old arena come along, and keep their distance from it.
    """

    plan: int
    value: int
    beside: tuple[int, ...] = ()
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        tensor = plan.tensor(self.value)
        extra = tensor.extra_tensor_info or ExtraTensorInfo()
        where = Device(extra.device_type, extra.device_index)
        if not plan.sizes:
            plan.sizes.append(0)  # entry 0 is reserved
        memory_id = len(plan.sizes)
        offsets = {self.value: 0}
        for v in (self.value, *self.beside) if self.beside else ():
            info = plan.tensor(v).allocation_info
            if info is None:
                raise EditError(f"value {v} has no place")
            offsets[v] = info.memory_offset
        least = min(offsets.values())
        end = max(at + tensor_nbytes(plan.tensor(v)) for v, at in offsets.items())
        plan.sizes.append(max(end - least, ALIGNMENT))
        if not where.is_host:
            plan.devices.append(NonConstBufferDevice(memory_id, where.type, where.index))
        for v, at in offsets.items():
            place = details(memory_id, at - least)
            plan.change_tensor(v, allocation_info=place, data_buffer_idx=0)


@dataclass(frozen=True, slots=True)
class Reshape:
    """Gives a planned tensor the element type, sizes and dim order of another, and a new place."""

    plan: int
    value: int
    like: int
    is_safe: bool = False

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        model, tensor = plan.tensor(self.like), plan.tensor(self.value)
        if tensor.data_buffer_idx:
            raise EditError(f"value {self.value} has data of its own form")
        plan.change_tensor(
            self.value,
            scalar_type=model.scalar_type,
            sizes=model.sizes,
            dim_order=model.dim_order,
            shape_dynamism=model.shape_dynamism,
        )
        if tensor.allocation_info is not None:
            Plan(self.plan, (self.value,)).apply(draft)


@dataclass(frozen=True, slots=True)
class Relocate:
    """Moves a tensor to another place; which arena, and the byte offset there."""

    plan: int
    value: int
    memory_id: int
    offset: int
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        plan.change_tensor(self.value, allocation_info=details(self.memory_id, self.offset))


@dataclass(frozen=True, slots=True)
class ResizeArena:
    """Sets the bytes of an arena."""

    plan: int
    memory_id: int
    size: int
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        sizes = draft.plan(self.plan).sizes
        if not 0 < self.memory_id < len(sizes):
            raise EditError(f"there is no arena {self.memory_id}")
        sizes[self.memory_id] = self.size


@dataclass(frozen=True, slots=True)
class PlaceArena:
    """Says on which device an arena lies; entries that nobody looks at go."""

    plan: int
    memory_id: int
    where: Device
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        plan.devices = [entry for entry in plan.devices if entry.buffer_idx != self.memory_id]
        if not self.where.is_host:
            entry = NonConstBufferDevice(self.memory_id, self.where.type, self.where.index)
            plan.devices = sorted([*plan.devices, entry], key=lambda e: e.buffer_idx)


@dataclass(frozen=True, slots=True)
class Retag:
    """Sets the device that a tensor's metadata claims."""

    plan: int
    value: int
    where: Device
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        extra = tagged(plan.tensor(self.value), self.where).extra_tensor_info
        plan.change_tensor(self.value, extra_tensor_info=extra)


@dataclass(frozen=True, slots=True)
class DropArenaEntries:
    """Leaves entries of the list of arena devices out that nobody looks at, by position."""

    plan: int
    entries: tuple[int, ...]
    is_safe: bool = True

    def apply(self, draft: Draft) -> None:
        """See `Edit`."""
        plan = draft.plan(self.plan)
        plan.devices = [e for n, e in enumerate(plan.devices) if n not in self.entries]
