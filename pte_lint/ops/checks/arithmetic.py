"""What the kernels of add, sub, mul and div refuse.

Sources: op_add.cpp, op_add_sub_impl.h, op_sub.cpp, op_mul.cpp, op_div.cpp and binary_ops.h of
kernels/optimized/cpu, and op_div.cpp and op_rsub.cpp of kernels/portable/cpu. Complex numbers are
added, subtracted and multiplied where all tensors have one type, and by fewer of the fast paths.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pte_lint.ops.checks.call import Call, Cause, End, Operand, Refused
from pte_lint.ops.checks.conditions import need, need_type, of_types, one_order, same_types, support
from pte_lint.ops.checks.laws import Law, common_type
from pte_lint.ops.checks.paths import is_fast, is_flat
from pte_lint.ops.checks.scalars import extractable
from pte_lint.ops.promotion import (
    BFLOAT16,
    BITS,
    BOOL,
    COMPLEX,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    FLOATING,
    INT64,
    QUANTISED,
    REAL,
    REAL_OR_BOOL,
    WHOLE,
    can_cast,
    promote,
)
from pte_lint.schema.enums import dtype_name
from pte_lint.text.words import article

_CAST: Final = Law(tensors=(0, 1))
_CAST_REAL: Final = Law(tensors=(0, 1), common=REAL)
_TO_FLOAT: Final = Law(tensors=(0, 1), outs=FLOATING, free=True, promotes=False)
_WITH_SCALAR: Final = Law(scalars=(1,), common=REAL)
_HALVES: Final = frozenset({FLOAT16, BFLOAT16})
_NARROW: Final = FLOATING - {FLOAT64}


def _operands(call: Call) -> tuple[Operand | None, Operand | None, Operand | None]:
    return call.tensor(0), call.tensor(1), call.out()


def _is_complex(*operands: Operand | None) -> bool:
    return any(operand is not None and operand.dtype in COMPLEX for operand in operands)


def _single(operand: Operand) -> bool | None:
    """Whether the tensor has one element; None when that is not known."""
    return None if operand.numel is None else operand.numel == 1


# -- add and sub ----------------------------------------------------------------------------------


def _check_alpha(call: Call, position: int, kind: int | None, *, computed: int | None) -> None:
    """The factor goes into the common type, and into what is computed in."""
    alpha = call.scalar_type(position)
    if kind is None or alpha is None:
        return
    message = (
        f"the factor is {article(dtype_name(alpha))}, which does not go into {dtype_name(kind)}"
    )
    need_type(can_cast(alpha, kind) or (kind == BOOL and alpha in {BOOL, INT64}), message)
    number = call.scalar(position)
    if computed in REAL_OR_BOOL and number is not None:
        message = f"the factor {number} does not go into {dtype_name(computed)}"
        need(extractable(number, computed), message)


def _computed(kind: int | None) -> int | None:
    """The type that a kernel computes in for a common type."""
    return FLOAT32 if kind in _HALVES else kind


def add(call: Call) -> None:
    """add.out(self, other, *, alpha, out)."""
    left, right, out = _operands(call)
    kind = common_type(call, (left, right))
    if not _is_complex(left, right, out):
        _check_alpha(call, 2, kind, computed=_computed(kind))
        _CAST.check(call)
        return
    _check_alpha(call, 2, kind, computed=None)
    one_order(left, right, out)
    same_types(left, right, out)
    if left is None or right is None or out is None:
        return
    single = _single(left), _single(right)
    if True not in single and None not in single:
        support(is_flat(left, right), "complex numbers are not added to broadcast ones")


def subtract(call: Call) -> None:
    """sub.out(self, other, *, alpha, out)."""
    need_type(call.scalar_type(2) != BOOL, "the factor is a bool")
    left, right, out = _operands(call)
    kind = common_type(call, (left, right))
    if kind is not None and (alpha := call.scalar_type(2)) is not None:
        need_type(can_cast(alpha, kind), f"the factor is {article(dtype_name(alpha))}")
    if not _is_complex(left, right, out):
        _check_alpha(call, 2, kind, computed=_computed(kind))
        _CAST_REAL.check(call)
        return
    one_order(left, right, out)
    same_types(left, right, out)
    if left is None or right is None or out is None:
        return
    single = _single(left), _single(right)
    support(True not in single, "a single complex number is not subtracted")
    if None not in single:
        support(is_flat(left, right), "complex numbers are not subtracted from broadcast ones")


def add_scalar(call: Call) -> None:
    """add.Scalar_out(self, other, alpha, *, out): it mixes narrow floating-point types."""
    source, out = call.tensor(0), call.out()
    kind = common_type(call, (source,), (1,))
    computed = _computed(kind)
    if kind in _NARROW and out is not None:
        computed = FLOAT32
    _check_alpha(call, 2, kind, computed=computed)
    one_order(source, out)
    of_types(REAL_OR_BOOL, source)
    if kind is None or source is None or out is None:
        return
    need_type(kind == source.dtype, f"a result of {dtype_name(kind)} is not the input's type")
    good = out.dtype == kind or {kind, out.dtype} <= _NARROW
    need_type(good, f"a result of {dtype_name(kind)} does not go into {dtype_name(out.dtype)}")


def _subtract_scalar(position_is_checked: bool) -> Callable[[Call], None]:
    def check(call: Call) -> None:
        need_type(call.scalar_type(2) != BOOL, "the factor is a bool")
        source = call.tensor(0)
        kind = common_type(call, (source,), (1,))
        alpha = call.scalar_type(2)
        if kind is not None and alpha is not None:
            need_type(can_cast(alpha, kind), f"the factor is {article(dtype_name(alpha))}")
        Law(scalars=(1,), types=REAL, exact=True).check(call)
        plain = source is not None and source.dtype == kind and kind not in _HALVES
        if position_is_checked and plain:
            _check_alpha(call, 2, kind, computed=kind)

    return check


# -- mul ------------------------------------------------------------------------------------------


def multiply(call: Call) -> None:
    """mul.out(self, other, *, out)."""
    left, right, out = _operands(call)
    common_type(call, (left, right))
    if not _is_complex(left, right, out):
        _CAST.check(call)
        return
    one_order(left, right, out)
    same_types(left, right, out)
    for operand in (left, right):
        if operand is not None:
            support(_single(operand) is not True, f"{operand.name} is a single complex number")


# -- div ------------------------------------------------------------------------------------------


def divide(call: Call) -> None:
    """div.out(self, other, *, out): some paths divide equal whole types as they are."""
    left, right, out = _operands(call)
    one_order(left, right, out)
    if left is None or right is None or out is None:
        return
    if _is_complex(left, right):
        _divide_complex(left, right, out)
    elif left.dtype == right.dtype == out.dtype and left.dtype not in _HALVES:
        single = _single(left), _single(right)
        fast = True if True in single else is_fast(left, right)
        if fast is None or (fast and left.dtype in REAL_OR_BOOL):
            return
        need_type(not fast, f"{left.name} is {dtype_name(left.dtype)}")
        _divide_slowly(call, left, right)
    else:
        _divide_slowly(call, left, right)


def _divide_slowly(call: Call, left: Operand, right: Operand) -> None:
    for operand in (left, right):
        odd = operand.dtype in QUANTISED | BITS
        need_type(not odd, f"{operand.name} is {dtype_name(operand.dtype)}", End.ABORT)
    _TO_FLOAT.check(call)


def _divide_complex(left: Operand, right: Operand, out: Operand) -> None:
    kind = promote(left.dtype, right.dtype)
    if kind is None:
        raise Refused(
            f"{dtype_name(left.dtype)} and {dtype_name(right.dtype)} do not go together",
            End.ABORT,
            Cause.TYPES,
        )
    need_type(kind != 8, f"it does not compute in {dtype_name(kind)}")
    if out.numel == 0:
        return
    for operand in (left, right, out):
        need_type(
            operand.dtype == kind,
            f"{operand.name} is {dtype_name(operand.dtype)} and taken for {dtype_name(kind)}",
            End.UNCHECKED,
        )
    for operand in (left, right):
        if operand.numel is not None and out.numel is not None:
            short = f"{operand.name} has {operand.numel} elements, and {out.numel} are read"
            need(operand.numel >= out.numel, short, End.UNCHECKED)


def _mode(call: Call, position: int) -> None:
    mode = call.string(position)
    need(mode in (None, "trunc", "floor"), f"the rounding mode is {mode!r}")


def divide_rounding(call: Call) -> None:
    """div.out_mode(self, other, *, rounding_mode, out)."""
    if call.is_none(2):
        divide_portably(call)
    elif call.is_none(2) is False:
        _mode(call, 2)
        _CAST_REAL.check(call)


def divide_portably(call: Call) -> None:
    """The portable kernel of div.out, which div.out_mode calls where no mode is given."""
    left, right, out = _operands(call)
    if left is None or right is None or out is None:
        return
    one_order(left, right, out)
    if _is_complex(left, right):
        _divide_complex(left, right, out)
    else:
        _TO_FLOAT.check(call)


def divide_scalar(call: Call) -> None:
    """div.Scalar_out(self, other, *, out)."""
    source, out = call.tensor(0), call.out()
    one_order(source, out)
    of_types(REAL_OR_BOOL, source)
    if source is not None and out is not None:
        wanted = source.dtype if source.dtype in FLOATING else FLOAT32
        message = f"a result of {dtype_name(wanted)} does not go into {dtype_name(out.dtype)}"
        need_type(out.dtype == wanted, message)


def divide_scalar_rounding(call: Call) -> None:
    """div.Scalar_mode_out(self, other, *, rounding_mode, out)."""
    if call.is_none(2):
        divide_scalar(call)
    elif call.is_none(2) is False:
        _mode(call, 2)
        by_scalar(call)


def by_scalar(call: Call) -> None:
    """fmod.Scalar_out and remainder.Scalar_out(self, other, *, out)."""
    kind = common_type(call, (call.tensor(0),), (1,))
    _WITH_SCALAR.check(call)
    need(kind not in WHOLE or call.scalar(1) != 0, "whole numbers are divided by 0")


ARITHMETIC: Final[Mapping[str, Callable[[Call], None]]] = {
    "aten::add.Scalar_out": add_scalar,
    "aten::add.out": add,
    "aten::div.Scalar_mode_out": divide_scalar_rounding,
    "aten::div.Scalar_out": divide_scalar,
    "aten::div.out": divide,
    "aten::div.out_mode": divide_rounding,
    "aten::fmod.Scalar_out": by_scalar,
    "aten::mul.Scalar_out": Law(scalars=(1,), exact=True).check,
    "aten::mul.out": multiply,
    "aten::remainder.Scalar_out": by_scalar,
    "aten::rsub.Scalar_out": _subtract_scalar(position_is_checked=False),
    "aten::sub.Scalar_out": _subtract_scalar(position_is_checked=True),
    "aten::sub.out": subtract,
}
"""Checks by operator."""
