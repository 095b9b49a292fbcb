"""Elements of tensors: from bytes to numbers in logical order and back, and how far apart two are.

Nothing here needs numpy: a result has few elements beside what a model computes.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from math import isinf, isnan, prod
from typing import Final

from pte_lint.schema.enums import element_size
from pte_lint.schema.frozen import dataclass

Numbers = Sequence[float]
"""Whole numbers and doubles alike; of complex elements both parts in turn."""

_CODES: Final = {
    "uint8": "B", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "bool": "B",
    "uint16": "H", "uint32": "I", "uint64": "Q", "float32": "f", "float64": "d",
    "complex64": "f", "complex128": "d",
}  # fmt: skip


def in_logical_order(data: bytes, width: int, sizes: Sequence[int], order: Sequence[int]) -> bytes:
    """The bytes of a tensor, row-major.

    Args:
        data: its elements as they lie in memory.
        width: bytes of an element.
        sizes: its sizes.
        order: its dim order.
    """
    if _is_row_major(sizes, order):
        return data
    steps, step = [0] * len(sizes), width
    for dim in reversed(order):
        steps[dim] = step
        step *= sizes[dim]
    return b"".join(data[at : at + width] for at in _places(sizes, steps))


def in_memory_order(data: bytes, width: int, sizes: Sequence[int], order: Sequence[int]) -> bytes:
    """The reverse of `in_logical_order`: row-major bytes, laid out in a dim order."""
    if _is_row_major(sizes, order):
        return data
    steps, step = [0] * len(sizes), width
    for dim in reversed(range(len(sizes))):
        steps[dim] = step
        step *= sizes[dim]
    outer = [sizes[dim] for dim in order]
    return b"".join(data[at : at + width] for at in _places(outer, [steps[dim] for dim in order]))


def _is_row_major(sizes: Sequence[int], order: Sequence[int]) -> bool:
    return [d for d in order if sizes[d] != 1] == [d for d, n in enumerate(sizes) if n != 1]


def _places(sizes: Sequence[int], steps: Sequence[int]) -> list[int]:
    places = [0]
    for size, step in zip(sizes, steps, strict=True):
        places = [at + i * step for at in places for i in range(size)]
    return places


def numbers(data: bytes, dtype: str) -> Numbers | None:
    """The elements; None for a type that holds no numbers."""
    if dtype == "float16":
        return struct.unpack(f"<{len(data) // 2}e", data)
    if dtype == "bfloat16":
        wide = bytearray(2 * len(data))
        wide[2::4], wide[3::4] = data[::2], data[1::2]
        return array("f", bytes(wide))
    code = _CODES.get(dtype)
    return array(code, data) if code is not None else None


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a number may be off: `absolute` plus `relative` of the largest expected one."""

    relative: float
    absolute: float

    def allowed(self, largest: float) -> float:
        """The difference that is still none."""
        return self.absolute + self.relative * largest


RESULTS: Final[dict[str, Tolerance]] = {
    "float64": Tolerance(1e-5, 1e-7),
    "float32": Tolerance(1e-3, 1e-5),
    "float16": Tolerance(1e-2, 1e-3),
    "bfloat16": Tolerance(5e-2, 1e-2),
    "complex64": Tolerance(1e-3, 1e-5),
    "complex128": Tolerance(1e-5, 1e-7),
    "int8": Tolerance(0, 1),
    "uint8": Tolerance(0, 1),
}
"""By element type, for results of whole methods; types that are not named must be equal.

Kernels compute float64 in float32 here and there (docs/values.md), and 8 bits are mostly what
quantised models give, where one step is rounding.
"""

_EXACT: Final = Tolerance(0, 0)


@dataclass(frozen=True, slots=True)
class Apart:
    """How two tensors of equal type and sizes differ.

    Attributes:
        element: Index of the first element that is off.
        got: What stands there.
        want: What is expected there.
        absolute: The largest difference; infinite where one of two is no number.
        relative: That of the largest expected value.
        different: Elements that are off.
        elements: Elements in all.
    """

    element: tuple[int, ...]
    got: float
    want: float
    absolute: float
    relative: float
    different: int
    elements: int


def compare(
    got: bytes, want: bytes, dtype: str, sizes: Sequence[int], tolerance: Tolerance | None = None
) -> Apart | None:
    """How two tensors differ beyond a tolerance; None where they do not. Both are row-major."""
    if got == want:
        return None
    mine, theirs = numbers(got, dtype), numbers(want, dtype)
    if mine is None or theirs is None:
        mine, theirs, tolerance = got, want, _EXACT  # bytes that stand for something else
    finite = [abs(x) for x in theirs if not isnan(x) and not isinf(x)]
    largest = max(finite, default=0.0)
    allowed = (tolerance or RESULTS.get(dtype, _EXACT)).allowed(largest)
    first, worst, count = -1, 0.0, 0
    for i, (a, b) in enumerate(zip(mine, theirs, strict=True)):
        if a == b or (isnan(a) and isnan(b)):
            continue
        off = abs(a - b)
        if off <= allowed:
            continue
        worst = max(worst, float("inf") if isnan(off) else off)
        first = i if first < 0 else first
        count += 1
    if first < 0:
        return None
    parts = max(len(theirs) // max(prod(sizes), 1), 1)
    relative = worst / largest if largest else float("inf")
    element = _index(first // parts, sizes)
    return Apart(element, mine[first], theirs[first], worst, relative, count, len(theirs))


def _index(flat: int, sizes: Sequence[int]) -> tuple[int, ...]:
    index = []
    for size in reversed(sizes):
        flat, at = divmod(flat, max(size, 1))
        index.append(at)
    return tuple(reversed(index))


def width_of(dtype: int) -> int:
    """Bytes of an element; 1 for a code that has none."""
    return element_size(dtype) or 1
