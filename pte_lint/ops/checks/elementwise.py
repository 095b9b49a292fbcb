"""Which element types elementwise kernels refuse.

Sources: kernels/portable/cpu/util/dtype_util.cpp and elementwise_util.h, kernels/portable/cpu/
pattern/*, and what op_*.cpp in kernels/portable/cpu and kernels/optimized/cpu check themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pte_lint.ops.checks.arithmetic import ARITHMETIC
from pte_lint.ops.checks.call import Call, Refused
from pte_lint.ops.checks.conditions import (
    goes_into,
    need,
    of_types,
    one_order,
    rank,
)
from pte_lint.ops.checks.laws import Law
from pte_lint.ops.checks.scalars import RANGES, in_range
from pte_lint.ops.promotion import (
    BFLOAT16,
    BOOL,
    COMPLEX,
    FLOAT32,
    FLOAT64,
    FLOATING,
    REAL,
    REAL_OR_BOOL,
    UINT8,
    WHOLE,
)
from pte_lint.schema.enums import dtype_name

_INTEGRAL: Final = WHOLE | {BOOL}


_TO_FLOAT: Final = Law(outs=FLOATING, free=True)
_TWO_TO_FLOAT: Final = Law(tensors=(0, 1), outs=FLOATING, free=True, promotes=False)
_COMPARED: Final = Law(tensors=(0, 1), free=True)
_LOGICAL: Final = Law(tensors=(0, 1), free=True, promotes=False)
_KEPT: Final = Law(exact=True)
_KEPT_REAL: Final = Law(types=REAL, exact=True)
_KEPT_FLOATING: Final = Law(types=FLOATING, exact=True)
_CAST: Final = Law(tensors=(0, 1))
_CAST_REAL: Final = Law(tensors=(0, 1), common=REAL)
_WITH_SCALAR: Final = Law(scalars=(1,), common=REAL)
_BITS: Final = Law(tensors=(0, 1), types=_INTEGRAL)
_BITS_SCALAR: Final = Law(scalars=(1,), types=_INTEGRAL, common=_INTEGRAL)


def _absolute(call: Call) -> None:
    """abs.out(self, *, out): of complex numbers it makes floating-point ones."""
    source, out = call.tensor(0), call.out()
    one_order(source, out)
    if source is not None and source.dtype in COMPLEX:
        of_types(FLOATING - {BFLOAT16}, out)
    else:
        _KEPT_REAL.check(call)


def _clamp(call: Call) -> None:
    """clamp.out(self, min, max, *, out): bounds must be in the range of the result's type."""
    need(not (call.is_none(1) and call.is_none(2)), "there is neither a minimum nor a maximum")
    Law(scalars=(1, 2), exact=True).check(call)
    out = call.out()
    for position in (1, 2):
        number = call.scalar(position)
        if out is None or number is None:
            continue
        message = f"the bound {number} is outside the range of {dtype_name(out.dtype)}"
        if out.dtype in FLOATING:
            need(in_range(number, out.dtype), message)
        elif out.dtype in WHOLE and not isinstance(number, float):
            low, high = RANGES[out.dtype]
            need(low <= number <= high, message)


def _clamp_to_tensors(call: Call) -> None:
    """clamp.Tensor_out(self, min, max, *, out)."""
    need(not (call.is_none(1) and call.is_none(2)), "there is neither a minimum nor a maximum")
    Law(tensors=(0, 1, 2)).check(call)


def _fill(call: Call) -> None:
    """fill.Scalar_out(self, value, *, out)."""
    _KEPT.check(call)
    goes_into(call, 1, call.tensor(0))


def _fill_from_tensor(call: Call) -> None:
    """fill.Tensor_out(self, value, *, out)."""
    value = call.tensor(1)
    rank(value, 0)
    _KEPT.check(call)
    of_types(REAL_OR_BOOL, value)


def _hard_tanh(call: Call) -> None:
    """hardtanh.out(self, min_val, max_val, *, out)."""
    _KEPT_REAL.check(call)
    goes_into(call, 1, call.tensor(0))
    goes_into(call, 2, call.tensor(0))


