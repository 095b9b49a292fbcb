"""Tensors as kernels find them in memory: strides by dimension, and where two of them agree.

The runtime derives strides from sizes and dimension order (`dim_order_to_stride_nocheck`,
runtime/core/exec_aten/util/dim_order_util.h). Two orders that differ only in where dimensions of
size 1 stand give the same memory, and a tensor of fewer than two elements has only one layout.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from pte_lint.schema.frozen import dataclass


class Unknown(Exception):  # noqa: N818 - a result of a question, not an error
    """A tensor or number of the call is not known from the file: nothing can be said."""


Digits = list[tuple[int, int]]
"""A map from element offsets to element offsets: sizes and steps, innermost first."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A tensor argument of a kernel call, at its largest sizes.

    `value` is the value's index, `name` its role in the call (`argument 0`, `the output`).
    """

    name: str
    value: int
    sizes: tuple[int, ...]
    order: tuple[int, ...]
    dtype: int
    is_uniform: bool = False
    """All elements are surely equal, so that nothing depends on where they are."""

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.sizes)

    @property
    def numel(self) -> int:
        """Number of elements."""
        return element_count(self.sizes)

    @property
    def strides(self) -> tuple[int, ...]:
        """Elements between neighbours along each dimension, as the dimension order says."""
        return _strides(self.sizes, self.order)

    @property
    def row_major(self) -> tuple[int, ...]:
        """The strides of a tensor of these sizes in the default order."""
        return _strides(self.sizes, tuple(range(len(self.sizes))))

    @property
    def is_default(self) -> bool:
        """True when the elements lie as in the default order."""
        return is_default(self.sizes, self.order)

    @property
    def is_channels_last(self) -> bool:
        """True for the order of channels-last images and volumes, as it is written down."""
        return self.rank in (4, 5) and self.order == (0, *range(2, self.rank), 1)


def element_count(sizes: Sequence[int]) -> int:
    """The product of sizes."""
    count = 1
    for size in sizes:
        count *= size
    return count


def is_default(sizes: Sequence[int], order: Sequence[int]) -> bool:
    """True when dimensions of more than one element are in their default order in memory."""
    moved = [d for d in order if sizes[d] != 1]
    return moved == sorted(moved) or 0 in sizes


@lru_cache(maxsize=4096)
def _strides(sizes: tuple[int, ...], order: tuple[int, ...]) -> tuple[int, ...]:
    strides = [0] * len(sizes)
    step = 1
    for d in reversed(order):
        strides[d] = step
        step *= sizes[d]
    return tuple(strides)


Match = Mapping[int, int]
"""For dimensions of one tensor the dimension of another that counts the same."""


def aligned(inner: Placed, outer: Placed) -> Match:
    """The match of broadcasting: dimensions of `inner` by those of `outer`, from the last one."""
    shift = outer.rank - inner.rank
    return {d + shift: d for d in range(inner.rank) if d + shift >= 0}


def leads_astray(
    anchor: Placed,
    other: Placed,
    match: Match,
    active: Collection[int] = (),
    *,
    strided: bool = False,
) -> bool:
    """Whether a kernel that walks over one tensor in row-major order misses elements of another.

    It takes the n-th element in memory of `anchor` for the n-th one in row-major order and goes to
    the element of `other` with the same coordinates: by its true strides when it is `strided`, by
    row-major ones else. That is right when both lead to the same place for every n.

    Args:
        anchor: the tensor that is walked over.
        other: the tensor that is read or written with it.
        match: dimensions of `other` by those of `anchor`; it repeats along the rest.
        active: dimensions of `anchor` that the operator works along, left out here.
        strided: whether the kernel goes by the strides of `other`.
    """
    true = other.strides
    taken = true if strided else other.row_major
    return walk(anchor, anchor.order, other, true, match, active=active) != walk(
        anchor, range(anchor.rank), other, taken, match, active=active
    )


def walk(
    anchor: Placed,
    order: Sequence[int],
    other: Placed,
    strides: Sequence[int],
    match: Match,
    *,
    active: Collection[int] = (),
) -> Digits:
    """Where in `other` one gets to by counting over `anchor` in an order of its dimensions.

    Runs that go on are joined, so that equal maps are equal lists.
    """
    digits: Digits = []
    for d in reversed(order):
        size = anchor.sizes[d]
        if size == 1 or d in active:
            continue
        there = match.get(d)
        if there is not None and there >= other.rank:
            raise Unknown  # ranks that do not go together are for others to judge
        step = 0 if there is None or other.sizes[there] == 1 else strides[there]
        if digits and step == digits[-1][0] * digits[-1][1]:
            digits[-1] = (digits[-1][0] * size, digits[-1][1])
        else:
            digits.append((size, step))
    return digits


def is_displaced(tensor: Placed, group: Collection[int]) -> bool:
    """Whether dimensions that are worked along together lie elsewhere than in the default order.

    What counts is which runs of memory they cover, not how they lie inside of these.
    """
    return _runs(tensor, group, tensor.strides) != _runs(tensor, group, tensor.row_major)


def _runs(tensor: Placed, group: Collection[int], strides: Sequence[int]) -> list[tuple[int, int]]:
    if any(not 0 <= d < tensor.rank for d in group):
        raise Unknown
    spans = sorted((strides[d], strides[d] * tensor.sizes[d]) for d in group if tensor.sizes[d] > 1)
    runs: list[tuple[int, int]] = []
    for start, end in spans:
        if runs and runs[-1][1] == start:
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return runs
