"""Which element types elementwise kernels refuse.

Sources: kernels/portable/cpu/util/dtype_util.cpp and elementwise_util.h, kernels/portable/cpu/
pattern/*, and what op_*.cpp in kernels/portable/cpu and kernels/optimized/cpu check themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pte_lint.kernels.checks.call import Call, Operand, need_type, of_types, one_order
from pte_lint.kernels.promotion import (
    BOOL,
    FLOAT32,
    FLOAT64,
    FLOATING,
    INT64,
    REAL,
    REAL_OR_BOOL,
    UINT8,
    WHOLE,
    can_cast,
    promote,
    promote_scalar,
)
from pte_lint.schema.enums import dtype_name
from pte_lint.schema.frozen import dataclass

_INTEGRAL: Final = WHOLE | {BOOL}
_NARROW: Final = FLOATING - {FLOAT64}


@dataclass(frozen=True, slots=True)
class Law:
    """What an operator's kernel lets through."""

    tensors: tuple[int, ...] = (0,)
    """Argument positions of the tensors that the result's type follows."""
    scalars: tuple[int, ...] = ()
    """Argument positions of numbers that it follows too."""
    types: frozenset[int] = REAL_OR_BOOL
    """Types that the tensors may have."""
    common: frozenset[int] = REAL_OR_BOOL
    """Types that it may compute in."""
    outs: frozenset[int] = REAL_OR_BOOL
    """Types that the result may have."""
    exact: bool = False
    """The result has the type that is computed in; otherwise that type may be cast to it."""
    free: bool = False
    """The result may have any of its types, whatever the tensors have."""

    def check(self, call: Call) -> None:
        """Follows the kernel's checks of element types and dimension order."""
        sources = [call.tensor(n) for n in self.tensors if not call.is_none(n)]
        out = call.out()
        one_order(*sources, out)
        of_types(self.types, *sources)
        of_types(self.outs, out)
        kind = common_type(call, sources, self.scalars)
        if kind is None:
            return
        need_type(kind in self.common, f"it does not compute in {dtype_name(kind)}")
        if out is None or self.free:
            return
        message = f"a result of {dtype_name(kind)} does not go into {dtype_name(out.dtype)}"
        need_type(kind == out.dtype if self.exact else can_cast(kind, out.dtype), message)


def common_type(call: Call, sources: list[Operand | None], scalars: tuple[int, ...]) -> int | None:
    """The type that tensors and numbers are computed in; None when it is not known."""
    kind: int | None = None
    for source in sources:
        if source is None:
            return None
        kind = source.dtype if kind is None else promote(kind, source.dtype)
        if kind is None:
            return None
    for position in scalars:
        scalar = call.scalar_type(position)
        if call.is_none(position) or kind is None:
            continue
        if scalar is None:
            return None
        kind = promote_scalar(kind, scalar)
    return kind


_TO_FLOAT: Final = Law(outs=FLOATING, free=True)
_TWO_TO_FLOAT: Final = Law(tensors=(0, 1), outs=FLOATING, free=True)
_COMPARED: Final = Law(tensors=(0, 1), free=True)
_KEPT: Final = Law(exact=True)
_KEPT_REAL: Final = Law(types=REAL, exact=True)
_KEPT_FLOATING: Final = Law(types=FLOATING, exact=True)
_CAST: Final = Law(tensors=(0, 1))
_CAST_REAL: Final = Law(tensors=(0, 1), common=REAL)
_WITH_SCALAR: Final = Law(scalars=(1,), common=REAL)
_BITS: Final = Law(tensors=(0, 1), types=_INTEGRAL)
_BITS_SCALAR: Final = Law(scalars=(1,), types=_INTEGRAL, common=_INTEGRAL)


def _alpha(law: Law, position: int) -> Callable[[Call], None]:
    """A law with a factor that must fit the type that is computed in."""

    def check(call: Call) -> None:
        kind = common_type(call, [call.tensor(n) for n in law.tensors], law.scalars)
        alpha = call.scalar_type(position)
        if kind is not None and alpha is not None:
            name = dtype_name(alpha)
            need_type(alpha != BOOL or kind == BOOL, f"the factor is a {name}")
            need_type(can_cast(alpha, kind) or alpha == INT64, f"the factor is a {name}")
        law.check(call)

    return check


def _no_bool_alpha(law: Law, position: int) -> Callable[[Call], None]:
    def check(call: Call) -> None:
        need_type(call.scalar_type(position) != BOOL, "the factor is a bool")
        _alpha(law, position)(call)

    return check


def _divide(call: Call) -> None:
    """div.out(self, other, *, out): equal whole types are divided as they are."""
    left, right, out = call.tensor(0), call.tensor(1), call.out()
    whole = left is not None and left.dtype in _INTEGRAL
    if left is None or right is None or out is None:
        return
    if whole and left.dtype == right.dtype == out.dtype:
        return
    _TWO_TO_FLOAT.check(call)


