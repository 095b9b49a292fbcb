"""State: planned buffers whose content one run leaves to the next, and what methods share of it."""

from __future__ import annotations

from collections.abc import Iterable

from pte_lint.questions.method import Method
from pte_lint.schema.frozen import dataclass

SHARED_ARENA = 2
"""Where the exporter plans buffers that methods share (exir/passes/memory_planning_pass.py:
`share_mutable_buffers`); Module gives all methods one such arena where it is asked to
(extension/module/module.cpp: `make_planned_memory_with_shared_arenas`)."""


def without_content(method: Method) -> list[int]:
    """Buffers that are read before they are written, and whose first content is not in the file."""
    candidates = _candidates(method)
    if not candidates:
        return []
    storage = method.liveness.storage
    # What is needed no later than it is first written was there before.
    never = len(method.steps) + 1
    return [
        v
        for v in candidates
        if storage.first_use.get(v, never) <= method.writers(v)[0] and storage.is_state(v)
    ]


def _candidates(method: Method) -> list[int]:
    """Planned tensors without initial data that some step names before or as it writes them."""
    found = []
    for v in method.tensors:
        writers, readers = method.writers(v), method.readers(v)
        if writers and readers and readers[0] <= writers[0]:
            outside = method.is_input[v] or not method.is_planned(v)
            if not outside and not method.has_initial_state(v):
                found.append(v)
    return found


@dataclass(frozen=True, slots=True)
class SharedBuffer:
    """Bytes of the arena that methods share, and the tensor that each method has there."""

    offset: int
    uses: tuple[tuple[Method, int], ...]

    @property
    def agrees(self) -> bool:
        """Whether all methods take the bytes for a tensor of one type, shape and order."""
        kinds = {
            (t.scalar_type, t.sizes, t.dim_order)
            for method, v in self.uses
            if (t := method.tensor(v)) is not None
        }
        return len(kinds) <= 1


def shared_buffers(methods: Iterable[Method]) -> tuple[SharedBuffer, ...]:
    """The buffers at one place of the shared arena in two methods at least, by offset.

    Of the tensors at a place (a buffer and its views) the first of each method is taken.
    """
    found: dict[int, dict[int, tuple[Method, int]]] = {}
    for method in methods:
        if SHARED_ARENA not in method.arenas or not method.arenas[SHARED_ARENA].device.is_host:
            continue
        for v in method.tensors:
            place = method.place(v)
            if place is not None and place[0] == SHARED_ARENA:
                found.setdefault(place[1], {}).setdefault(method.index, (method, v))
    return tuple(
        SharedBuffer(offset, tuple(uses.values()))
        for offset, uses in sorted(found.items())
        if len(uses) > 1 and any(_keeps(method, v) for method, v in uses.values())
    )


def _keeps(method: Method, v: int) -> bool:
    return method.has_initial_state(v) or method.liveness.storage.is_state(v)
