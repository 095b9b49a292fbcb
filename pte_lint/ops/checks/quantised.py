"""Kernels that quantise by one scale for a tensor: they abort where an element type is not theirs.

Source: kernels/quantized/cpu/op_quantize.cpp (`check_quantize_per_tensor_args`) and
op_dequantize.cpp (`check_dequantize_per_tensor_args`); they are ET_CHECKs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pte_lint.ops.checks.call import Call, End, Operand, Refused, Size
from pte_lint.ops.checks.conditions import need, need_type, resize
from pte_lint.ops.checks.scalars import RANGES
from pte_lint.ops.promotion import FLOAT16, FLOAT32, FLOAT64
from pte_lint.schema.enums import dtype_name

_FLOATING: Final = frozenset({FLOAT16, FLOAT32, FLOAT64})
_UINT16: Final = 27
_QUANTISED: Final = {**{code: RANGES[code] for code in (0, 1, 2, 3)}, _UINT16: (0, 2**16 - 1)}


def quantize(call: Call) -> None:
    """quantize_per_tensor.out(input, scale, zero_point, quant_min, quant_max, dtype, *, out)."""
    source, out = call.tensor(0), call.out()
    resize_or_abort(call)
    need_types(source, out, call.number(5))
    need_range(out, call.number(3), call.number(4))


def dequantize(call: Call) -> None:
    """dequantize_per_tensor.out(input, scale, zero_point, quant_min, quant_max, dtype, ...)."""
    source, out = call.tensor(0), call.out()
    resize_or_abort(call)
    need_types(out, source, call.number(5))
    wanted = call.number(6)
    if wanted is not None and out is not None:
        said = f"{out.name} is {dtype_name(out.dtype)}, and out_dtype says {wanted}"
        need_type(wanted == out.dtype, said, End.ABORT)
    low, high = call.number(3), call.number(4)
    if low is not None and high is not None:
        need(low <= high, f"quant_min is {low}, quant_max {high}", End.ABORT)


def resize_or_abort(
    call: Call, out: Operand | None = None, sizes: Sequence[Size] | None = None
) -> None:
    """The output takes these sizes; as it stands the first one takes those of the input."""
    source = call.tensor(0)
    if out is None and sizes is None:
        out, sizes = call.out(), source.sizes if source is not None else None
    try:
        resize(out, sizes)
    except Refused as refused:
        raise Refused(str(refused), End.ABORT, refused.cause) from refused


def need_types(real: Operand | None, quantised: Operand | None, code: int | None) -> None:
    """The type of the numbers, that of the quantised ones, and what the latter is said to be."""
    if real is not None:
        name = dtype_name(real.dtype)
        need_type(real.dtype in _FLOATING, f"{real.name} is {name}", End.ABORT)
    if quantised is not None:
        name = dtype_name(quantised.dtype)
        need_type(quantised.dtype in _QUANTISED, f"{quantised.name} is {name}", End.ABORT)
        if code is not None:
            said = f"{quantised.name} is {name}, and dtype says {dtype_name(code)}"
            need_type(code == quantised.dtype, said, End.ABORT)


def need_range(out: Operand | None, low: int | None, high: int | None) -> None:
    """What is quantised lies in the range of its type."""
    if out is not None and low is not None and high is not None:
        least, most = _QUANTISED[out.dtype]
        need(least <= low, f"quant_min is {low}", End.ABORT)
        need(high <= most, f"quant_max is {high}", End.ABORT)
