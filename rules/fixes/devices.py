"""Repairs of tags and arenas that name different devices."""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.rules.fixes.finding import method_of, value_of

from pte_lint.analysis.device import Device, HomeKind
from pte_lint.analysis.method import Method
from pte_lint.context import Context
from pte_lint.edits.draft import Edit
from pte_lint.edits.fixer import fixer
from pte_lint.edits.memory import DropArenaEntries, PlaceArena, Plan, Retag
from pte_lint.edits.plan_draft import EditError
from pte_lint.finding import Finding


@fixer("PTE308", "put the tensor, or its whole arena, on the device of its tag", safe=True)
def move_to_tag(finding: Finding, context: Context) -> Iterator[Edit]:
    """An arena whose tensors all have one tag was meant to be there."""
    yield _where_the_tag_says(method_of(finding, context), value_of(finding))


@fixer("PTE309", "put the tensor, or its whole arena, on the host", safe=True)
def move_to_host(finding: Finding, context: Context) -> Iterator[Edit]:
    """The tag says the host, and so do all who use the tensor."""
    yield _where_the_tag_says(method_of(finding, context), value_of(finding))


@fixer("PTE311", "let tag and arena name one device", safe=True)
def agree_on_index(finding: Finding, context: Context) -> Iterator[Edit]:
    """The host has no index; a tensor on the wrong device moves to that of its tag."""
    method, v = method_of(finding, context), value_of(finding)
    tag, home = method.tag(v), method.home(v)
    if tag.is_host:
        yield Retag(method.index, v, Device(tag.type, 0))
    elif home.kind is HomeKind.ARENA and home.device != tag and tag.index >= 0:
        yield _where_the_tag_says(method, v)
    else:
        raise EditError("which of the devices is meant cannot be told from the file")


def _where_the_tag_says(method: Method, v: int) -> Edit:
    home = method.home(v)
    if home.kind is not HomeKind.ARENA or home.memory_id is None:
        raise EditError("the tensor is not planned")
    tag = method.tag(v)
    if tag == home.device:
        raise EditError("tag and arena agree")
    neighbours = {method.tag(w) for w in method.tensors if _arena(method, w) == home.memory_id}
    if neighbours == {tag}:
        return PlaceArena(method.index, home.memory_id, tag)
    if method.has_initial_state(v) or method.liveness.storage.is_state(v):
        raise EditError("the tensor is state, which other methods may keep at the same place")
    return Plan(method.index, method.liveness.storage.together(v))


def _arena(method: Method, v: int) -> int | None:
    place = method.place(v)
    return place[0] if place is not None else None


@fixer("PTE310", "leave out the entry, or place the arena where its tensors are tagged", safe=True)
def mend_arena_entry(finding: Finding, context: Context) -> Iterator[Edit]:
    """Entries that nobody looks at go; one that no allocator serves follows the tags."""
    method = method_of(finding, context)
    entries = method.plan.non_const_buffer_device or ()
    position = int(finding.location.path.rpartition("[")[2].rstrip("]"))
    memory_id = entries[position].buffer_idx
    first = next(n for n, entry in enumerate(entries) if entry.buffer_idx == memory_id)
    if memory_id == 0 or memory_id not in method.arenas or first != position:
        yield DropArenaEntries(method.index, (position,))
        return
    tags = {method.tag(v) for v in method.tensors if _arena(method, v) == memory_id}
    if len(tags) != 1:
        raise EditError("the tags of its tensors do not tell where the arena belongs")
    yield PlaceArena(method.index, memory_id, tags.pop())
