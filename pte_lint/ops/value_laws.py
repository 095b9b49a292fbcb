"""Kernels that compute something else than PyTorch for some values, whatever the layout.

Measured with the 1.5.1 wheel on contiguous tensors (docs/values.md). Which values a tensor holds is
not in the file, so that none of this is proven to show; only what ordinary values meet is here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from pte_lint.ops.promotion import FLOAT64, UINT8, WHOLE
from pte_lint.schema.enums import element_size

if TYPE_CHECKING:
    from pte_lint.ops.checks.call import Call

_SIGNED: Final = WHOLE - {UINT8}

ValueLaw = Callable[["Call"], str | None]
"""What differs, to be read after the operator's name; None where nothing does."""


def _remainder(call: Call) -> str | None:
    """op_remainder.cpp: `std::fmod` or `%` without the correction of the sign."""
    source, out = call.tensor(0), call.out()
    if source is None or out is None or not {source.dtype, out.dtype} <= _SIGNED:
        return None
    return (
        "gives the remainder of whole numbers the sign of the dividend, PyTorch that of the "
        "divisor: -3 % 8 is -3 instead of 5"
    )


def _shift(call: Call) -> str | None:
    """op_bitwise_left_shift.cpp, op_bitwise_right_shift.cpp: what C++ leaves open."""
    source, count = call.tensor(0), call.scalar(1)
    if source is None or source.dtype not in WHOLE or count is None:
        return None
    width = 8 * (element_size(source.dtype) or 0)
    if 0 <= count < width:
        return None
    return f"shifts {width} bits by {count}, which C++ leaves open and PyTorch makes 0 or -1"


def _double(call: Call) -> str | None:
    """Kernels that compute float64 in float32."""
    source = call.tensor(0)
    if source is None or source.dtype != FLOAT64:
        return None
    return "computes float64 in float32: results have 7 digits instead of 15"


def _bytes(call: Call) -> str | None:
    """op_upsample_bilinear2d.cpp, op_upsample_bilinear2d_aa.cpp: whole numbers are cut off."""
    source = call.tensor(0)
    if source is None or source.dtype != UINT8:
        return None
    return "cuts off what PyTorch rounds: bytes are off by one"


VALUE_LAWS: Final[Mapping[str, ValueLaw]] = {
    "aten::_adaptive_avg_pool2d.out": _double,
    "aten::_native_batch_norm_legit.no_stats_out": _double,
    "aten::_upsample_bilinear2d_aa.out": _bytes,
    "aten::bitwise_left_shift.Tensor_Scalar_out": _shift,
    "aten::bitwise_right_shift.Tensor_Scalar_out": _shift,
    "aten::native_group_norm.out": _double,
    "aten::native_layer_norm.out": _double,
    "aten::remainder.Scalar_out": _remainder,
    "aten::remainder.Tensor_out": _remainder,
    "aten::sum.IntList_out": _double,
    "aten::upsample_bilinear2d.vec_out": _bytes,
}
