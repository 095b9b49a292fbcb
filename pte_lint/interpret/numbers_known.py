"""Numbers that are known without running the program."""

from __future__ import annotations

from typing import Final

from pte_lint.ir.calling import list_items
from pte_lint.ir.method import Method
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.program import Bool, Double, DoubleList, Int, IntList, String


def known_int(method: Method, v: int) -> int | None:
    """The value of an Int that no instruction writes; None for anything else."""
    value = method.value(v)
    if value is None or not isinstance(value.val, Int) or method.writers(v):
        return None
    return value.val.int_val


def known_ints(method: Method, v: int) -> tuple[int, ...] | None:
    """The values of an IntList whose items are all known; None for anything else."""
    value = method.value(v)
    if value is None or not isinstance(value.val, IntList) or value.val.items is None:
        return None
    if len(list_items(value)) != len(value.val.items):
        return None
    numbers = [known_int(method, item) for item in value.val.items]
    known = [n for n in numbers if n is not None]
    return tuple(known) if len(known) == len(numbers) else None


NUMERIC: Final = frozenset(
    {
        KernelTypes.INT,
        KernelTypes.BOOL,
        KernelTypes.DOUBLE,
        KernelTypes.INT_LIST,
        KernelTypes.DOUBLE_LIST,
        KernelTypes.STRING,
    }
)
"""Kinds of numbers and lists of them, and texts, which kernels read like numbers."""


def known_number(method: Method, v: int) -> object:
    """What a value of a `NUMERIC` kind holds, to compare; None when some step may write it."""
    value = method.value(v)
    val = value.val if value is not None else None
    if isinstance(val, IntList):
        return known_ints(method, v)
    if method.writers(v):
        return None
    if isinstance(val, Int):
        return val.int_val
    if isinstance(val, Bool):
        return val.bool_val
    if isinstance(val, Double):
        return repr(val.double_val)
    if isinstance(val, String):
        return val.string_val
    return val.items if isinstance(val, DoubleList) else None
