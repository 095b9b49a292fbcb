"""What the kernels refuse that work on complex numbers.

Sources: kernels/optimized/cpu/op_fft_r2c.cpp, op_fft_c2r.cpp, fft_utils.h and
kernels/portable/cpu/op__conj_physical.cpp.
"""

from __future__ import annotations

from typing import Final

from pte_lint.ops.checks.call import Call, End, Operand, Size
from pte_lint.ops.checks.conditions import (
    int32,
    need,
    need_type,
    of_types,
    one_order,
    resize,
    same_types,
)
from pte_lint.ops.promotion import BFLOAT16, COMPLEX, FLOAT16, FLOAT32, FLOAT64
from pte_lint.schema.enums import MAX_RANK, dtype_name

_COMPLEX_OF: Final = {FLOAT16: 8, FLOAT32: 9, BFLOAT16: 9, FLOAT64: 10, 8: 8, 9: 9, 10: 10}
"""`toComplexType`, which ends the process for all others."""


def conjugate(call: Call) -> None:
    """_conj_physical.out(self, *, out)."""
    source, out = call.tensor(0), call.out()
    resize(out, source.sizes if source is not None else None)
    same_types(source, out)
    one_order(source, out)
    of_types(COMPLEX, source)


def to_complex(call: Call) -> None:
    """_fft_r2c.out(self, dim, normalization, onesided, *, out)."""
    source, out = call.tensor(0), call.out()
    one_order(source, out)
    need(call.flag(3), "both sides are asked for")
    _pair(source, out)
    dims = _dims(call, source)
    if source is None or not dims:
        return
    sizes: list[Size] = list(source.sizes)
    last = sizes[dims[-1]]
    sizes[dims[-1]] = None if last is None else last // 2 + 1
    resize(out, sizes)
    of_types({FLOAT32, FLOAT64}, source)
    _finish(call, source, out, dims)


def to_real(call: Call) -> None:
    """_fft_c2r.out(self, dim, normalization, last_dim_size, *, out)."""
    source, out, last = call.tensor(0), call.out(), call.number(3)
    need(None if last is None else last >= 1, f"the last size is {last}")
    asked = call.numbers(1)
    if asked and not -MAX_RANK <= asked[-1] < MAX_RANK:
        # It puts the last size there, among as many, before it looks for such a dimension.
        need(False, f"there is no dimension {asked[-1]}", End.UNCHECKED)
    one_order(source, out)
    _pair(out, source)
    dims = _dims(call, source)
    if source is None or not dims:
        return
    sizes: list[Size] = list(source.sizes)
    sizes[dims[-1]] = last
    resize(out, sizes)
    of_types({FLOAT32, FLOAT64}, out)
    _finish(call, source, out, dims)
    have = source.sizes[dims[-1]]
    if have is not None and last is not None and out is not None and out.numel:
        message = f"{last // 2 + 1} numbers are read of {have}"
        need(have > last // 2, message, End.UNCHECKED)


def _pair(real: Operand | None, other: Operand | None) -> None:
    if real is not None and other is not None:
        name = dtype_name(real.dtype)
        need_type(real.dtype in _COMPLEX_OF, f"{real.name} is {name}", End.ABORT)
        message = f"{name} and {dtype_name(other.dtype)} do not belong together"
        need_type(_COMPLEX_OF[real.dtype] == other.dtype, message)


def _dims(call: Call, source: Operand | None) -> tuple[int, ...] | None:
    dims = call.numbers(1)
    need(None if dims is None else len(dims) > 0, "no dimensions are given")
    if source is not None and dims is not None:
        good = all(0 <= d < source.rank for d in dims)
        need(good, f"{source.name} does not have all dimensions of {list(dims)}")
    return dims


def _finish(call: Call, source: Operand, out: Operand | None, dims: tuple[int, ...]) -> None:
    """The library's own checks; where there is nothing to transform it writes nothing."""
    way = call.number(2)
    need(None if way is None else int32(way) in (0, 1, 2), f"the normalisation is {way}")
    if 0 in source.sizes:
        empty = out is not None and out.numel == 0
        need(empty, f"{source.name} has no elements, and nothing is written", End.UNCHECKED)
    else:
        need(len(set(dims)) == len(dims), f"a dimension of {list(dims)} is named twice", End.THROWN)
