"""What the kernels of convolutions refuse.

Sources: kernels/portable/cpu/op_convolution.cpp, op_convolution_backward.cpp, and
check_convolution_args in kernels/portable/cpu/util/kernel_ops_util.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.ops.checks.call import Call, End, Operand, Size, product
from pte_lint.ops.checks.conditions import (
    need,
    need_type,
    of_types,
    one_order,
    plain_or_channels_last,
    rank,
    resize,
    same,
    same_types,
    shown,
    size_at,
    support,
)
from pte_lint.ops.checks.windows import (
    Movement,
    check_parameters,
    nth,
    positive,
    transposed_size,
    windows,
)
from pte_lint.ops.operators import OUTPUT_MASK
from pte_lint.ops.promotion import FLOATING, REAL
from pte_lint.schema.enums import dtype_name


def convolution(call: Call) -> None:
    """convolution.out(input, weight, bias, stride, padding, dilation, transposed, ..., *, out)."""
    source, weight, bias, out = call.tensor(0), call.tensor(1), call.tensor(2), call.out()
    rank(bias, 1)
    result = _result(call, source, weight, out, first=3)
    one_order(source, out)
    if result is None or source is None:
        return
    resize(out, result)
    if product(result) == 0:
        return
    of_types(REAL, source)
    channels = result[1]
    if bias is not None:
        need_type(bias.dtype in REAL, f"{bias.name} is {dtype_name(bias.dtype)}", End.NULL)
    if bias is not None and channels is not None and bias.sizes[0] is not None:
        short = f"{bias.name} has {bias.sizes[0]} elements for {channels} channels"
        need(bias.sizes[0] >= channels, short, End.UNCHECKED)


def convolution_backward(call: Call) -> None:
    """convolution_backward.out(grad_output, input, weight, bias_sizes, ..., output_mask, *, outs).

    The parameters are those of convolution, from position 4 on.
    """
    grad, source, weight = call.tensor(0), call.tensor(1), call.tensor(2)
    asked = call.bools(OUTPUT_MASK)
    support(call.flag(7) in (False, None), "it does not go back through a transposed convolution")
    rank(weight, 4)
    same_types(weight, source)
    same_types(grad, source)
    if asked is not None:
        need(len(asked) > 2, f"output_mask has {len(asked)} of 3 items", End.UNCHECKED)
    outs = [call.out(n) if asked is not None and asked[n] else None for n in range(3)]
    for out in outs:
        same_types(out, source)
    result = _result(call, source, weight, grad, first=4)
    if result is None or source is None or weight is None or grad is None:
        return
    for mine, wanted in zip(grad.sizes, result, strict=True):
        message = f"{grad.name} has the sizes {shown(grad.sizes)}, not {shown(result)}"
        need(same(mine, wanted), message)
    resize(outs[0], source.sizes)
    resize(outs[1], weight.sizes)
    bias = call.numbers(3)
    if bias is not None:
        resize(outs[2], bias)
    of_types(FLOATING, source)
    room, filters = outs[2].numel if outs[2] is not None else None, weight.sizes[0]
    if room is not None and filters is not None:
        short = f"{outs[2].name if outs[2] else ''} has room for {room} of {filters} filters"
        need(room >= filters, short, End.UNCHECKED)


def _result(
    call: Call, source: Operand | None, weight: Operand | None, out: Operand | None, *, first: int
) -> list[Size] | None:
    """The sizes that a convolution gives, after its checks; None when they are not known.

    Args:
        call: The call.
        source: What is convolved.
        weight: The filters.
        out: What has the sizes of a result.
        first: Position of the stride; padding, dilation, transposed, output padding and groups
            follow.
    """
    same_types(source, weight, out)
    if source is None or weight is None or out is None:
        return None
    plain_or_channels_last(source, out)
    rank(source, 3, 4)
    rank(weight, source.rank)
    rank(out, source.rank)
    transposed, groups = call.flag(first + 3), call.number(first + 5)
    if transposed is None or groups is None:
        return None
    if not transposed:
        plain_or_channels_last(weight)
    _parameters(call, source.rank - 2, first, transposed=transposed)
    channels = _channels(source, weight, groups, transposed=transposed)
    spatial = _spatial(call, source, weight, first, transposed=transposed)
    result = [source.sizes[0], channels, *spatial]
    positive(result, source.rank - 2)
    return result


def _parameters(call: Call, spatial: int, first: int, *, transposed: bool) -> None:
    stride, padding, dilation, extra = _numbers(call, first)
    for numbers, least in ((stride, 1), (padding, 0), (dilation, 1)):
        check_parameters(numbers, spatial, least)
    if not transposed:
        return
    check_parameters(extra, spatial, 0)
    for n in range(spatial):
        added, step, apart = nth(extra, n), nth(stride, n), nth(dilation, n)
        if added is not None and step is not None and apart is not None:
            need(added < max(step, apart), f"the output padding {added} is too large")


def _channels(source: Operand, weight: Operand, groups: int, *, transposed: bool) -> Size:
    """The channels of the result."""
    filters, width, have = weight.sizes[0], weight.sizes[1], source.sizes[1]
    if filters is not None:
        need(filters >= groups, f"{filters} filters make no {groups} groups")
        need(groups != 0, "there are no groups", End.DIVISION)
        need(filters % groups == 0, f"{filters} filters do not divide into {groups} groups")
    scaled = None if width is None else width * groups
    wanted = filters if transposed else scaled
    need(same(have, wanted), f"{source.name} has {have} channels, the weight wants {wanted}")
    return 0 if have == 0 else scaled if transposed else filters


def _spatial(
    call: Call, source: Operand, weight: Operand, first: int, *, transposed: bool
) -> list[Size]:
    stride, padding, dilation, extra = _numbers(call, first)
    sizes: list[Size] = []
    for n in range(source.rank - 2):
        size, window = size_at(source, n + 2), size_at(weight, n + 2)
        movement = Movement(nth(stride, n), nth(padding, n), nth(dilation, n))
        if transposed:
            sizes.append(transposed_size(size, window, movement, nth(extra, n)))
        else:
            sizes.append(windows(size, window, movement))
    return sizes


def _numbers(call: Call, first: int) -> list[Sequence[int] | None]:
    """Stride, padding, dilation and output padding."""
    return [call.numbers(first + n) for n in (0, 1, 2, 4)]
