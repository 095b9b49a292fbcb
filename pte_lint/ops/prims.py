"""The hand-registered prim ops: what each takes, how it fails, and what it makes of numbers.

A call's arguments are counted first (InvalidProgram), then their kinds are looked at, then it
calculates. Some ops test kinds and return InvalidType, others convert and abort the process. The
last argument of all but two is the slot for the result: whatever it holds, it is overwritten.
Source: kernels/prim_ops/register_prim_ops.cpp, the same from 1.2 to 1.5 but for what 1.4 added.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from pte_lint.ops.numbers import (
    Number,
    Trap,
    divided,
    double,
    floored,
    quotient,
    raised,
    rest,
    rounded,
    whole,
    wrapped,
)
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.frozen import dataclass

_INT, _BOOL, _DOUBLE = KernelTypes.INT, KernelTypes.BOOL, KernelTypes.DOUBLE
_TENSOR = KernelTypes.TENSOR

UNKNOWN: Final = -1
"""The kind of what is a number of some kind, and nobody knows which."""

SYM_SIZE: Final = "aten::sym_size.int"
SYM_NUMEL: Final = "aten::sym_numel"
LOCAL_SCALAR: Final = "aten::_local_scalar_dense"
ET_VIEW: Final = "executorch_prim::et_view.default"
ET_COPY_INDEX: Final = "executorch_prim::et_copy_index.tensor"
SYM_FLOAT: Final = "executorch_prim::sym_float.Scalar"
_ITE: Final = "executorch_prim::sym_ite.Scalar"

_ANY: Final = frozenset(KernelTypes)
_NUMBER: Final = frozenset({_INT, _DOUBLE})
_SCALAR: Final = frozenset({_INT, _DOUBLE, _BOOL})
_WHOLE: Final = frozenset({_INT})


class Operand(Protocol):
    """What is known of an argument: its kind, and its number if that is known, too."""

    @property
    def kind(self) -> int:
        """One of `KernelTypes`; 0 or less when not known."""

    @property
    def number(self) -> Number | None:
        """An Int's, Bool's or Double's value."""


class Result(NamedTuple):
    """What a call leaves in its slot."""

    kind: int
    number: Number | None = None


@dataclass(frozen=True, slots=True)
class PrimOp:
    """One prim op."""

    accepted: tuple[frozenset[KernelTypes], ...]
    """Kinds by argument position, the result's slot left out."""
    results: frozenset[KernelTypes] = frozenset()
    """Kinds that the slot can have afterwards; empty when a tensor is written."""
    value: Callable[..., Number | None] | None = None
    """The result for numbers of kinds that it takes; None for one that is not known.

    It raises `Trap` where the process is stopped.
    """
    aborts: bool = False
    """A wrong kind aborts the process; else the op returns InvalidType."""

    @property
    def count(self) -> int:
        """Arguments of a call, the result's slot included."""
        return len(self.accepted) + bool(self.results)


def refused_for(name: str, operands: Sequence[Operand]) -> int | None:
    """The argument whose kind does not go with the others, though it may be taken alone.

    Args:
        name: A prim op.
        operands: Its arguments without the slot, of kinds that it accepts.
    """
    if name == _ITE:
        # Only the one that is chosen is looked at.
        chosen = (1, 2) if operands[0].number is None else (1 if operands[0].number else 2,)
        wrong = [n for n in chosen if operands[n].kind > 0 and operands[n].kind not in _SCALAR]
        return wrong[0] if len(wrong) == len(chosen) else None
    if name in _COMPARISONS:
        left, right = (each.kind for each in operands)
        return 1 if min(left, right) > 0 and (left == _BOOL) != (right == _BOOL) else None
    return None


def divides_by(name: str, operands: Sequence[Operand]) -> Number | None:
    """The divisor that stops the process with SIGFPE, if the call surely divides by such a one."""
    value = PRIM_OPS[name].value
    if name not in _DIVISIONS or any(each.kind != _INT for each in operands) or value is None:
        return None
    dividend, divisor = (each.number for each in operands)
    try:
        if divisor is not None:
            value(1 if dividend is None else dividend, divisor)
    except Trap:
        return divisor
    return None


def result(name: str, operands: Sequence[Operand]) -> Result:
    """What the call leaves in its slot.

    Args:
        name: A prim op that calculates with numbers.
        operands: Its arguments without the slot, of kinds that it takes, or unknown.

    Raises:
        Trap: The process is stopped; see `divides_by`.
    """
    op = PRIM_OPS[name]
    if name == _ITE and operands[0].number is not None:
        chosen = operands[1 if operands[0].number else 2]
        return Result(chosen.kind, chosen.number)
    numbers = [each.number for each in operands]
    kind = _kind(op, [each.kind for each in (operands[1:] if name == _ITE else operands)])
    if op.value is None or None in numbers or any(each.kind <= 0 for each in operands):
        return Result(kind)
    return Result(kind, op.value(*numbers))


