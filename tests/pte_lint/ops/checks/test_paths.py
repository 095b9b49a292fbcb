"""Which tensors the optimised kernels combine on a fast path."""

from __future__ import annotations

import pytest

from pte_lint.ops.checks.call import Operand, Sizes
from pte_lint.ops.checks.paths import is_fast, is_flat


def operand(sizes: Sizes) -> Operand:
    """A float32 tensor."""
    return Operand("tensor", sizes, 6, tuple(range(len(sizes))), None)


@pytest.mark.parametrize(
    ("left", "right", "flat", "fast"),
    [
        ((2, 3), (2, 3), True, True),
        ((1, 2, 3), (2, 3), True, True),
        ((2, 1), (1, 2), False, False),
        ((2, 3), (3,), False, True),
        ((3,), (2, 3), False, True),
        ((2, 3), (2, 1), False, True),
        ((4, 2, 3), (4, 1, 3), False, True),
        ((4, 2, 3), (4, 1, 1), False, False),
        ((4, 2, 3), (2, 3), False, False),
        ((2, None), (2, 3), None, None),
    ],
)
def test_paths(left: Sizes, right: Sizes, flat: bool | None, fast: bool | None) -> None:
    assert is_flat(operand(left), operand(right)) is flat
    assert is_fast(operand(left), operand(right)) is fast
