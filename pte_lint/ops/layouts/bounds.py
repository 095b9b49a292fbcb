"""Between which numbers an element lies, where it is made of constants of the file.

Bounds hold for what the kernel computes and for what PyTorch computes: what either may round is
added on both sides. Where nothing is rounded both bounds are the number itself. Where a NaN may
come out there are none, and where one surely does both are NaN.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from pte_lint.ops.checks.scalars import LARGEST, RANGES
from pte_lint.ops.promotion import BFLOAT16, BOOL, FLOAT16, FLOAT32, FLOAT64

Bounds = tuple[float, float]
"""The least and the largest number; whole numbers are ints."""

_FORMATS: Final = {0: "B", 1: "b", 2: "h", 3: "i", 4: "q", FLOAT16: "e", FLOAT32: "f",
                   FLOAT64: "d", BOOL: "?"}  # fmt: skip
_ROUNDED: Final = {FLOAT16: 2.0**-9, FLOAT32: 2.0**-21, FLOAT64: 2.0**-21, BFLOAT16: 2.0**-6}
"""What one operation may be off by, as a share of the result: a few units in the last place.
Several kernels compute float64 as float32."""
_SMALLEST: Final = {**dict.fromkeys(_ROUNDED, 2.0**-126), FLOAT16: 2.0**-24}
"""Below this results may be zero."""
NAN: Final = math.nan, math.nan
_CLOSE: Final = 1e-5
"""As a share of the number: results that are no further apart count as the same."""


def decoded(dtype: int, data: bytes) -> float | None:
    """The number that an element's bytes hold; None for a type that is not known here."""
    if dtype == BFLOAT16:
        (number,) = struct.unpack("<f", b"\0\0" + data)
    elif dtype in _FORMATS:
        (number,) = struct.unpack("<" + _FORMATS[dtype], data)
    else:
        return None
    return float(number) if dtype in _ROUNDED else int(number)


def encoded(dtype: int, number: float) -> bytes | None:
    """The bytes of a number; None where the type does not hold exactly this one."""
    try:
        if dtype == BFLOAT16:
            data = struct.pack("<f", number)[2:]
        else:
            data = struct.pack("<" + _FORMATS[dtype], number)
    except (KeyError, OverflowError, struct.error):
        return None
    held = decoded(dtype, data)
    return data if held == number or (math.isnan(number) and dtype in _ROUNDED) else None


def is_positive(bounds: Bounds | None) -> bool:
    """Whether a number surely is finite and above zero."""
    return bounds is not None and bounds[0] > 0 and bounds[1] < math.inf


def are_close(one: Bounds | None, other: Bounds | None) -> bool:
    """Whether two elements surely are the same but for rounding."""
    if one is None or other is None:
        return False
    if math.isnan(one[0]) or math.isnan(other[0]):
        return math.isnan(one[0]) and math.isnan(other[0])
    low, high = min(one[0], other[0]), max(one[1], other[1])
    return high - low <= _CLOSE * min(abs(low), abs(high))


def settled(dtype: int, bounds: Bounds | None, exact: bool) -> Bounds | None:
    """Bounds of a result, once it is rounded to its type."""
    if bounds is None or any(map(math.isnan, bounds)):
        return None
    low, high = bounds
    if dtype in RANGES or dtype == BOOL:
        first, last = RANGES.get(dtype, (0, 1))
        return bounds if exact and first <= low and high <= last else None
    if dtype not in _ROUNDED:
        return None
    most = LARGEST[dtype] * 1.01
    if low > most or high < -most:
        edge = math.copysign(math.inf, low)
        return edge, edge
    if exact and low == high and encoded(dtype, low) is not None:
        return bounds
    share, least = _ROUNDED[dtype], _SMALLEST[dtype]
    below, above = (abs(end) * share + least * (end != 0) for end in bounds)
    low, high = low - below, high + above
    return (low, high) if -LARGEST[dtype] < low and high < LARGEST[dtype] else None


# -- operators --------------------------------------------------------------------------------


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def _exp(x: float) -> float:
    return math.exp(x) if x < 709 else math.inf


def _relu(x: float) -> float:
    return x if x > 0 else 0


