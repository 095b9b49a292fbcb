"""The hand-registered prim ops: argument counts, and the kinds of value they take.

From kernels/prim_ops/register_prim_ops.cpp and its siblings. Counts include the slot that the
result goes to, whose kind does not matter. Some of them test kinds and return InvalidType, others
convert and abort the process.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pte_lint.analysis.calling import ET_COPY_INDEX, ET_VIEW, LOCAL_SCALAR
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.frozen import dataclass

_INT, _BOOL, _DOUBLE = KernelTypes.INT, KernelTypes.BOOL, KernelTypes.DOUBLE
_TENSOR = KernelTypes.TENSOR

_NUMBER: Final = frozenset({_INT, _DOUBLE})
_SCALAR: Final = frozenset({_INT, _DOUBLE, _BOOL})
_WHOLE: Final = frozenset({_INT})


@dataclass(frozen=True, slots=True)
class PrimOp:
    """One prim op."""

    count: int
    """Arguments of a call, the result's slot included."""
    accepted: tuple[frozenset[KernelTypes], ...]
    """Kinds by argument position, the result's slot left out."""
    aborts: bool = False
    """A wrong kind aborts the process; else the op returns InvalidType."""
    results: frozenset[KernelTypes] = frozenset()
    """Kinds that the slot can have afterwards; empty when a tensor is written."""


def _arithmetic(results: frozenset[KernelTypes] = _NUMBER) -> PrimOp:
    return PrimOp(3, (_NUMBER, _NUMBER), results=results)


def _comparison() -> PrimOp:
    # Bool goes with Bool only; the pairing is not told here.
    return PrimOp(3, (_SCALAR, _SCALAR), results=frozenset({_BOOL}))


def _rounding() -> PrimOp:
    return PrimOp(2, (frozenset({_DOUBLE}),), results=_WHOLE)


_PREFIX: Final = "executorch_prim::"

PRIM_OPS: Final[Mapping[str, PrimOp]] = {
    "aten::sym_size.int": PrimOp(3, (frozenset({_TENSOR}), _WHOLE), aborts=True, results=_WHOLE),
    "aten::sym_numel": PrimOp(2, (frozenset({_TENSOR}),), aborts=True, results=_WHOLE),
    LOCAL_SCALAR: PrimOp(2, (frozenset({_TENSOR}),), aborts=True, results=_SCALAR),
    ET_VIEW: PrimOp(
        3,
        (frozenset({_TENSOR}), frozenset({KernelTypes.INT_LIST}), frozenset({_TENSOR})),
        aborts=True,
    ),
    ET_COPY_INDEX: PrimOp(3, (frozenset({_TENSOR}), frozenset({_TENSOR}), _WHOLE), aborts=True),
    **{_PREFIX + f"{name}.Scalar": _arithmetic() for name in ("add", "sub", "mul", "floordiv")},
    _PREFIX + "truediv.Scalar": _arithmetic(frozenset({_DOUBLE})),
    **{_PREFIX + f"{name}.Scalar": _comparison() for name in ("eq", "gt", "lt", "ge", "le")},
    **{
        _PREFIX + f"{name}.Scalar": PrimOp(3, (_WHOLE, _WHOLE), results=_WHOLE)
        for name in ("mod", "sym_max", "sym_min")
    },
    **{
        _PREFIX + f"{name}.int": PrimOp(3, (_WHOLE, _WHOLE), aborts=True, results=_WHOLE)
        for name in ("floordiv", "mod")
    },
    _PREFIX + "neg.Scalar": PrimOp(2, (_NUMBER,), results=_NUMBER),
    **{_PREFIX + f"{name}.Scalar": _rounding() for name in ("ceil", "round", "trunc")},
    _PREFIX + "sym_float.Scalar": PrimOp(2, (_SCALAR,), results=frozenset({_DOUBLE})),
    _PREFIX + "sym_int.Scalar": PrimOp(2, (_SCALAR,), results=_WHOLE),
    _PREFIX + "sym_not.Scalar": PrimOp(2, (frozenset({_BOOL}),), results=frozenset({_BOOL})),
    _PREFIX + "sym_ite.Scalar": PrimOp(4, (frozenset({_BOOL}), _SCALAR, _SCALAR), results=_SCALAR),
}

DIVISIONS: Final = frozenset(
    {
        _PREFIX + "floordiv.Scalar",
        _PREFIX + "floordiv.int",
        _PREFIX + "mod.Scalar",
        _PREFIX + "mod.int",
    }
)
"""Ops that divide two Ints with the processor's own instruction, which traps on zero."""