def _kind(op: PrimOp, kinds: Sequence[int]) -> int:
    """The kind of a result whose number is not known."""
    if len(op.results) == 1:
        return next(iter(op.results))
    if op.results == _NUMBER and _DOUBLE in kinds:
        return _DOUBLE
    return kinds[0] if len(set(kinds)) == 1 else UNKNOWN


def _arithmetic(calculate: Callable[[Any, Any], Any]) -> PrimOp:
    def value(a: Number, b: Number) -> Number:
        if isinstance(a, float) or isinstance(b, float):
            return double(calculate(float(a), float(b)))
        return wrapped(calculate(a, b))

    return PrimOp((_NUMBER, _NUMBER), _NUMBER, value)


def _comparison(compare: Callable[[Number, Number], bool]) -> PrimOp:
    """Int against Double compares doubles; Bool goes with Bool only, see `refused_for`."""

    def value(a: Number, b: Number) -> bool:
        if isinstance(a, float) or isinstance(b, float):
            return compare(float(a), float(b))
        return compare(a, b)

    return PrimOp((_SCALAR, _SCALAR), frozenset({_BOOL}), value)


def _whole(value: Callable[[int, int], int], *, aborts: bool = False) -> PrimOp:
    return PrimOp((_WHOLE, _WHOLE), _WHOLE, value, aborts)


def _rounding(value: Callable[[float], int]) -> PrimOp:
    return PrimOp((frozenset({_DOUBLE}),), _WHOLE, value)


def _floordiv(a: Number, b: Number) -> Number | None:
    if isinstance(a, int) and isinstance(b, int):
        return a // b if rest(a, b) else quotient(a, b)
    found = floored(float(a), float(b))
    return None if found is None else double(found)


def _negated(a: Number) -> Number:
    return double(-float(a)) if isinstance(a, float) else wrapped(-a)


_SCALARS: Final[Mapping[str, PrimOp]] = {
    "add": _arithmetic(operator.add),
    "sub": _arithmetic(operator.sub),
    "mul": _arithmetic(operator.mul),
    "floordiv": PrimOp((_NUMBER, _NUMBER), _NUMBER, _floordiv),
    "truediv": PrimOp(
        (_NUMBER, _NUMBER), frozenset({_DOUBLE}), lambda a, b: double(divided(float(a), float(b)))
    ),
    "mod": _whole(rest),
    "sym_max": _whole(max),
    "sym_min": _whole(min),
    "eq": _comparison(operator.eq),
    "gt": _comparison(operator.gt),
    "lt": _comparison(operator.lt),
    "ge": _comparison(operator.ge),
    "le": _comparison(operator.le),
    "neg": PrimOp((_NUMBER,), _NUMBER, _negated),
    "ceil": _rounding(raised),
    "round": _rounding(rounded),
    "trunc": _rounding(whole),
    # A Bool is taken since 1.4: `BOOL_AS_DOUBLE_SINCE`.
    "sym_float": PrimOp((_SCALAR,), frozenset({_DOUBLE}), lambda a: double(float(a))),
    "sym_int": PrimOp((_SCALAR,), _WHOLE, lambda a: whole(a) if isinstance(a, float) else int(a)),
    "sym_not": PrimOp((frozenset({_BOOL}),), frozenset({_BOOL}), operator.not_),
    "sym_ite": PrimOp(
        (frozenset({_BOOL}), _ANY, _ANY), _SCALAR, lambda chosen, a, b: a if chosen else b
    ),
}

_COMPARISONS: Final = frozenset(
    f"executorch_prim::{stem}.Scalar" for stem in ("eq", "gt", "lt", "ge", "le")
)
_DIVISIONS: Final = frozenset(
    f"executorch_prim::{name}"
    for name in ("floordiv.Scalar", "mod.Scalar", "floordiv.int", "mod.int")
)
"""Ops that divide Ints with the processor's own instruction."""

BOOL_AS_DOUBLE_SINCE: Final = "1.4"
"""The release from which `sym_float` takes a Bool; earlier ones return InvalidType."""

PRIM_OPS: Final[Mapping[str, PrimOp]] = {
    SYM_SIZE: PrimOp((frozenset({_TENSOR}), _WHOLE), _WHOLE, aborts=True),
    SYM_NUMEL: PrimOp((frozenset({_TENSOR}),), _WHOLE, aborts=True),
    LOCAL_SCALAR: PrimOp((frozenset({_TENSOR}),), _SCALAR, aborts=True),
    ET_VIEW: PrimOp(
        (frozenset({_TENSOR}), frozenset({KernelTypes.INT_LIST}), frozenset({_TENSOR})),
        aborts=True,
    ),
    ET_COPY_INDEX: PrimOp((frozenset({_TENSOR}), frozenset({_TENSOR}), _WHOLE), aborts=True),
    **{f"executorch_prim::{stem}.Scalar": op for stem, op in _SCALARS.items()},
    "executorch_prim::floordiv.int": _whole(quotient, aborts=True),
    "executorch_prim::mod.int": _whole(rest, aborts=True),
}
