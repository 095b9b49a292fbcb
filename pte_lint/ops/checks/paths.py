"""Which of two tensors of one type the optimised kernels combine on a fast path.

Source: kernels/optimized/cpu/binary_ops.h (`select_optimized_path`).
"""

from __future__ import annotations

from pte_lint.ops.checks.call import Operand


def is_flat(left: Operand, right: Operand) -> bool | None:
    """Whether the two are combined element by element, without broadcasting; None if unknown."""
    sizes = _known(left, right)
    if sizes is None:
        return None
    if sizes[0] == sizes[1]:
        return True
    return left.numel == right.numel and _trimmed(sizes[0]) == _trimmed(sizes[1])


def is_fast(left: Operand, right: Operand) -> bool | None:
    """Whether the two are combined on any fast path; None if unknown."""
    sizes = _known(left, right)
    if sizes is None or is_flat(left, right):
        return None if sizes is None else True
    first, second = _trimmed(sizes[0]), _trimmed(sizes[1])
    if {len(first), len(second)} == {1, 2}:
        return first[-1] == second[-1]
    return len(first) == len(second) and _has_one_broadcast(first, second)


def _has_one_broadcast(left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    """Whether exactly one dimension after the first is broadcast, and others are equal."""
    pairs = list(zip(left, right, strict=True))[1:]
    broadcast = [pair for pair in pairs if 1 in pair]
    return len(broadcast) == 1 and all(a == b for a, b in pairs if 1 not in (a, b))


def _known(*operands: Operand) -> list[tuple[int, ...]] | None:
    shapes = []
    for operand in operands:
        sizes = [size for size in operand.sizes if size is not None]
        if len(sizes) < operand.rank:
            return None
        shapes.append(tuple(sizes))
    return shapes


def _trimmed(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes without leading ones."""
    for n, size in enumerate(sizes):
        if size != 1:
            return sizes[n:]
    return ()
