"""What the kernels refuse that pad a tensor with its own elements.

Source: kernels/portable/cpu/util/padding_util.cpp and padding_util.h.
"""

from __future__ import annotations

from collections.abc import Callable

from pte_lint.ops.checks.call import Call, Cause, End, Size, product
from pte_lint.ops.checks.conditions import (
    default_order,
    need,
    of_types,
    one_order,
    resize,
    same_types,
)
from pte_lint.ops.checks.scalars import int64
from pte_lint.ops.promotion import ALL


def padding(count: int, *, reflection: bool) -> Callable[[Call], None]:
    """reflection_pad1d.out(self, padding, *, out) and its like; `count` dimensions are padded."""

    def check(call: Call) -> None:
        source, out, pads = call.tensor(0), call.out(), call.numbers(1)
        if pads is not None:
            need(len(pads) == 2 * count, f"{len(pads)} paddings for {count} dimensions")
        if source is not None:
            good = source.rank in (count + 1, count + 2)
            need(good, f"{source.name} has {source.rank} dimensions", cause=Cause.RANK)
        same_types(source, out)
        if source is None:
            return
        sizes: list[Size] = list(source.sizes)
        for n in range(count):
            size = sizes[-1 - n]
            if size is None or pads is None:
                sizes[-1 - n] = None
                continue
            before, after = pads[2 * n : 2 * n + 2]
            padded = int64(int64(size + before) + after)
            need(padded >= 0, f"a dimension of {size} elements is padded by {before} and {after}")
            if reflection:
                message = f"a padding of {max(before, after)} is reflected in {size} elements"
                need(max(before, after) < size, message)
            sizes[-1 - n] = padded
        if reflection:
            one_order(source, out)
            default_order(source)
        resize(out, sizes)
        of_types(ALL, source)
        if product(sizes) and 0 in source.sizes[-count:]:
            need(False, f"{source.name} has no elements to pad with", End.ABORT)

    return check
