"""Element types as kernels class, combine and convert them.

From c10/core/ScalarType.h as ExecuTorch carries it (runtime/core/portable_type/c10).
"""

from __future__ import annotations

from typing import Final

BOOL: Final = 11
FLOATING: Final = frozenset({5, 6, 7, 15})
COMPLEX: Final = frozenset({8, 9, 10})
WHOLE: Final = frozenset({0, 1, 2, 3, 4})
REAL: Final = WHOLE | FLOATING
"""All but bool, complex and quantised ones: what `ET_SWITCH_REALHBF16_TYPES` lets through."""
REAL_OR_BOOL: Final = REAL | {BOOL}
UINT8: Final = 0
INT32: Final = 3
INT64: Final = 4
FLOAT32: Final = 6
FLOAT64: Final = 7


def _category(dtype: int) -> int | None:
    if dtype == BOOL:
        return 0
    if dtype in WHOLE:
        return 1
    if dtype in FLOATING:
        return 2
    return 3 if dtype in COMPLEX else None


def can_cast(source: int, target: int) -> bool | None:
    """Whether a result of one type may be stored as another; None for types not known here.

    Complex numbers never become real, floating-point ones never whole, and nothing but a Bool
    becomes a Bool.
    """
    have, want = _category(source), _category(target)
    if have is None or want is None:
        return None
    if have in {2, 3}:
        return want >= have
    return want != 0 or have == 0


_SIGNED: Final = (1, 2, 3, 4)
"""int8, int16, int32, int64: narrow ones first."""
_HALVES: Final = frozenset({5, 15})


def promote(left: int, right: int) -> int | None:
    """The type that two tensors are computed in; None for types not known here."""
    if left == right:
        return left
    kinds = _category(left), _category(right)
    if None in kinds or 3 in kinds:
        return None
    if kinds[0] != kinds[1]:
        return left if (kinds[0] or 0) > (kinds[1] or 0) else right
    if kinds[0] == 1:
        # uint8 and a signed type meet in a signed type that holds both.
        signed = [_SIGNED.index(t) if t != UINT8 else 1 for t in (left, right)]
        return _SIGNED[max(signed)]
    return FLOAT32 if {left, right} == _HALVES else max({left, right} - _HALVES)


def promote_scalar(tensor: int, scalar: int) -> int:
    """The type that a tensor and a number are computed in.

    `scalar` is the number's type: BOOL, INT64 or FLOAT64. It only counts where it is of a higher
    kind than the tensor's type (kernels/portable/cpu/scalar_utils.h: `promote_type_with_scalar`).
    """
    if scalar == FLOAT64 and tensor not in FLOATING | COMPLEX:
        return FLOAT32
    return INT64 if scalar == INT64 and tensor == BOOL else tensor