def _gelu(x: float) -> float:
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


_RISING: Final[Mapping[str, Callable[[float], float]]] = {
    "asinh": math.asinh, "atan": math.atan, "erf": math.erf, "exp": _exp, "log": math.log,
    "log10": math.log10, "log1p": math.log1p, "log2": math.log2, "sigmoid": _sigmoid,
    "sqrt": math.sqrt, "tanh": math.tanh,
}  # fmt: skip
_RISING_EXACT: Final[Mapping[str, Callable[[float], float]]] = {
    "ceil": math.ceil, "floor": math.floor, "relu": _relu, "round": round, "trunc": math.trunc,
}  # fmt: skip

_OF_POSITIVE: Final = frozenset({"log", "log10", "log2", "rsqrt", "sqrt"})
_SPREADING: Final = frozenset(
    {*_RISING, "abs", "add", "div", "mul", "neg", "reciprocal", "rsqrt", "sub"}
)
"""NaN in, NaN out."""
_ORDERED: Final = {
    "ge": (False, True), "gt": (True, False), "le": (True, True), "lt": (False, False),
}  # fmt: skip
"""Comparisons by `<`: whether the sides change places, and whether it is turned round."""


def _unary(name: str, x: Bounds) -> tuple[Bounds | None, bool]:
    low, high = x
    if name == "gelu" and low >= 0:
        # Both ways to compute it lie between these from zero on.
        return (_gelu(low) * 0.999, _gelu(high) * 1.001 + 1e-3), False
    if name in _OF_POSITIVE and high < 0:
        return NAN, False
    if name == "rsqrt" and low > 0:
        return (1 / math.sqrt(high), 1 / math.sqrt(low)), False
    if name in _RISING:
        function = _RISING[name]
        return (function(low), function(high)), False
    if name in _RISING_EXACT:
        function = _RISING_EXACT[name]
        return (function(low), function(high)), True
    if name == "neg":
        return (-high, -low), True
    if name == "abs":
        ends = abs(low), abs(high)
        return (0 if low <= 0 <= high else min(ends), max(ends)), True
    if name == "reciprocal" and (low > 0 or high < 0):
        return (1 / high, 1 / low), True
    return None, False


def _binary(name: str, a: Bounds, b: Bounds, alpha: float) -> tuple[Bounds | None, bool]:
    if name == "sub":
        name, alpha = "add", -alpha
    if name == "add":
        scaled = sorted((alpha * b[0], alpha * b[1]))
        return (a[0] + scaled[0], a[1] + scaled[1]), True
    if name == "mul":
        products = [x * y for x in a for y in b]
        return _around(products), True
    if name == "div" and (b[0] > 0 or b[1] < 0):
        return _around([x / y for x in a for y in b]), True
    if name == "atan2" and a[0] == a[1] and b[0] == b[1]:
        return (math.atan2(a[0], b[0]),) * 2, False
    if name == "maximum":
        return (max(a[0], b[0]), max(a[1], b[1])), True
    if name == "minimum":
        return (min(a[0], b[0]), min(a[1], b[1])), True
    if name in _ORDERED:
        swapped, negated = _ORDERED[name]
        left, right = (b, a) if swapped else (a, b)
        if left[1] < right[0] or left[0] >= right[1]:
            is_less = left[1] < right[0]
            return (int(is_less != negated),) * 2, True
    return None, False


def _around(numbers: Iterable[float]) -> Bounds | None:
    found = list(numbers)
    if any(map(math.isnan, found)):
        return None
    return min(found), max(found)


def of_call(
    name: str, operands: Sequence[Bounds | None], dtype: int, alpha: float | None
) -> Bounds | None:
    """Bounds of an elementwise result; None where they are not known.

    Args:
        name: the operator without space and overload.
        operands: bounds of the numbers that are read, in order; numbers that are no tensors too.
        dtype: the element type of the result.
        alpha: what `add` and `sub` multiply the second one by.
    """
    known = [each for each in operands if each is not None]
    if len(known) != len(operands) or not known:
        return None
    if any(math.isnan(each[0]) for each in known):
        return NAN if name in _SPREADING and dtype in _ROUNDED else None
    try:
        if len(known) == 1:
            found, exact = _unary(name, known[0])
        elif len(known) == 3 and name in ("clamp", "hardtanh"):
            low, high = (min(max(end, known[1][0]), known[2][0]) for end in known[0])
            found, exact = (low, high), True
        elif len(known) == 2 and alpha is not None:
            found, exact = _binary(name, known[0], known[1], alpha)
        else:
            return None
    except (ValueError, OverflowError, ZeroDivisionError):
        return None  # outside of what the function is defined for
    return NAN if found is NAN and dtype in _ROUNDED else settled(dtype, found, exact)


