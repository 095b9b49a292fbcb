"""What a step does to the bytes of tensors, as opposed to their handles and shapes.

`Step.reads` and `Step.writes` say which values an instruction names. Here that is narrowed to the
bytes behind them: an operator that asks for a size reads no bytes, a move and an `et_view` touch
handles only, an in-place operator that replaces its target does not read it, and
`et_copy_index` writes one row and keeps the others.

Some arguments cannot be told: those of a delegate that its call leaves open (`delegate_split`),
and a scratch buffer from an input of an operator that is not one of PyTorch's or ExecuTorch's own.
When no other instruction writes such an argument, it counts as bound by the call, neither read nor
stored to: nothing is then claimed about it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pte_lint.ir.calling import ET_COPY_INDEX, ET_VIEW, is_scalar_valued
from pte_lint.ir.steps import Step, StepKind
from pte_lint.ops.operators import ignores_first, is_standard, reads_only_shape, replaces_target
from pte_lint.schema.frozen import dataclass

if TYPE_CHECKING:
    from pte_lint.ir.method import Method

_NONE: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """What one step does to bytes, by value index."""

    reads: tuple[int, ...]
    """Values whose content the step needs; the source of a move or a view among them."""
    binds: tuple[int, ...]
    """Values that mean something new after the step: fully written, moved to, or rebound."""
    updates: tuple[int, ...]
    """Values that are written in part or from their own old content."""
    stores: tuple[int, ...]
    """Values whose memory the step writes bytes into."""


def accesses(method: Method) -> tuple[Access, ...]:
    """Says what each step of `method` does to bytes, by step index."""
    return tuple(access(method, step) for step in method.steps)


@lru_cache(maxsize=4096)
def is_plain(operator: str) -> bool:
    """True for kernels that read the content of all that they name and write into their outputs.

    `access` is then `Step.reads` and `Step.writes`; what is in both is updated in place.
    """
    special = operator in (ET_VIEW, ET_COPY_INDEX) or is_scalar_valued(operator)
    special = special or reads_only_shape(operator) or ignores_first(operator)
    return is_standard(operator) and not special


def access(method: Method, step: Step) -> Access:
    """Says what one step does to bytes."""
    if step.kind is StepKind.KERNEL:
        found = _kernel(step)
        known = is_standard(step.operator)
    elif step.kind is StepKind.DELEGATE:
        return _delegate(method, step)
    elif step.kind is StepKind.MOVE:
        return Access(step.reads, step.writes, _NONE, _NONE)
    else:
        return Access(step.reads, _NONE, _NONE, _NONE)
    if known:
        return found
    unclear = tuple(v for v in found.reads if _is_unclear(method, v))
    if not unclear:
        return found
    reads = tuple(v for v in found.reads if v not in unclear)
    return Access(reads, found.binds + unclear, found.updates, found.stores)


def _delegate(method: Method, step: Step) -> Access:
    arguments = {step.args[position] for position in method.open_arguments(step)}
    unclear = {v for v in arguments if all(i == step.index for i in method.writers(v))}
    reads = tuple(v for v in step.reads if v not in unclear)
    stores = tuple(v for v in step.writes if v not in unclear)
    bound = tuple(v for v in dict.fromkeys((*step.reads, *step.writes)) if v in unclear)
    return Access(reads, stores + bound, _NONE, stores)


def _is_unclear(method: Method, v: int) -> bool:
    """True for a tensor that holds nothing that the file knows of, and that no step writes."""
    return (
        method.tensor(v) is not None
        and not method.writers(v)
        and not method.is_input[v]
        and not method.is_constant(v)
        and not method.is_external(v)
        and not method.has_initial_state(v)
    )


def _kernel(step: Step) -> Access:
    reads, writes = step.reads, step.writes
    if step.operator == ET_VIEW:
        return Access(reads[:1], writes, _NONE, _NONE)
    if step.operator == ET_COPY_INDEX:
        return Access(reads[1:], _NONE, writes, writes)
    if reads_only_shape(step.operator):
        stores = _NONE if is_scalar_valued(step.operator) else writes
        return Access(_NONE, writes, _NONE, stores)
    if is_scalar_valued(step.operator):
        return Access(reads, writes, _NONE, _NONE)
    if ignores_first(step.operator):
        others = step.args[1 : step.first_output]
        reads = tuple(v for v in reads if v != step.args[0] or v in others)
    if writes and reads and any(v in reads for v in writes):
        if replaces_target(step.operator) and step.args[:1] == step.args[-1:]:
            return Access(reads[1:], writes, _NONE, writes)
        kept = tuple(v for v in writes if v in reads)
        return Access(reads, tuple(v for v in writes if v not in reads), kept, writes)
    return Access(reads, writes, _NONE, writes)
