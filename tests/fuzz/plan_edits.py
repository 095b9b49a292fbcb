"""Edits of where things live: ranges, arenas, devices, constants, state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from pte_lint.schema.enums import element_size
from pte_lint.schema.program import (
    AllocationDetails,
    ExecutionPlan,
    ExtraTensorInfo,
    NonConstBufferDevice,
    Program,
    Tensor,
)

from tests.fuzz.edits import FieldEdit

_DEVICES = ((0, 0), (1, 0), (1, 0), (1, 1), (1, -1), (1, 5), (2, 0), (-1, 0))


class Chosen:
    """A method drawn at random, with the tensors in it."""

    def __init__(self, rng: Random, program: Program) -> None:
        """Draws a method.

        Raises:
            LookupError: There is none.
        """
        plans = program.execution_plan or ()
        if not plans:
            raise LookupError("no method")
        number = rng.randrange(len(plans))
        self.rng = rng
        self.program = program
        self.plan: ExecutionPlan = plans[number]
        self.path = f"execution_plan[{number}]"
        self.values = self.plan.values or ()

    def tensor(self, wanted: Callable[[Tensor], bool] = lambda _: True) -> tuple[str, Tensor]:
        """A tensor and its path.

        Raises:
            LookupError: No tensor is as wanted.
        """
        found = [
            (f"{self.path}.values[{index}].val", each.val)
            for index, each in enumerate(self.values)
            if each is not None and isinstance(each.val, Tensor) and wanted(each.val)
        ]
        if not found:
            raise LookupError("no such tensor")
        return self.rng.choice(found)


def _planned(tensor: Tensor) -> bool:
    return tensor.allocation_info is not None


def _bytes_of(tensor: Tensor) -> int:
    count = 1
    for size in tensor.sizes or ():
        count *= max(size, 0)
    return count * (element_size(tensor.scalar_type) or 1)


def retag(at: Chosen) -> FieldEdit:
    """Another device in a tensor's metadata."""
    path, tensor = at.tensor()
    kind, index = at.rng.choice(_DEVICES)
    extra = tensor.extra_tensor_info or ExtraTensorInfo()
    extra = replace(extra, device_type=kind, device_index=index)
    return FieldEdit("plan", ((f"{path}.extra_tensor_info", extra),), f"tagged {kind}:{index}")


def rehome(at: Chosen) -> FieldEdit:
    """Another arena for a planned tensor."""
    path, tensor = at.tensor(_planned)
    arena = at.rng.randrange(len(at.plan.non_const_buffer_sizes or ()) + 2)
    place = replace(tensor.allocation_info, memory_id=arena)  # type: ignore[type-var]
    return FieldEdit("plan", ((f"{path}.allocation_info", place),), f"moved to arena {arena}")


def retag_and_rehome(at: Chosen) -> FieldEdit:
    """A tensor placed like another one: its tag and its arena."""
    path, tensor = at.tensor(_planned)
    _, other = at.tensor(_planned)
    assert tensor.allocation_info is not None
    assert other.allocation_info is not None
    place = replace(tensor.allocation_info, memory_id=other.allocation_info.memory_id)
    return FieldEdit(
        "plan",
        (
            (f"{path}.allocation_info", place),
            (f"{path}.extra_tensor_info", other.extra_tensor_info),
        ),
        "tag and arena of another tensor",
    )


def shift(at: Chosen) -> FieldEdit:
    """A planned tensor some bytes further on, or back."""
    path, tensor = at.tensor(_planned)
    assert tensor.allocation_info is not None
    by = at.rng.choice([1, 2, 4, 8, 16, 32, 64, -1, -4, -16, -32])
    low = max(0, tensor.allocation_info.memory_offset_low + by)
    return FieldEdit(
        "plan", ((f"{path}.allocation_info.memory_offset_low", low),), f"moved by {by} bytes"
    )


def on_top(at: Chosen) -> FieldEdit:
    """A planned tensor in the place of another."""
    path, _ = at.tensor(_planned)
    _, other = at.tensor(_planned)
    return FieldEdit(
        "plan", ((f"{path}.allocation_info", other.allocation_info),), "in the place of another"
    )


