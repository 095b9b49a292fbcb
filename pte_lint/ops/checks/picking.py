"""What the kernels refuse whose result is as large as its input's elements say.

Sources: kernels/portable/cpu/op_masked_select.cpp, op_nonzero.cpp and util/index_util.cpp
(`check_nonzero_args`).
"""

from __future__ import annotations

from pte_lint.ops.checks.call import Call, Operand, product
from pte_lint.ops.checks.conditions import (
    broadcast,
    need,
    need_type,
    of_types,
    one_order,
    rank,
    resize,
    shown,
)
from pte_lint.ops.promotion import BOOL, INT64, REAL_OR_BOOL


def nonzero(call: Call) -> None:
    """nonzero.out(self, *, out)."""
    source, out = call.tensor(0), call.out()
    of_types({INT64}, out)
    rank(out, 2)
    of_types(REAL_OR_BOOL, source)
    if source is not None and source.numel == 0:
        resize(out, (0, source.rank))
    elif source is not None:
        resize(out, (None, source.rank))


def masked_select(call: Call) -> None:
    """masked_select.out(self, mask, *, out)."""
    source, mask, out = call.tensor(0), call.tensor(1), call.out()
    of_types(REAL_OR_BOOL, source)
    of_types({BOOL}, mask)
    if source is not None and out is not None:
        need_type(source.dtype == out.dtype, f"{out.name} is of another type than {source.name}")
    one_order(source, mask, out)
    if source is None or mask is None:
        return
    together = broadcast([source.sizes, mask.sizes])
    sizes = f"sizes {shown(source.sizes)} and {shown(mask.sizes)}"
    need(None if together is not None else False, f"{sizes} do not broadcast together")
    if 0 in (source.numel, mask.numel):
        resize(out, (0,))
        return
    resize(out, (None,))
    _has_room(source, out, product(together or ()))


def _has_room(source: Operand, out: Operand | None, most: int | None) -> None:
    """All that a mask may select has room.

    The exporter bounds the result by the elements of what is selected from, which is too little
    where the mask makes it broadcast. A smaller bound is one that the model's author vouches for.
    """
    if out is None or out.capacity is None or most is None or out.capacity != source.numel:
        return
    message = f"{most} elements may be selected, and {out.name} takes {out.capacity}"
    need(most <= out.capacity, message)
