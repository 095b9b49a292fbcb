"""Kernels that quantise by channel, by token or by a tensor, or look quantised rows up.

Sources: kernels/quantized/cpu/op_quantize.cpp, op_dequantize.cpp, op_choose_qparams.cpp,
op_add.cpp, op_embedding.cpp, embeddingxb.cpp, op_mixed_linear.cpp and op_mixed_mm.cpp. Most
checks are ET_CHECKs, which end the process.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from pte_lint.ops.checks import quantised
from pte_lint.ops.checks.call import Call, End, Operand, Size, product
from pte_lint.ops.checks.conditions import (
    need,
    need_type,
    of_types,
    rank,
    resize,
    same,
    same_size,
    same_types,
    shown,
    size_at,
)
from pte_lint.ops.promotion import (
    BFLOAT16,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT8,
    INT32,
    INT64,
    UINT8,
    WHOLE,
)
from pte_lint.schema.enums import dtype_name

_SHORT: Final = frozenset({FLOAT16, FLOAT32, BFLOAT16})


def _must(condition: bool | None, message: str) -> None:
    need(condition, message, End.ABORT)


def _must_be(types: Collection[int], operand: Operand | None, end: End = End.ABORT) -> None:
    if operand is not None:
        need_type(operand.dtype in types, f"{operand.name} is {dtype_name(operand.dtype)}", end)


def _must_have(operand: Operand | None, count: int | None) -> None:
    if operand is not None and count is not None:
        good = same(operand.numel, count)
        _must(good, f"{operand.name} has {operand.numel} elements, not {count}")


# -- a scale in a tensor ----------------------------------------------------------------------


def quantize_by_tensors(call: Call) -> None:
    """quantize_per_tensor.Tensor_out(input, scale, zero_point, quant_min, quant_max, ...)."""
    _must_be({FLOAT64}, call.tensor(1), End.REFUSED)
    _parameters(call)
    quantised.quantize(call)


def dequantize_by_tensors(call: Call) -> None:
    """dequantize_per_tensor.Tensor_out(input, scale, zero_point, quant_min, quant_max, ...)."""
    _must_be({FLOAT64}, call.tensor(1))
    _parameters(call)
    quantised.dequantize(call)


def _parameters(call: Call) -> None:
    _must_be({INT64}, call.tensor(2))
    for operand in (call.tensor(1), call.tensor(2)):
        _must_have(operand, 1)


# -- by channel and by token ------------------------------------------------------------------


def quantize_channels(call: Call) -> None:
    """quantize_per_channel.out(input, scales, zero_points, axis, quant_min, quant_max, dtype)."""
    quantised.resize_or_abort(call)
    channels, _ = _channels(call)
    _quantize(call, channels, 4)


def quantize_tokens(call: Call) -> None:
    """quantize_per_token.out(input, scales, zero_points, quant_min, quant_max, dtype, *, out)."""
    tokens = _tokens(call)
    quantised.resize_or_abort(call)
    _quantize(call, tokens, 3)


def _quantize(call: Call, channels: int | None, first: int) -> None:
    _must_be({FLOAT64}, call.tensor(1))
    _must_be({INT64}, call.tensor(2))
    for operand in (call.tensor(1), call.tensor(2)):
        _must_have(operand, channels)
    quantised.need_types(call.tensor(0), call.out(), call.number(first + 2))
    quantised.need_range(call.out(), call.number(first), call.number(first + 1))


def dequantize_channels(call: Call) -> None:
    """dequantize_per_channel.out(input, scales, zero_points, axis, quant_min, quant_max, ...).

    int8 in the default order goes another way, which does not look at the output's type.
    """
    quantised.resize_or_abort(call)
    channels, axis = _channels(call)
    _dequantize(call, channels, 4)
    source = call.tensor(0)
    if source is not None and axis is not None:
        _read(call, list(source.sizes), axis, 4)


def dequantize_tokens(call: Call) -> None:
    """dequantize_per_token.out(input, scales, zero_points, quant_min, quant_max, dtype, ...)."""
    tokens = _tokens(call)
    quantised.resize_or_abort(call)
    _dequantize(call, tokens, 3)
    source = call.tensor(0)
    if source is not None:
        _read(call, [tokens, source.sizes[-1]], 0, 3)


def _dequantize(call: Call, channels: int | None, first: int) -> None:
    _must_have(call.tensor(1), channels)
    _must_be({INT32, INT64}, call.tensor(2))
    _must_have(call.tensor(2), channels)
    source, out, wanted = call.tensor(0), call.out(), call.number(first + 3)
    is_fast = _is_fast(call, first)
    quantised.need_types(None if is_fast else out, source, call.number(first + 2))
    if wanted is not None and out is not None:
        _must(wanted == out.dtype, f"{out.name} is {dtype_name(out.dtype)}, {wanted} is asked for")
    low, high = call.number(first), call.number(first + 1)
    if low is not None and high is not None:
        _must(low <= high, f"quant_min is {low}, quant_max {high}")


def _is_fast(call: Call, first: int) -> bool:
    """int8 that becomes float32; by token the rows count as in the default order."""
    source, wanted = call.tensor(0), call.number(first + 3)
    plain = source is not None and (source.is_contiguous or first == 3)
    is_single = wanted == FLOAT32 or call.is_none(first + 3) is True
    return source is not None and source.dtype == INT8 and plain and is_single


def _read(call: Call, sizes: list[Size], axis: int, first: int) -> None:
    """What is only looked at when elements are read."""
    scale, zero, out = call.tensor(1), call.tensor(2), call.out()
    is_fast = _is_fast(call, first)
    count = product(sizes) if is_fast else sizes[axis]
    if not count:
        return
    _must_be({FLOAT32, FLOAT64}, scale)
    low, high = call.number(first), call.number(first + 1)
    if is_fast and call.is_none(2) and low is not None and high is not None:
        _must(low <= 0 <= high, f"no zero points are given, and 0 is not in [{low}, {high}]")
    if zero is not None and product(sizes):
        message = f"{zero.name} is {dtype_name(zero.dtype)} and read as int64"
        need_type(zero.dtype == INT64, message, End.UNCHECKED)
    if is_fast and out is not None:
        message = f"{out.name} is {dtype_name(out.dtype)} and written as float32"
        need_type(out.dtype == FLOAT32, message, End.UNCHECKED)


def _channels(call: Call) -> tuple[int | None, int | None]:
    """The size of the axis, and which it is."""
    source, axis = call.tensor(0), call.number(3)
    if source is None or axis is None:
        return None, None
    _must(-source.rank <= axis < source.rank, f"{source.name} has no dimension {axis}")
    axis %= source.rank
    return source.sizes[axis], axis


def _tokens(call: Call) -> int | None:
    source = call.tensor(0)
    if source is None:
        return None
    _must(source.rank > 0, f"{source.name} is a scalar")
    return product(source.sizes[:-1])


# -- ranges -----------------------------------------------------------------------------------


def choose(call: Call) -> None:
    """choose_qparams.Tensor_out(input, quant_min, quant_max, eps, dtype, *, out0, out1)."""
    source, scale, zero = call.tensor(0), call.out(0), call.out(1)
    low, high = call.number(1), call.number(2)
    if low is not None and high is not None:
        _must(low < high, f"quant_min is {low}, quant_max {high}")
    _chosen_types(source, scale, zero)
    for operand in (scale, zero):
        _must_have(operand, 1)
    if source is not None:
        need(source.numel != 0, f"{source.name} has no elements", End.UNCHECKED)


def choose_by_token(call: Call) -> None:
    """choose_qparams_per_token_asymmetric.out(input, dtype, *, out0, out1)."""
    source, scale, zero = call.tensor(0), call.out(0), call.out(1)
    if source is None:
        return
    _must(source.rank > 0, f"{source.name} is a scalar")
    for operand in (scale, zero):
        quantised.resize_or_abort(call, operand, (*source.sizes[:-1], 1))
    _chosen_types(source, scale, zero)
    if product(source.sizes[:-1]) != 0:
        need(source.sizes[-1] != 0, f"{source.name} has no elements", End.UNCHECKED)


def _chosen_types(source: Operand | None, scale: Operand | None, zero: Operand | None) -> None:
    _must_be({FLOAT32}, source)
    _must_be({FLOAT64}, scale)
    _must_be({INT64}, zero)


def add(call: Call) -> None:
    """add.out(a, scale, zero_point, min, max, b, ..., scale, zero_point, min, max, *, out)."""
    operands = [each for each in (call.tensor(0), call.tensor(5), call.out()) if each is not None]
    if not operands:
        return
    first = operands[0]
    for other in operands[1:]:
        message = f"{first.name} and {other.name} differ in size"
        _must(same(first.numel, other.numel), message)
        _must(first.numel == 1 or first.rank == other.rank, message)
        if first.rank == other.rank:
            for mine, its in zip(first.sizes, other.sizes, strict=True):
                _must(same(mine, its), message)
        _must_be({first.dtype}, other)
    for place in (3, 8, 12):
        low, high = call.number(place), call.number(place + 1)
        if low is not None and high is not None:
            _must(0 <= low <= high <= 255, f"the range is [{low}, {high}], not in [0, 255]")
    _must_be(WHOLE, first)


# -- tables of rows ---------------------------------------------------------------------------


def embedding(width: int, *, own_type: bool) -> Callable[[Call], None]:
    """embedding_byte.out(weight, scales, zero_points, quant_min, quant_max, indices, *, out).

    Args:
        width: bits of an element of the table.
        own_type: whether there is an argument for the output's type, and scales may have another.
    """

    def check(call: Call) -> None:
        weight, scales, zero, indices, out = (
            call.tensor(0), call.tensor(1), call.tensor(2), call.tensor(5), call.out(),
        )  # fmt: skip
        if weight is None or indices is None or out is None:
            return
        _must(weight.rank > 1, f"{weight.name} has {weight.rank} dimensions")
        row = None if weight.sizes[1] is None else weight.sizes[1] * (8 // width)
        is_short = _looked_up(call, indices.sizes, row, out)
        _must(weight.rank == 2, f"{weight.name} has {weight.rank} dimensions")
        _check_scales(scales, weight, row)
        _must_be({UINT8} if width < 8 else {UINT8, INT8}, weight)
        short_types = _SHORT if call.since("1.4") else _SHORT - {BFLOAT16}
        _must_be(short_types, out)
        _must_be(short_types, scales)
        if zero is not None and scales is not None:
            _must(zero.rank == scales.rank, f"{zero.name} and {scales.name} differ in rank")
            _must_be({out.dtype}, zero)
            for mine, its in zip(zero.sizes, scales.sizes, strict=True):
                _must(same(mine, its), f"{zero.name} and {scales.name} differ in size")
        _must_be({INT64} if width == 8 else {INT32, INT64}, indices)
        low, high = call.number(3), call.number(4)
        if low is not None and high is not None:
            _must(low <= high, f"quant_min is {low}, quant_max {high}")
        wanted = call.number(6) if own_type else None
        _must(None if wanted is None else wanted == out.dtype, f"{out.name} is of another type")
        if not indices.numel or not row:
            return
        end = End.ABORT if width == 8 else End.UNCHECKED
        need(weight.sizes[0] != 0, f"{weight.name} has no rows", end)
        need(not is_short, f"{out.name} has no room for the rows", End.UNCHECKED)
        read_as = scales if own_type else out
        for operand in (scales, zero):
            if operand is not None and read_as is not None:
                message = f"{operand.name} is {dtype_name(operand.dtype)} and read as another type"
                need_type(operand.dtype == read_as.dtype, message, End.UNCHECKED)

    return check


def _looked_up(call: Call, indices: Sequence[Size], row: Size, out: Operand) -> bool:
    """Compares sizes as far as the output has them; whether those left out have elements."""
    message = f"{out.name} of sizes {shown(out.sizes)} has another rank than the rows"
    need(0 < out.rank <= len(indices) + 1, message, End.UNCHECKED)
    wanted = [*indices[: out.rank - 1], row]
    quantised.resize_or_abort(call, out, wanted)
    return product(indices[out.rank - 1 :]) not in (0, 1, None)


def _check_scales(scales: Operand | None, weight: Operand, row: Size) -> None:
    if scales is None:
        return
    _must(scales.rank in (1, 2), f"{scales.name} has {scales.rank} dimensions")
    message = f"{scales.name} has {scales.sizes[0]} rows, {weight.name} {weight.sizes[0]}"
    _must(same(scales.sizes[0], weight.sizes[0]), message)
    count = size_at(scales, 1)
    if count is not None and row is not None:
        need(count != 0, f"{scales.name} has no groups", End.DIVISION)
        _must(row % count == 0, f"{row} elements do not divide into {count} groups")


# -- products ---------------------------------------------------------------------------------


def mixed_linear(call: Call) -> None:
    """mixed_linear.out(input, weight, weight_scales, weight_zero_points, dtype, *, out)."""
    source, weight, scales, out = (*(call.tensor(n) for n in range(3)), call.out())
    wanted = call.number(4)
    _mixed(call, (1, 2))
    same_size(source, 1, weight, 1)
    same_size(scales, 0, weight, 0)
    same_types(source, scales)
    if wanted is not None and out is not None:
        need_type(out.dtype == wanted, f"{out.name} is {dtype_name(out.dtype)}")
        need_type(wanted in (FLOAT16, FLOAT32), f"a result of {wanted} is asked for")
    of_types({FLOAT16, FLOAT32, FLOAT64}, out)
    if source is None or weight is None:
        return
    resize(out, (source.sizes[0], weight.sizes[0]))
    message = "there are no elements to multiply, or no groups of them"
    need(source.sizes[1] != 0 and size_at(scales, 1) != 0, message, End.DIVISION)


def mixed_product(call: Call) -> None:
    """mixed_mm.out(input, weight, weight_scales, weight_zero_points, *, out)."""
    source, weight, scales, out = (*(call.tensor(n) for n in range(3)), call.out())
    _mixed(call, (1,))
    same_size(source, 1, weight, 0)
    same_size(scales, 0, weight, 0)
    same_types(source, scales, out)
    if source is not None and weight is not None:
        resize(out, (source.sizes[0], weight.sizes[1]))


def _mixed(call: Call, ranks: tuple[int, ...]) -> None:
    source, weight, scales = (call.tensor(n) for n in range(3))
    for operand in (source, weight, call.out()):
        rank(operand, 2)
    rank(scales, *ranks)
    of_types({INT8}, weight)
    of_types({FLOAT16, FLOAT32}, source)
    need(call.is_none(3), "zero points are given")
