"""What prim ops make of numbers, as their kernels calculate.

Divisions and remainders of Ints are C++'s, floordiv.Scalar excepted, which rounds down.
Source: kernels/prim_ops/register_prim_ops.cpp.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Final

from pte_lint.analysis.rehearsal.state import UNKNOWN, Cell, Number
from pte_lint.kernels.prims import PRIM_OPS
from pte_lint.schema.enums import KernelTypes

_INT, _BOOL, _DOUBLE = KernelTypes.INT, KernelTypes.BOOL, KernelTypes.DOUBLE
_PREFIX: Final = "executorch_prim::"

_COMPARISONS: Final[Mapping[str, Callable[[Number, Number], bool]]] = {
    "eq": operator.eq, "gt": operator.gt, "lt": operator.lt, "ge": operator.ge, "le": operator.le,
}  # fmt: skip


def _floor_division(a: int, b: int) -> int | None:
    return a // b if b else None


def _truncated_division(a: int, b: int) -> int | None:
    return None if not b else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _truncated_rest(a: int, b: int) -> int | None:
    quotient = _truncated_division(a, b)
    return None if quotient is None else a - quotient * b


_WHOLE: Final[Mapping[str, Callable[[int, int], int | None]]] = {
    "add.Scalar": operator.add,
    "sub.Scalar": operator.sub,
    "mul.Scalar": operator.mul,
    "floordiv.Scalar": _floor_division,
    "floordiv.int": _truncated_division,
    "mod.Scalar": _truncated_rest,
    "mod.int": _truncated_rest,
    "sym_max.Scalar": max,
    "sym_min.Scalar": min,
}

_SPAN: Final = 1 << 64


def _wrapped(number: int | None) -> int | None:
    """A 64-bit result: overflow is undefined, so nothing is known then."""
    return number if number is not None and -_SPAN // 2 <= number < _SPAN // 2 else None


def overflows(name: str, cells: list[Cell]) -> bool:
    """Whether an op surely calculates beyond 64 bits.

    Args:
        name: A prim op.
        cells: Its arguments without the slot.
    """
    operation = _WHOLE.get(name.removeprefix(_PREFIX)) if name.startswith(_PREFIX) else None
    known = [c.number for c in cells if c.kind == _INT and isinstance(c.number, int)]
    if operation is None or len(known) != 2 or len(cells) != 2:
        return False
    exact = operation(*known)
    return exact is not None and _wrapped(exact) is None


def fitting(name: str, cells: list[Cell]) -> bool:
    """Whether the kinds of a comparison's two arguments go together: Bool goes with Bool only."""
    stem = name.removeprefix(_PREFIX).removesuffix(".Scalar")
    if not name.startswith(_PREFIX) or stem not in _COMPARISONS:
        return True
    return (cells[0].kind == _BOOL) == (cells[1].kind == _BOOL)


def result(name: str, cells: list[Cell]) -> Cell:
    """What the op leaves in its slot, given arguments of kinds that it takes.

    Args:
        name: A prim op that writes a slot, other than those that look at tensors.
        cells: Its arguments without the slot.
    """
    stem = name.removeprefix(_PREFIX)
    kinds = {cell.kind for cell in cells}
    numbers = [cell.number for cell in cells]
    known = [number for number in numbers if number is not None]
    comparison = _COMPARISONS.get(stem.removesuffix(".Scalar"))
    if comparison is not None:
        return Cell(_BOOL, comparison(*known) if len(known) == 2 else None)
    if stem in _WHOLE and kinds == {_INT}:
        whole = [n for n in known if isinstance(n, int)]
        return Cell(_INT, _wrapped(_WHOLE[stem](*whole)) if len(whole) == 2 else None)
    if stem == "neg.Scalar":
        return Cell(cells[0].kind, -known[0] if known else None)
    if stem == "sym_int.Scalar" and kinds != {_DOUBLE}:
        return Cell(_INT, int(known[0]) if known else None)
    if stem == "sym_not.Scalar":
        return Cell(_BOOL, not known[0] if known else None)
    if stem == "sym_ite.Scalar":
        if numbers[0] is not None:
            return cells[1] if numbers[0] else cells[2]
        return Cell(cells[1].kind if cells[1].kind == cells[2].kind else UNKNOWN)
    results = PRIM_OPS[name].results
    return Cell(_DOUBLE if _DOUBLE in results else next(iter(results)))