def of_sum(parts: Sequence[Bounds | None], dtype: int) -> Bounds | None:
    """Bounds of a sum, in whatever order it is added up."""
    known = [each for each in parts if each is not None]
    if len(known) != len(parts) or not known:
        return None
    low, high = sum(each[0] for each in known), sum(each[1] for each in known)
    size = sum(max(abs(each[0]), abs(each[1])) for each in known)
    whole = all(each[0] == each[1] and each[0] == int(each[0]) for each in known
                if math.isfinite(size))  # fmt: skip
    if math.isfinite(size) and whole and encoded(dtype, size) is not None and size < 2**24:
        return settled(dtype, (low, high), exact=True)
    slack = size * _ROUNDED.get(dtype, math.inf) * len(known)
    return settled(dtype, (low - slack, high + slack), exact=False)


def hull(parts: Iterable[Bounds | None]) -> Bounds | None:
    """Bounds of whatever lies between the least and the largest of some numbers."""
    known = list(parts)
    told = [each for each in known if each is not None and not math.isnan(each[0])]
    if not known or len(told) != len(known):
        return None
    return min(each[0] for each in told), max(each[1] for each in told)


def of_products(
    pairs: Iterable[tuple[Bounds | None, Bounds | None]], bias: Bounds | None, dtype: int
) -> Bounds | None:
    """Bounds of a sum of products and a bias."""
    parts: list[Bounds | None] = [bias]
    for one, other in pairs:
        parts.append(of_call("mul", [one, other], dtype, 1))
        if parts[-1] is None:
            return None
    return of_sum(parts, dtype)


def of_variance(parts: Sequence[Bounds | None], correction: float, dtype: int) -> Bounds | None:
    """Bounds of a variance."""
    total = of_sum(parts, dtype)
    known = [each for each in parts if each is not None]
    count = len(known)
    if total is None or count <= correction:
        return None
    low, high = total[0] / count, total[1] / count
    least, most = 0.0, 0.0
    for each in known:
        ends = each[0] - high, each[1] - low
        least += 0.0 if ends[0] <= 0 <= ends[1] else min(map(abs, ends)) ** 2
        most += max(map(abs, ends)) ** 2
    slack = most * _ROUNDED.get(dtype, math.inf) * count
    ends = (least - slack) / (count - correction), (most + slack) / (count - correction)
    return settled(dtype, ends, exact=False)


def of_product(parts: Sequence[Bounds | None], dtype: int) -> Bounds | None:
    """Bounds of a product."""
    found: Bounds | None = parts[0] if parts else None
    for each in parts[1:]:
        found = None if found is None else of_call("mul", [found, each], dtype, 1)
    return found


def of_softmax(
    x: Bounds | None, row: Sequence[Bounds | None], dtype: int, log: bool
) -> Bounds | None:
    """Bounds of one element of a softmax over a row, or of its logarithm."""
    known = [each for each in row if each is not None]
    if x is None or len(known) != len(row) or not all(map(math.isfinite, (*x, *sum(known, ())))):
        return None
    top = max(each[1] for each in known)
    least = sum(math.exp(max(each[0] - top, -700)) for each in known)
    most = sum(math.exp(max(each[1] - top, -700)) for each in known)
    slack = (abs(x[0]) + abs(x[1]) + abs(top) + 1) * _ROUNDED.get(dtype, math.inf) * len(row)
    low, high = x[0] - top - math.log(most) - slack, x[1] - top - math.log(least) + slack
    return settled(dtype, (low, high) if log else (_exp(low), _exp(high)), exact=False)
