"""Numbers as the runtime's C++ calculates with them: `int64_t`, `double` and `bool`.

A number's kind is its Python type: `bool` for Bool, `int` for Int, `float` for Double. What C++
leaves open is as the compiled wheels do it, which are for processors of the x86-64 family: whole
numbers wrap around, a double that is no `int64_t` converts to the smallest one, and dividing whole
numbers traps. Measured with executorch 1.5.1 and 1.4.1.
"""

from __future__ import annotations

import math
from typing import Final

Number = int | float | bool

SMALLEST: Final = -(1 << 63)
LARGEST: Final = (1 << 63) - 1
EXACT: Final = 1 << 53
"""Whole numbers up to this are exact as doubles, and so are their sums."""


class Trap(ArithmeticError):  # noqa: N818 - a signal, not an error
    """The processor's division stops the process (SIGFPE)."""


class _Apart(float):
    """A double that is equal to itself alone, so that states which differ in it stay apart."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


NAN: Final = _Apart("nan")
NEGATIVE_ZERO: Final = _Apart("-0.0")


def double(number: float) -> float:
    """A double to be kept and compared: all NaNs are one, and -0.0 is not 0.0."""
    if math.isnan(number):
        return NAN
    return NEGATIVE_ZERO if number == 0 and math.copysign(1, number) < 0 else float(number)


def wrapped(number: int, bits: int = 64) -> int:
    """The signed number of so many bits that a whole number is kept as."""
    span = 1 << bits
    return (number + span // 2) % span - span // 2


def whole(number: float) -> int:
    """A double as `int64_t`: cut off, or the smallest one where it is out of range or NaN."""
    return int(number) if SMALLEST <= number < -float(SMALLEST) else SMALLEST


def rounded(number: float) -> int:
    """The nearest whole number as `int64_t`, the even one of two."""
    return whole(round(number) if math.isfinite(number) else number)


def raised(number: float) -> int:
    """The next whole number upwards as `int64_t`."""
    return whole(math.ceil(number) if math.isfinite(number) else number)


def quotient(left: int, right: int) -> int:
    """`left / right` of whole numbers, cut off.

    Raises:
        Trap: By zero, or a quotient of more than 64 bits.
    """
    if right == 0 or (left == SMALLEST and right == -1):
        raise Trap
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def rest(left: int, right: int) -> int:
    """`left % right` of whole numbers: it has the sign of `left`.

    Raises:
        Trap: As the quotient.
    """
    return left - quotient(left, right) * right


def divided(left: float, right: float) -> float:
    """`left / right` of doubles."""
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1, right)


def floored(left: float, right: float) -> float | None:
    """`floordiv.Scalar` of doubles (`floor_div_double` in register_prim_ops.cpp).

    None for NaN by zero: the result has the sign of that NaN, which is not kept.
    """
    if right == 0:
        return None if math.isnan(left) else math.copysign(math.inf, left)
    remainder = math.fmod(left, right) if math.isfinite(left) else math.nan
    result = (left - remainder) / right
    differ = math.copysign(1, right) != math.copysign(1, remainder)
    return result - 1 if remainder != 0 and differ else result
