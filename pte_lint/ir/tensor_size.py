"""Tensor sizes: what they are meant to be, and as the runtime computes them.

The runtime's 64-bit arithmetic wraps: `compute_numel` and `TensorImpl::nbytes`
(runtime/core/portable_type/tensor_impl.cpp) multiply without a test; `validate_tensor`
(runtime/executor/program_validation.cpp) tests the same products under full verification.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pte_lint.schema.enums import MAX_RANK, element_size
from pte_lint.schema.program import Tensor

_WORD: Final = 1 << 64
_LARGEST: Final = (1 << 63) - 1


def tensor_numel(tensor: Tensor) -> int:
    """Elements at the serialised sizes; 0 when a size is negative or absent.

    A count of more than 64 bits is not carried on to the end: it is a lower bound then.
    """
    sizes = tensor.sizes
    if sizes is None or (sizes and min(sizes) <= 0):
        return 0
    count = 1
    for size in sizes:
        count *= size
        if count > _WORD:
            break
    return count


def tensor_nbytes(tensor: Tensor) -> int:
    """Bytes at the serialised sizes; 0 when the dtype is unknown or a size negative or absent."""
    return tensor_numel(tensor) * (element_size(tensor.scalar_type) or 0)


def tensor_place(tensor: Tensor) -> tuple[int, int, int] | None:
    """Arena, offset and bytes of a planned tensor."""
    info = tensor.allocation_info
    return (info.memory_id, info.memory_offset, tensor_nbytes(tensor)) if info else None


def wrapped_nbytes(tensor: Tensor) -> int | None:
    """Bytes of the tensor as `parseTensor` computes them; None when it does not get that far."""
    sizes, width = tensor.sizes, element_size(tensor.scalar_type)
    if sizes is None or width is None or len(sizes) > MAX_RANK or any(s < 0 for s in sizes):
        return None
    numel = 1
    for size in sizes:
        numel = numel * size % _WORD
    return numel * width % _WORD


def overflow(tensor: Tensor) -> str | None:
    """Which product exceeds 64 bits: `element count`, `byte count`, or None.

    Sizes are multiplied in order, so a zero protects only what comes after it.
    """
    sizes, width = tensor.sizes, element_size(tensor.scalar_type)
    if sizes is None or width is None or any(s < 0 for s in sizes):
        return None
    numel = _numel(sizes)
    if numel is None:
        return "element count"
    return "byte count" if numel * width >= _WORD else None


def _numel(sizes: Sequence[int]) -> int | None:
    """The number of elements; None once a partial product exceeds 63 bits."""
    numel = 1
    for size in sizes:
        numel *= size
        if numel > _LARGEST:
            return None
    return numel


def overflow_but_for_zero(tensor: Tensor) -> bool:
    """True for a tensor without elements whose other sizes multiply beyond 63 bits."""
    sizes = tensor.sizes
    if sizes is None or 0 not in sizes or any(s < 0 for s in sizes):
        return False
    return _numel([s for s in sizes if s]) is None
