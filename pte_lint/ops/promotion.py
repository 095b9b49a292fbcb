"""Element types as kernels class, combine and convert them.

From c10/core/ScalarType.h as ExecuTorch carries it (runtime/core/portable_type/c10).
"""

from __future__ import annotations

from typing import Final

BOOL: Final = 11
FLOATING: Final = frozenset({5, 6, 7, 15})
COMPLEX: Final = frozenset({8, 9, 10})
WHOLE: Final = frozenset({0, 1, 2, 3, 4})
QUANTISED: Final = frozenset({12, 13, 14, 16, 17})
BITS: Final = frozenset({18, 19, 20, 21, 22})
REAL: Final = WHOLE | FLOATING
"""All but bool, complex and quantised ones: what `ET_SWITCH_REALHBF16_TYPES` lets through."""
ALL: Final = REAL | {BOOL} | COMPLEX | QUANTISED | BITS
"""All but float8 and wide unsigned ones: what `ET_SWITCH_ALL_TYPES` lets through."""
REAL_OR_BOOL: Final = REAL | {BOOL}
UINT8: Final = 0
INT8: Final = 1
INT32: Final = 3
INT64: Final = 4
FLOAT32: Final = 6
FLOAT64: Final = 7
FLOAT16: Final = 5
BFLOAT16: Final = 15


def can_cast(source: int, target: int) -> bool:
    """Whether a result of one type may be stored as another (`canCast`).

    Complex numbers never become real, floating-point ones never whole, and nothing but a Bool
    becomes a Bool. Of other types (quantised ones, bits) it is never denied.
    """
    if source in COMPLEX and target not in COMPLEX:
        return False
    if source in FLOATING and target in WHOLE:
        return False
    return source == BOOL or target != BOOL


_SIGNED: Final = (1, 2, 3, 4)
"""int8, int16, int32, int64: narrow ones first."""
_HALVES: Final = frozenset({5, 15})


def promote(left: int, right: int) -> int | None:
    """The type that two tensors are computed in (`promoteTypes`).

    None where there is none: quantised types, bits, float8 and wide unsigned ones only go with
    themselves, and the runtime aborts over anything else.
    """
    if left == right:
        return left
    if not {left, right} <= _PROMOTED:
        return None
    if {left, right} & COMPLEX:
        return _COMPLEX_OF_WIDTH[max(_width(left), _width(right))]
    kinds = [_kind(left), _kind(right)]
    if kinds[0] != kinds[1]:
        return left if kinds[0] > kinds[1] else right
    if kinds[0] == 1:
        # uint8 and a signed type meet in a signed type that holds both.
        signed = [_SIGNED.index(t) if t != UINT8 else 1 for t in (left, right)]
        return _SIGNED[max(signed)]
    return FLOAT32 if {left, right} == _HALVES else max({left, right} - _HALVES)


def _kind(dtype: int) -> int:
    return 2 if dtype in FLOATING else 1 if dtype in WHOLE else 0


_PROMOTED: Final = REAL_OR_BOOL | COMPLEX
_COMPLEX_OF_WIDTH: Final = (8, 9, 10)


def _width(dtype: int) -> int:
    """Index of the narrowest complex type that a type goes into."""
    if dtype in COMPLEX:
        return _COMPLEX_OF_WIDTH.index(dtype)
    return {FLOAT32: 1, BFLOAT16: 1, FLOAT64: 2}.get(dtype, 0)


def promote_scalar(tensor: int, scalar: int) -> int | None:
    """The type that a tensor and a number are computed in; None where the runtime aborts.

    `scalar` is the number's type: BOOL, INT64 or FLOAT64. It only counts where it is of a higher
    kind than the tensor's type (kernels/portable/cpu/scalar_utils.h: `promote_type_with_scalar`).
    """
    if tensor in QUANTISED | BITS:
        return None
    if tensor in COMPLEX or scalar == BOOL:
        return tensor
    if scalar == FLOAT64:
        return tensor if tensor in FLOATING else FLOAT32
    return tensor if tensor in REAL else INT64
