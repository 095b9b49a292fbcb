"""What the kernels of network layers refuse.

Sources: kernels/portable/cpu/util/kernel_ops_util.cpp, normalization_ops_util.cpp,
activation_ops_util.cpp, and the kernels that call them.
"""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.ops.checks.call import Call, Cause, End, Operand, product
from pte_lint.ops.checks.conditions import (
    axis,
    default_order,
    need,
    of_types,
    one_order,
    plain_or_channels_last,
    rank,
    resize,
    same,
    same_size,
    same_types,
    shown,
    support,
)
from pte_lint.ops.promotion import BOOL, FLOAT32, FLOAT64, FLOATING


def log_softmax(call: Call) -> None:
    """_log_softmax.out(self, dim, half_to_float, *, out)."""
    source, dim = call.tensor(0), call.number(1)
    _check_softmax(call)
    of_types(FLOATING - {FLOAT64} if call.since("1.4") else {FLOAT32}, source)
    if source is None or dim is None or not source.rank:
        return
    dim = dim + source.rank if dim < 0 else dim
    rows, inner = product(source.sizes[:dim]), product(source.sizes[dim + 1 :])
    # Work is divided into chunks by these sizes, on the last dimension only where there are rows.
    divides = rows != 0 and rows is not None if dim == source.rank - 1 else True
    if divides and 0 in (source.sizes[dim], inner):
        need(False, f"{source.name} has no elements", End.DIVISION)


def softmax(call: Call) -> None:
    """_softmax.out(self, dim, half_to_float, *, out)."""
    _check_softmax(call)
    source = call.tensor(0)
    one_order(source, call.out())
    of_types(FLOATING, source)


def _check_softmax(call: Call) -> None:
    source, out = call.tensor(0), call.out()
    support(call.flag(2) in (False, None), "half_to_float is asked for")
    same_types(source, out)
    axis(source, call.number(1))
    plain_or_channels_last(source, out)
    resize(out, source.sizes if source is not None else None)


# -- normalisation --------------------------------------------------------------------------------


def layer_norm(call: Call) -> None:
    """native_layer_norm.out(input, normalized_shape, weight, bias, eps, *, out0, out1, out2)."""
    source, shape = call.tensor(0), call.numbers(1)
    outs = [call.out(n) for n in range(3)]
    factors = [call.tensor(2), call.tensor(3)]
    if shape is not None:
        need(len(shape) >= 1, "normalized_shape is empty")
    if source is not None and shape is not None:
        need(source.rank >= len(shape), f"{source.name} has {source.rank} dimensions")
        shift = source.rank - len(shape)
        for d, size in enumerate(shape):
            need(
                same(source.sizes[d + shift], size),
                f"{source.name} has the sizes {shown(source.sizes)}, which do not end in "
                f"{shown(shape)}",
            )
        for factor in factors:
            _has_sizes(factor, shape)
    same_types(source, *factors, *outs)
    if source is None or shape is None:
        return
    outer = [s if d < source.rank - len(shape) else 1 for d, s in enumerate(source.sizes)]
    for out, sizes in zip(outs, (source.sizes, outer, outer), strict=True):
        resize(out, sizes)
    of_types(FLOATING, source)


def batch_norm(call: Call) -> None:
    """_native_batch_norm_legit_no_training.out(input, weight, bias, mean, var, ..., *, outs)."""
    _batch_norm(call)


def batch_norm_in_use(call: Call) -> None:
    """_native_batch_norm_legit.out(input, weight, bias, mean, var, training, ..., *, outs)."""
    support(call.flag(5) in (False, None), "it is asked to train")
    _batch_norm(call)


def batch_norm_without_statistics(call: Call) -> None:
    """_native_batch_norm_legit.no_stats_out(input, weight, bias, training, ..., *, outs)."""
    source, outs = call.tensor(0), [call.out(n) for n in range(3)]
    factors = [call.tensor(1), call.tensor(2)]
    same_types(source, *factors, *outs)
    if source is None:
        return
    channel = 1 if source.rank >= 1 else 0
    for factor in factors:
        rank(factor, 1)
        same_size(factor, 0, source, channel)
    _plain(source, factors, outs)
    need(source.rank >= 2, f"{source.name} has {source.rank} dimensions", cause=Cause.RANK)
    resize(outs[0], source.sizes)
    for out in outs[1:]:
        resize(out, (source.sizes[1],))
    of_types(FLOATING, source)


def dropout(call: Call) -> None:
    """native_dropout.out(input, p, train, *, out0, out1)."""
    source, out, mask = call.tensor(0), call.out(0), call.out(1)
    same_types(source, out)
    one_order(source, out, mask)
    for each in (out, mask):
        resize(each, source.sizes if source is not None else None)
    of_types({BOOL}, mask)
    share, trains = call.double(1), call.flag(2)
    need(None if share is None else 0 <= share <= 1, f"the share is {share}")
    if share and (trains or call.is_none(2)):
        of_types(FLOATING, source)


def _batch_norm(call: Call) -> None:
    source, outs = call.tensor(0), [call.out(n) for n in range(3)]
    factors = [call.tensor(n) for n in range(1, 5)]
    resize(outs[0], source.sizes if source is not None else None)
    resize(outs[1], (0,))
    resize(outs[2], (0,))
    same_types(source, *factors, *outs)
    if source is None:
        return
    channel = 1 if source.rank >= 1 else 0
    for factor in factors:
        rank(factor, 1)
        same_size(factor, 0, source, channel)
    _plain(source, factors[:2], outs)
    of_types(FLOATING, source)


def group_norm(call: Call) -> None:
    """native_group_norm.out(input, weight, bias, N, C, HxW, group, eps, *, out0, out1, out2)."""
    source, outs = call.tensor(0), [call.out(n) for n in range(3)]
    factors = [call.tensor(1), call.tensor(2)]
    count, channels, pixels, groups = (call.number(n) for n in range(3, 7))
    if source is None or count is None or channels is None or pixels is None or groups is None:
        return
    need(source.rank >= 2, f"{source.name} has {source.rank} dimensions", End.UNCHECKED)
    need(same(source.sizes[0], count), f"{source.name} has {source.sizes[0]} images, not {count}")
    need(same(source.sizes[1], channels), f"{source.name} does not have {channels} channels")
    total = product((count, channels, pixels))
    need(same(source.numel, total), f"{source.name} does not have {total} elements")
    need(groups > 0, f"there are {groups} groups")
    need(channels % groups == 0, f"{channels} channels do not divide into {groups} groups")
    for factor in factors:
        if factor is not None:
            # The check's message asks a scalar for its first size, which aborts.
            need(factor.rank > 0, f"{factor.name} is a scalar", End.ABORT)
        _has_sizes(factor, (channels,))
    same_types(source, *factors, *outs)
    for out, sizes in zip(outs, (source.sizes, (count, groups), (count, groups)), strict=True):
        resize(out, sizes)
    _plain(source, factors, outs)
    of_types(FLOATING, source)


def _plain(
    source: Operand | None, factors: Sequence[Operand | None], outs: Sequence[Operand | None]
) -> None:
    """Everything is in the default dimension order."""
    default_order(source)
    one_order(source, *outs)
    for factor in factors:
        one_order(source, factor)


def _has_sizes(operand: Operand | None, sizes: Sequence[int]) -> None:
    if operand is None:
        return
    message = f"{operand.name} has the sizes {shown(operand.sizes)}, not {shown(sizes)}"
    need(operand.rank == len(sizes), message)
    for mine, wanted in zip(operand.sizes, sizes, strict=True):
        need(same(mine, wanted), message)