def unplan(at: Chosen) -> FieldEdit:
    """A planned tensor without memory."""
    path, _ = at.tensor(_planned)
    return FieldEdit("plan", ((f"{path}.allocation_info", None),), "not planned")


def plan(at: Chosen) -> FieldEdit:
    """Memory for a tensor that has none of its own."""
    path, tensor = at.tensor(lambda each: not _planned(each))
    arena = at.rng.randint(1, max(1, len(at.plan.non_const_buffer_sizes or ()) - 1))
    sizes = list(at.plan.non_const_buffer_sizes or (0, 0))
    start = 0
    changes: list[tuple[str, Any]] = []
    if arena < len(sizes):
        start = -(-max(0, sizes[arena]) // 16) * 16
        sizes[arena] = start + _bytes_of(tensor)
        changes.append((f"{at.path}.non_const_buffer_sizes", tuple(sizes)))
    changes.append((f"{path}.allocation_info", AllocationDetails(arena, start & 0xFFFFFFFF)))
    return FieldEdit("plan", tuple(changes), f"planned in arena {arena}")


def cut_arena(at: Chosen) -> FieldEdit:
    """An arena that is too small, or has room to spare."""
    sizes = list(at.plan.non_const_buffer_sizes or ())
    if len(sizes) < 2:
        raise LookupError("no arena")
    arena = at.rng.randrange(1, len(sizes))
    by = at.rng.choice([-1, -4, -16, -64, 1, 64, -sizes[arena], -sizes[arena] - 1])
    sizes[arena] += by
    return FieldEdit(
        "plan", ((f"{at.path}.non_const_buffer_sizes", tuple(sizes)),), f"arena {arena} {by:+}"
    )


def move_arena(at: Chosen) -> FieldEdit:
    """An arena on another device, or with an entry too many, or one less."""
    entries = list(at.plan.non_const_buffer_device or ())
    arena = at.rng.randint(-1, len(at.plan.non_const_buffer_sizes or ()))
    new = NonConstBufferDevice(arena, *at.rng.choice(_DEVICES))
    if entries and at.rng.random() < 0.5:
        position = at.rng.randrange(len(entries))
        if at.rng.random() < 0.4:
            del entries[position]
        else:
            entries[position] = replace(
                new, buffer_idx=at.rng.choice([arena, entries[position].buffer_idx])
            )
    else:
        entries.insert(at.rng.randint(0, len(entries)), new)
    return FieldEdit(
        "plan", ((f"{at.path}.non_const_buffer_device", tuple(entries)),), "arena devices"
    )


def swap_data(at: Chosen) -> FieldEdit:
    """Another data index: a constant becomes another one, or a planned tensor gets a state."""
    path, _ = at.tensor()
    offsets = at.program.constant_segment.offsets if at.program.constant_segment else None
    index = at.rng.randint(0, len(offsets or ()) + 1)
    return FieldEdit("plan", ((f"{path}.data_buffer_idx", index),), f"data {index}")


def resize(at: Chosen) -> FieldEdit:
    """Other sizes with the same number of elements, or one size changed."""
    path, tensor = at.tensor(lambda each: bool(each.sizes))
    sizes = list(tensor.sizes or ())
    position = at.rng.randrange(len(sizes))
    if at.rng.random() < 0.4 and len(sizes) > 1:
        sizes = [*sizes[1:], sizes[0]]
    else:
        sizes[position] = max(0, min(sizes[position] + at.rng.choice([1, -1, 7]), 2**31 - 1))
    return FieldEdit("plan", ((f"{path}.sizes", tuple(sizes)),), "other sizes")


def bound(at: Chosen) -> FieldEdit:
    """Another dynamism."""
    path, tensor = at.tensor()
    return FieldEdit(
        "plan", ((f"{path}.shape_dynamism", (tensor.shape_dynamism + 1) % 3),), "other dynamism"
    )


PLAN_EDITS: tuple[Callable[[Chosen], FieldEdit], ...] = (
    retag, retag, rehome, retag_and_rehome, shift, on_top, on_top, unplan, plan, cut_arena,
    move_arena, move_arena, swap_data, resize, bound,
)  # fmt: skip
