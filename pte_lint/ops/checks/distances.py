"""What the kernels refuse that compare rows with each other.

Sources: kernels/portable/cpu/util/distance_util.cpp, op_cdist_forward.cpp, op_pdist_forward.cpp.
"""

from __future__ import annotations

from pte_lint.ops.checks.call import Call
from pte_lint.ops.checks.conditions import (
    broadcast,
    default_order,
    need,
    of_types,
    one_order,
    rank,
    resize,
    same_size,
    same_types,
    shown,
)
from pte_lint.ops.promotion import FLOATING


def between(call: Call) -> None:
    """_cdist_forward.out(x1, x2, p, compute_mode, *, out)."""
    one, other, out, mode = call.tensor(0), call.tensor(1), call.out(), call.number(3)
    one_order(one, other, out)
    default_order(one)
    same_types(one, other)
    same_types(one, out)
    for operand in (one, other):
        if operand is not None:
            need(operand.rank >= 2, f"{operand.name} has {operand.rank} dimensions, fewer than 2")
    if one is not None and other is not None:
        same_size(one, one.rank - 1, other, other.rank - 1)
    _norm(call, 2)
    need(None if mode is None else 0 <= mode <= 2, f"the mode is {mode}")
    if one is None or other is None:
        return
    batches = broadcast([one.sizes[:-2], other.sizes[:-2]])
    sizes = f"batches of {shown(one.sizes[:-2])} and {shown(other.sizes[:-2])}"
    need(None if batches is not None else False, f"{sizes} do not broadcast together")
    resize(out, (*(batches or ()), one.sizes[-2], other.sizes[-2]))
    of_types(FLOATING, out)


def within(call: Call) -> None:
    """_pdist_forward.out(self, p, *, out)."""
    source, out = call.tensor(0), call.out()
    same_types(source, out)
    rank(source, 2)
    _norm(call, 1)
    one_order(source, out)
    default_order(source)
    if source is None:
        return
    rows = source.sizes[0]
    resize(out, (None if rows is None else rows * (rows - 1) // 2,))
    of_types(FLOATING, source)


def _norm(call: Call, position: int) -> None:
    power = call.double(position)
    need(None if power is None else power >= 0, f"the norm's power is {power}")
