"""Patterns of kernels that look at the order themselves and refuse some."""

from __future__ import annotations

from pte_lint.ops.layouts.call import OrderRefused, PlacedCall
from pte_lint.ops.layouts.flat import Pattern


def need_default(*positions: int) -> Pattern:
    """Tensors at these positions must be in the default order (`tensor_is_default_dim_order`).

    Orders count as they are written down, whatever the sizes.
    """

    def judge(call: PlacedCall) -> None:
        for tensor in (call.tensor(n) for n in positions if call.has_tensor(n)):
            if tensor.order != tuple(range(tensor.rank)):
                raise OrderRefused(tensor, "only the default order")

    return judge


def need_one_order(*positions: int, outs: bool = True) -> Pattern:
    """All in the default order or all channels-last (`tensors_have_same_dim_order`)."""

    def judge(call: PlacedCall) -> None:
        tensors = [call.tensor(n) for n in positions if call.has_tensor(n)]
        tensors += call.outs() if outs else []
        plain = all(each.order == tuple(range(each.rank)) for each in tensors)
        if plain or all(each.is_channels_last for each in tensors):
            return
        odd = next(each for each in tensors if each.order != tuple(range(each.rank)))
        raise OrderRefused(odd, "its tensors all in the default order, or all channels-last")

    return judge


def need_known_order(*positions: int) -> Pattern:
    """Each in the default order or channels-last (`tensor_is_default_or_channels_last_...`)."""

    def judge(call: PlacedCall) -> None:
        tensors = [call.tensor(n) for n in positions if call.has_tensor(n)]
        for tensor in (*tensors, *call.outs()):
            if tensor.order != tuple(range(tensor.rank)) and not tensor.is_channels_last:
                raise OrderRefused(tensor, "only the default order and channels-last")

    return judge
