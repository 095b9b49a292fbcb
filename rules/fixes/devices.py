"""Repairs of tags and arenas that name different devices."""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.rules.fixes.finding import method_of, step_of, value_of
from pte_lint.rules.fixes.wishes import goal, move, put, tags_in

from pte_lint.claims.finding import Finding
from pte_lint.data.context import Context
from pte_lint.edits.calls import CopyBefore
from pte_lint.edits.draft import Edit
from pte_lint.edits.fixer import fixer
from pte_lint.edits.memory import DropArenaEntries, PlaceArena, Retag
from pte_lint.edits.plan_draft import EditError
from pte_lint.ir.device import HOST, HomeKind
from pte_lint.ir.steps import StepKind
from pte_lint.questions.method import Method


@fixer("PTE308", "put the tensor, or its whole arena, where its users want it", safe=True)
def move_to_tag(finding: Finding, context: Context) -> Iterator[Edit]:
    """Tag or arena is wrong: the instructions that use the tensor tell which."""
    yield from _agree(method_of(finding, context), value_of(finding))


@fixer("PTE309", "put the tensor, or its whole arena, where its users want it", safe=True)
def move_to_host(finding: Finding, context: Context) -> Iterator[Edit]:
    """As for PTE308."""
    yield from _agree(method_of(finding, context), value_of(finding))


@fixer("PTE311", "let tag, arena and delegate name one device", safe=True)
def agree_on_index(finding: Finding, context: Context) -> Iterator[Edit]:
    """The host has no index; a tensor goes between devices through the host."""
    method, v = method_of(finding, context), value_of(finding)
    tag, home = method.tag(v), method.home(v)
    if tag.is_host:
        yield Retag(method.index, v, HOST)
        return
    if tag == home.device and tag.index >= 0:
        called = {s.target for s in method.steps if s.kind is StepKind.DELEGATE}
        if len(called) < len(method.plan.delegates or ()):
            raise EditError("a delegate is never called: the call may be meant for it")
        if finding.location.instruction is not None:
            yield from _through_the_host(finding, method, v)
            return
    yield from _agree(method, v)


def _agree(method: Method, v: int) -> Iterator[Edit]:
    home, tag = method.home(v), method.tag(v)
    if home.kind is not HomeKind.ARENA or home.memory_id is None:
        raise EditError("the tensor is not planned")
    where = goal(method, v)
    if where is not None:
        yield from put(method, v, where)
    elif tag.index >= 0 and tag != home.device:
        # Nobody needs it anywhere: an arena whose tensors all have one tag was meant to be there.
        yield move(method, v, tag)
    else:
        raise EditError("which of the devices is meant cannot be told from the file")


def _through_the_host(finding: Finding, method: Method, v: int) -> Iterator[Edit]:
    """What one device's delegate wrote and another's reads is copied to the host and on."""
    step = step_of(finding, method)
    target = method.placement.target(step)
    if target is None or target.device is None or v not in step.reads or v in step.writes:
        raise EditError("which of the devices is meant cannot be told from the file")
    yield CopyBefore(method.index, step.index, v, target.device)


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
    tags = tags_in(method, memory_id)
    if len(tags) != 1:
        raise EditError("the tags of its tensors do not tell where the arena belongs")
    yield PlaceArena(method.index, memory_id, tags.pop())
