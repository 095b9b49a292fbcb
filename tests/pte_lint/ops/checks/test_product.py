"""Products of sizes: exact as far as tensors go, and never in more time than they have sizes."""

from __future__ import annotations

import pytest

from pte_lint.ops.checks.call import product
from pte_lint.ops.checks.views import _unsigned_product


@pytest.mark.parametrize(
    ("sizes", "count"),
    [
        ((), 1),
        ((3, 4), 12),
        ((2**31, 2**31), 2**62),
        ((3, None), None),
        ((None, 0), 0),
        ((2**31 - 1,) * 3, 2**64),
        ((2**31 - 1,) * 3 + (None,), None),
        ((2**31 - 1,) * 3 + (0,), 0),
        ((-1,) + (2**31 - 1,) * 3, -(2**64)),
        ((2**31 - 1,) * 100_000, 2**64),
    ],
)
def test_product(sizes: tuple[int | None, ...], count: int | None) -> None:
    assert product(sizes) == count


def test_what_is_compared_as_the_runtime_counts_wraps_around() -> None:
    assert _unsigned_product((2**31, 2**31, 5)) == 5 * 2**62 % 2**64
    assert _unsigned_product((-1, 3)) == 2**64 - 3
    assert _unsigned_product((3,) * 100_000) == pow(3, 100_000, 2**64)