def _leaky_relu(call: Call) -> None:
    """leaky_relu.out(self, negative_slope, *, out)."""
    _KEPT_FLOATING.check(call)
    goes_into(call, 1, call.tensor(0))


def _gelu(call: Call) -> None:
    """gelu.out(self, *, approximate, out)."""
    Law(types=FLOATING, exact=True, ordered=False).check(call)
    kind = call.string(1)
    need(kind in (None, "none", "tanh"), f"the approximation is {kind!r}")


def _less_or_equal(call: Call) -> None:
    """le.Tensor_out(self, other, *, out): it promotes types after it has compared sizes."""
    one_order(call.tensor(0), call.tensor(1), call.out())
    try:
        _COMPARED.check(call)
    except Refused as reason:
        raise Refused(str(reason), reason.end, reason.cause) from reason


def _masked_fill(call: Call) -> None:
    """masked_fill.Scalar_out(self, mask, value, *, out)."""
    mask = call.tensor(1)
    of_types({BOOL}, mask)
    one_order(call.tensor(0), mask)
    _KEPT.check(call)


def _where(call: Call) -> None:
    """where.self_out(condition, self, other, *, out)."""
    condition = call.tensor(0)
    of_types({BOOL, UINT8}, condition)
    one_order(condition, call.out())
    Law(tensors=(1, 2), exact=True).check(call)


LAWS: Final[Mapping[str, Callable[[Call], None]]] = {
    **{
        f"aten::{name}.out": law.check
        for law, names in {
            _TO_FLOAT: "acos acosh asin asinh atan atanh cos cosh erf expm1 log log10 log1p "
            "log2 reciprocal rsqrt sigmoid sin sinh sqrt tan tanh",
            _KEPT_REAL: "ceil floor neg relu round trunc",
            _KEPT_FLOATING: "elu",
            _KEPT: "sign",
            _TWO_TO_FLOAT: "atan2",
            _LOGICAL: "logical_and logical_or logical_xor",
            _CAST: "maximum minimum",
            _CAST_REAL: "floor_divide",
        }.items()
        for name in names.split()
    },
    **{
        f"aten::{name}.Tensor_out": law.check
        for law, names in {
            _COMPARED: "eq ge gt lt ne",
            _BITS: "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor",
            _CAST_REAL: "fmod remainder",
        }.items()
        for name in names.split()
    },
    **{
        f"aten::{name}.Scalar_out": law.check
        for law, names in {
            Law(scalars=(1,), free=True): "eq ge gt le lt ne",
            _BITS_SCALAR: "bitwise_and bitwise_or bitwise_xor",
        }.items()
        for name in names.split()
    },
    **ARITHMETIC,
    "aten::abs.out": _absolute,
    "aten::clamp.Tensor_out": _clamp_to_tensors,
    "aten::clamp.out": _clamp,
    "aten::exp.out": Law(outs=FLOATING, free=True, ordered=False).check,
    "aten::fill.Scalar_out": _fill,
    "aten::fill.Tensor_out": _fill_from_tensor,
    "aten::gelu.out": _gelu,
    "aten::hardtanh.out": _hard_tanh,
    "aten::le.Tensor_out": _less_or_equal,
    "aten::leaky_relu.out": _leaky_relu,
    "aten::bitwise_left_shift.Tensor_Scalar_out": _BITS_SCALAR.check,
    "aten::bitwise_not.out": Law(types=_INTEGRAL, exact=True).check,
    "aten::bitwise_right_shift.Tensor_Scalar_out": _BITS_SCALAR.check,
    "aten::isinf.out": Law(outs=frozenset({BOOL}), free=True).check,
    "aten::isnan.out": Law(outs=frozenset({BOOL}), free=True).check,
    "aten::logical_not.out": Law(free=True).check,
    "aten::logit.out": Law(outs=frozenset({FLOAT32, FLOAT64}), free=True).check,
    "aten::masked_fill.Scalar_out": _masked_fill,
    "aten::pow.Scalar_out": Law(tensors=(1,), scalars=(0,), common=REAL).check,
    "aten::pow.Tensor_Scalar_out": _WITH_SCALAR.check,
    "aten::pow.Tensor_Tensor_out": _CAST_REAL.check,
    "aten::where.self_out": _where,
}
"""Checks of element types by operator."""
