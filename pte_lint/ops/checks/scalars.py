"""Which numbers fit into an element type, as kernels test it before they convert one.

Sources: kernels/portable/cpu/scalar_utils.h (`extract_scalar`, `check_overflow_scalar_cast`) and
c10/util/overflows.h as ExecuTorch carries it (runtime/core/portable_type/c10).
"""

from __future__ import annotations

import math
from typing import Final, TypeAlias

from pte_lint.ops.promotion import BFLOAT16, BOOL, FLOAT16, FLOAT32, FLOAT64, UINT8

Number: TypeAlias = bool | int | float

RANGES: Final = {
    0: (0, 2**8 - 1),
    1: (-(2**7), 2**7 - 1),
    2: (-(2**15), 2**15 - 1),
    3: (-(2**31), 2**31 - 1),
    4: (-(2**63), 2**63 - 1),
}
"""Smallest and largest number of each whole type."""

LARGEST: Final = {
    FLOAT16: 65504.0,
    FLOAT32: (2.0 - 2.0**-23) * 2.0**127,
    FLOAT64: (2.0 - 2.0**-52) * 2.0**1023,
    BFLOAT16: (2.0 - 2.0**-7) * 2.0**127,
}
"""Largest finite number of each floating-point type."""


def int64(number: int) -> int:
    """The number as 64 bits hold it; kernels do not look whether a sum fits."""
    return number if -(2**63) <= number < 2**63 else (number + 2**63) % 2**64 - 2**63


def extractable(number: Number, dtype: int) -> bool:
    """Whether `extract_scalar` takes a number for a type: of its kind, and inside its range."""
    if dtype == BOOL:
        return not isinstance(number, float)
    if isinstance(number, bool):
        return False
    if dtype in RANGES:
        low, high = RANGES[dtype]
        return isinstance(number, int) and low <= number <= high
    return isinstance(number, int) or in_range(number, dtype)


def in_range(number: float, dtype: int) -> bool:
    """Whether a floating-point type reaches to a number; all hold infinities and NaN."""
    return not math.isfinite(number) or abs(number) <= LARGEST[dtype]


def castable(number: Number, dtype: int, *, whole_part: bool = True) -> bool:
    """Whether `check_overflow_scalar_cast` takes a number for a type.

    Negative whole numbers may wrap around into an unsigned type.

    Args:
        number: The number.
        dtype: The element type it is converted to.
        whole_part: Whether the whole part of a floating-point number counts, as since 1.5; before,
            the number itself is compared with the type's largest, rounded to floating point.
    """
    if dtype == BOOL or isinstance(number, bool):
        return True
    if dtype not in RANGES:
        return in_range(number, dtype)
    low, high = RANGES[dtype]
    if isinstance(number, float):
        return low <= number < high + 1 if whole_part else low <= number <= float(high)
    return (-high if dtype == UINT8 else low) <= number <= high