def _divide_rounding(call: Call) -> None:
    """div.out_mode(self, other, *, rounding_mode, out)."""
    if call.is_none(2):
        _TWO_TO_FLOAT.check(call)
    elif call.tensor(2) is None:
        _CAST_REAL.check(call)


def _divide_scalar(call: Call) -> None:
    """div.Scalar_out(self, other, *, out)."""
    source, out = call.tensor(0), call.out()
    one_order(source, out)
    of_types(REAL_OR_BOOL, source)
    if source is not None and out is not None:
        wanted = source.dtype if source.dtype in FLOATING else FLOAT32
        message = f"a result of {dtype_name(wanted)} does not go into {dtype_name(out.dtype)}"
        need_type(out.dtype == wanted, message)


def _divide_scalar_rounding(call: Call) -> None:
    """div.Scalar_mode_out(self, other, *, rounding_mode, out)."""
    if call.is_none(2):
        _divide_scalar(call)
    else:
        _WITH_SCALAR.check(call)


def _add_scalar(call: Call) -> None:
    """add.Scalar_out(self, other, alpha, *, out): it mixes narrow floating-point types."""
    source, out = call.tensor(0), call.out()
    if source is not None and out is not None and {source.dtype, out.dtype} <= _NARROW:
        return
    _alpha(Law(scalars=(1,), exact=True), 2)(call)


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
            _TO_FLOAT: "acos acosh asin asinh atan atanh cos cosh erf exp expm1 log log10 log1p "
            "log2 reciprocal rsqrt sigmoid sin sinh sqrt tan tanh",
            _KEPT_REAL: "abs ceil floor hardtanh neg relu round trunc",
            _KEPT_FLOATING: "elu gelu leaky_relu",
            _KEPT: "sign",
            _TWO_TO_FLOAT: "atan2",
            _COMPARED: "logical_and logical_or logical_xor",
            _CAST: "maximum minimum mul",
            _CAST_REAL: "floor_divide",
        }.items()
        for name in names.split()
    },
    **{
        f"aten::{name}.Tensor_out": law.check
        for law, names in {
            _COMPARED: "eq ge gt le lt ne",
            _BITS: "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor",
            _CAST_REAL: "fmod remainder",
        }.items()
        for name in names.split()
    },
    **{
        f"aten::{name}.Scalar_out": law.check
        for law, names in {
            Law(free=True): "eq ge gt le lt ne",
            _BITS_SCALAR: "bitwise_and bitwise_or bitwise_xor",
            _WITH_SCALAR: "fmod remainder",
        }.items()
        for name in names.split()
    },
    "aten::add.Scalar_out": _add_scalar,
    "aten::add.out": _alpha(_CAST, 2),
    "aten::bitwise_left_shift.Tensor_Scalar_out": _BITS_SCALAR.check,
    "aten::bitwise_not.out": Law(types=_INTEGRAL, exact=True).check,
    "aten::bitwise_right_shift.Tensor_Scalar_out": _BITS_SCALAR.check,
    "aten::clamp.Tensor_out": Law(tensors=(0, 1, 2)).check,
    "aten::clamp.out": Law(scalars=(1, 2), exact=True).check,
    "aten::div.Scalar_mode_out": _divide_scalar_rounding,
    "aten::div.Scalar_out": _divide_scalar,
    "aten::div.out": _divide,
    "aten::div.out_mode": _divide_rounding,
    "aten::fill.Scalar_out": _KEPT.check,
    "aten::fill.Tensor_out": _KEPT.check,
    "aten::isinf.out": Law(outs=frozenset({BOOL}), free=True).check,
    "aten::isnan.out": Law(outs=frozenset({BOOL}), free=True).check,
    "aten::logical_not.out": Law(free=True).check,
    "aten::logit.out": Law(outs=frozenset({FLOAT32, FLOAT64}), free=True).check,
    "aten::masked_fill.Scalar_out": _masked_fill,
    "aten::mul.Scalar_out": Law(scalars=(1,), exact=True).check,
    "aten::pow.Scalar_out": Law(tensors=(1,), scalars=(0,), common=REAL).check,
    "aten::pow.Tensor_Scalar_out": _WITH_SCALAR.check,
    "aten::pow.Tensor_Tensor_out": _CAST_REAL.check,
    "aten::rsub.Scalar_out": _no_bool_alpha(Law(scalars=(1,), types=REAL, exact=True), 2),
    "aten::sub.Scalar_out": _no_bool_alpha(Law(scalars=(1,), types=REAL, exact=True), 2),
    "aten::sub.out": _no_bool_alpha(_CAST_REAL, 2),
    "aten::where.self_out": _where,
}
"""Checks of element types by operator."""
