"""Elements of a tensor one after the other, row-major, and what maps such rows to others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pte_lint.ops.layouts.call import PlacedCall
from pte_lint.ops.layouts.placed import Placed
from pte_lint.ops.layouts.terms import Row, Terms

Meaning = Callable[[PlacedCall, Sequence[Row], Terms], list[Row]]
"""Given a call and its tensor inputs, in order and row-major, the results of the operator."""


def places(sizes: Sequence[int], steps: Sequence[int], start: int = 0) -> list[int]:
    """Where one gets to by counting over sizes in row-major order, with a step a dimension."""
    found = [start]
    for size, step in zip(sizes, steps, strict=True):
        found = [at + i * step for at in found for i in range(size)]
    return found


def to_memory(row: Row, tensor: Placed) -> Row:
    """The elements as they lie in memory."""
    laid = [0] * len(row)
    for at, term in zip(places(tensor.sizes, tensor.strides), row, strict=True):
        laid[at] = term
    return laid


def from_memory(memory: Row, tensor: Placed) -> Row:
    """The elements in row-major order."""
    return [memory[at] for at in places(tensor.sizes, tensor.strides)]


def groups(sizes: Sequence[int], dims: set[int]) -> Iterator[list[int]]:
    """Places of the elements that differ along some dimensions only, group by group."""
    steps = strides_of(sizes)
    kept = [d for d in range(len(sizes)) if d not in dims]
    starts = places([sizes[d] for d in kept], [steps[d] for d in kept])
    inner = sorted(dims)
    for start in starts:
        yield places([sizes[d] for d in inner], [steps[d] for d in inner], start)


def strides_of(sizes: Sequence[int]) -> list[int]:
    """Steps in a row from one index of a dimension to the next."""
    steps, step = [0] * len(sizes), 1
    for d in reversed(range(len(sizes))):
        steps[d] = step
        step *= sizes[d]
    return steps
