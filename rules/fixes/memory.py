"""Repairs of memory plans."""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.rules.fixes.finding import method_of, value_of

from pte_lint.claims.finding import Finding
from pte_lint.data.context import Context
from pte_lint.edits.draft import Edit
from pte_lint.edits.fixer import fixer
from pte_lint.edits.memory import Plan, ResizeArena
from pte_lint.edits.plan_draft import EditError


@fixer("PTE201", "plan the tensor in an arena that is there", safe=True)
def plan_somewhere(finding: Finding, context: Context) -> Iterator[Edit]:
    """The method could not be loaded."""
    yield _planned_anew(finding, context)


@fixer("PTE202", "plan the tensor inside of its arena", safe=True)
def plan_inside(finding: Finding, context: Context) -> Iterator[Edit]:
    """The method could not be loaded."""
    yield _planned_anew(finding, context)


def _planned_anew(finding: Finding, context: Context) -> Edit:
    method, v = method_of(finding, context), value_of(finding)
    storage = method.liveness.storage
    if storage.is_state(v):
        raise EditError("the tensor is state, which other methods may keep at the same place")
    return Plan(method.index, storage.together(v))


@fixer("PTE203", "plan the method's memory again", safe=True, replans="always", needs_error=True)
def separate_lives(finding: Finding, context: Context) -> Iterator[Edit]:
    """What is needed at the same time gets bytes of its own."""
    yield from _only_a_plan(finding, context)


@fixer("PTE204", "plan the method's memory again", safe=True, replans="always", needs_error=True)
def separate_input_and_output(finding: Finding, context: Context) -> Iterator[Edit]:
    """An input and the output of one call get bytes of their own."""
    yield from _only_a_plan(finding, context)


@fixer("PTE205", "plan the method's memory again, aligned", safe=True, replans="always")
def align_places(finding: Finding, context: Context) -> Iterator[Edit]:
    """Planned places are aligned to 16 bytes and more."""
    yield from _only_a_plan(finding, context)


def _only_a_plan(finding: Finding, context: Context) -> Iterator[Edit]:
    method_of(finding, context)
    yield from ()


@fixer("PTE206", "give the arena the bytes that its tensors need", safe=True)
def right_size(finding: Finding, context: Context) -> Iterator[Edit]:
    """An arena ends where its last tensor does."""
    method = method_of(finding, context)
    memory_id = int(finding.location.path.rpartition("[")[2].rstrip("]"))
    used = int(finding.evidence.get("used", 0))
    if used == method.arenas[memory_id].size:
        raise EditError("its tensors need all of it")
    yield ResizeArena(method.index, memory_id, used)


@fixer("PTE207", "leave the unused arena without bytes", safe=True)
def empty_arena(finding: Finding, context: Context) -> Iterator[Edit]:
    """Arenas are numbered: the entry stays."""
    method = method_of(finding, context)
    memory_id = int(finding.location.path.rpartition("[")[2].rstrip("]"))
    if memory_id == 0:
        raise EditError("entry 0 is reserved and counts for nothing")
    yield ResizeArena(method.index, memory_id, 0)
