"""What a method needs while it runs: the most of each arena at once, and the allocators' share."""

from __future__ import annotations

from pte_lint.data.blobs import blobs
from pte_lint.data.context import Context
from pte_lint.data.method_memory import method_memory
from pte_lint.inspection.code import ArenaPeak, MemoryFacts, PeakTensor, TemporaryUse
from pte_lint.inspection.labels import label
from pte_lint.inspection.tensors import tensor_type
from pte_lint.questions.arena_use import Tenancy, largest, peak, tenancies
from pte_lint.questions.method import Method

_MOST = 32
"""Tensors at a peak that are told, the largest first."""


def memory_facts(method: Method, context: Context) -> MemoryFacts:
    """Collects them."""
    program = context.program
    asked = method_memory(
        method,
        blobs(method, context),
        has_data=bool(context.data),
        has_keys=program is not None and bool(program.named_data),
    )
    known = tenancies(method)
    return MemoryFacts(
        arenas=tuple(_peak(method, n, known.get(n, ())) for n in method.arenas),
        method_allocator=asked.allocator,
        beside_temporary=asked.allocator_beside_temporary,
        temporary_to_load=asked.lookup,
        temporary=tuple(
            TemporaryUse(each.step, label(each.operator), each.nbytes) for each in asked.temporary
        ),
        unknown=tuple(label(each) for each in asked.unknown),
    )


def _peak(method: Method, memory_id: int, all_of_it: tuple[Tenancy, ...]) -> ArenaPeak:
    nbytes, at = peak(all_of_it)
    there = [each for each in all_of_it if each.first <= at <= each.last]
    there.sort(key=lambda each: (-each.nbytes, each.start))
    operator = method.steps[at].operator if 0 <= at < len(method.steps) else None
    return ArenaPeak(
        memory_id=memory_id,
        nbytes=nbytes,
        instruction=at if operator is not None else None,
        operator=label(operator) if operator is not None else None,
        tensors=tuple(_tensor(method, each) for each in there[:_MOST]),
        more=max(0, len(there) - _MOST),
    )


def _tensor(method: Method, tenancy: Tenancy) -> PeakTensor:
    v = largest(method, tenancy.values)
    tensor, writers = method.tensor(v), method.writers(v)
    return PeakTensor(
        value=v,
        label=label(method.describe(v)),
        type=tensor_type(tensor) if tensor is not None else None,
        nbytes=tenancy.nbytes,
        written_by=label(method.steps[writers[0]].operator) if writers else None,
    )
