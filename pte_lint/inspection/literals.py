"""Values that are no tensors, as text and as JSON."""

from __future__ import annotations

import math

from pte_lint.inspection.code import Literal
from pte_lint.inspection.labels import label
from pte_lint.interpret.kinds import KIND_NAMES
from pte_lint.schema.program import Bool, Double, EValue, Int, Null, String


def kind_name(value: EValue | None) -> str:
    """The kind of a value, as the format's schema calls it; a code for one that it does not know.

    An index outside the value table, which has no value, is `missing`.
    """
    if value is None:
        return "missing"
    known = KIND_NAMES.get(value.val_type)  # type: ignore[call-overload]  # any byte
    return known or f"kind {value.val_type}"


def scalar(value: EValue) -> tuple[Literal, bool]:
    """The number, string or None that a value holds, and whether it holds one.

    Numbers that JSON cannot carry are given as text.
    """
    match value.val:
        case Int():
            return value.val.int_val, True
        case Bool():
            return value.val.bool_val, True
        case Double():
            number = value.val.double_val
            return (number if math.isfinite(number) else str(number)), True
        case String():
            return label(value.val.string_val), True
        case Null():
            return None, True
        case _:
            return None, False
