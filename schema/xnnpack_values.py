"""The values of an XNNPACK graph as the backend defines them, and what it refuses to define.

Facts: backends/xnnpack/runtime/XNNCompiler.cpp (defineTensor), and XNNPACK's src/tensor.c: the
xnn_define_*_tensor_value functions, check_zero_point, xnn_validate_quantized_tensor and
xnn_validate_channelwise_quantized_tensor.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from enum import IntEnum
from math import isfinite, prod

from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Span
from pte_lint.schema.xnnpack_graph import (
    EXTERNAL_INPUT,
    EXTERNAL_OUTPUT,
    PerChannelGroupQuant,
    PerChannelQuant,
    PerTensorQuant,
    PerTokenDynamicQuant,
    QuantizedTensorValue,
    TensorValue,
    Value,
)

MAX_DIMS = 6
NO_ID = 0xFFFFFFFF
_LEAST_NORMAL = 2.0**-126
_MOST_SCALES = 1 << 20


class Dtype(IntEnum):
    """XNNDatatype; what is none of them is invalid to the backend."""

    INVALID = 0
    FP32 = 1
    FP16 = 2
    QINT8 = 3
    QUINT8 = 4
    QINT32 = 5
    QCINT8 = 6
    QCINT32 = 7
    QCINT4 = 8
    QDINT8 = 9
    QBINT4 = 10
    QPINT8 = 11
    INT32 = 12
    PFP32 = 13
    BF16 = 14


BITS = {
    Dtype.FP32: 32, Dtype.FP16: 16, Dtype.QINT8: 8, Dtype.QUINT8: 8, Dtype.QINT32: 32,
    Dtype.QCINT8: 8, Dtype.QCINT32: 32, Dtype.QCINT4: 4, Dtype.QDINT8: 8, Dtype.QBINT4: 4,
    Dtype.QPINT8: 8, Dtype.INT32: 32, Dtype.PFP32: 32, Dtype.BF16: 16,
}  # fmt: skip
"""Bits that an element takes."""

_PLAIN = {Dtype.FP32, Dtype.FP16, Dtype.BF16, Dtype.INT32, Dtype.PFP32}
_CHANNELWISE = {Dtype.QCINT4, Dtype.QCINT8, Dtype.QCINT32}
_ZERO_POINTS = {
    Dtype.QCINT4: range(16), Dtype.QBINT4: range(16), Dtype.QINT8: range(-128, 128),
    Dtype.QUINT8: range(256), Dtype.QCINT8: range(1), Dtype.QCINT32: range(1),
    Dtype.QINT32: range(1),
}  # fmt: skip

ReadBytes = Callable[[Span], bytes]
"""The bytes of a span of the file."""

ReadScales = Callable[[PerChannelQuant | PerChannelGroupQuant, int], bytes | None]
"""As many bytes of the scales, fewer where there are fewer; None where they are not in the blob."""


CRASHES = "crashes"
MISREADS = "misreads"
"""What refusals have in place of an error's name where none is returned."""


class RefusedValueError(Exception):
    """The backend does not define a value; the text says why.

    `error` is the runtime's, or `CRASHES` or `MISREADS`, and `since` its first release.
    """

    def __init__(self, message: str, error: str = "Internal", since: str = "") -> None:
        super().__init__(message)
        self.error = error
        self.since = since


class UnknownValueError(Exception):
    """What becomes of a value is not known: nothing is said of it, and of what comes after."""


@dataclass(frozen=True, slots=True)
class Defined:
    """A value of XNNPACK's own.

    Attributes:
        dtype: Its type.
        sizes: In memory order.
        is_static: Whether it has data.
        zero_point: Of quantised ones, else 0.
        scale: Of ones with one scale; the largest of ones with several, where these are at hand;
            else 0.
        channel_dim: Of ones with scales for channels or groups, else 0.
        nonbatch_dims: Of dynamically quantised ones, else 0.
        block_size: Of ones with scales for groups, else 0.
        is_divided: Whether it has scales for channels or groups.
        flags: External input or output.
    """

    dtype: Dtype
    sizes: tuple[int, ...]
    is_static: bool = False
    zero_point: int = 0
    scale: float = 0.0
    channel_dim: int = 0
    nonbatch_dims: int = 0
    block_size: int = 0
    flags: int = 0
    is_divided: bool = False


def dtype_of(code: int) -> Dtype:
    """The type of a code in the graph."""
    return Dtype(code) if 0 <= code <= Dtype.BF16 else Dtype.INVALID


def define(value: Value, tensor: TensorValue, read: ReadScales) -> Defined:
    """Defines one value as the backend does.

    Args:
        value: The value.
        tensor: Its tensor.
        read: Reads scales.

    Raises:
        RefusedValueError: The backend returns an error for it, or crashes.
        UnknownValueError: It may do either.
    """
    dynamic = dtype_of(tensor.dq_datatype)
    if dynamic is not Dtype.INVALID:
        if dynamic is not Dtype.QINT8:
            raise RefusedValueError(f"is to be quantised to {dynamic.name.lower()}")
        if not tensor.flags & EXTERNAL_INPUT:
            raise RefusedValueError("is to be quantised, and is no input")
        if not isinstance(value.xvalue_union, QuantizedTensorValue):
            raise UnknownValueError
    sizes = tuple(tensor.dims or ())
    dtype = dtype_of(tensor.datatype)
    content = value.xvalue_union
    if isinstance(content, QuantizedTensorValue):
        made = _quantized(content, tensor, read)
    else:
        _few(sizes)
        _need(dtype in _PLAIN, f"of type {_name(tensor)} has no quantisation parameters")
        made = Defined(dtype, sizes, bool(tensor.constant_buffer_idx), flags=tensor.flags)
    _need(
        (prod(sizes) * BITS[made.dtype] + 7) // 8 < 1 << 64,
        f"has more elements than there is memory: {list(sizes)}",
    )
    return made


def _quantized(content: QuantizedTensorValue, tensor: TensorValue, read: ReadScales) -> Defined:
    dtype, sizes = dtype_of(tensor.datatype), tuple(tensor.dims or ())
    is_static = bool(tensor.constant_buffer_idx)
    match content.quant_params:
        case PerTensorQuant() as params:
            _few(sizes)
            _zero_point(tensor, dtype, params.zero_point)
            check_scales([params.scale])
            return Defined(
                dtype, sizes, is_static, params.zero_point, params.scale, flags=tensor.flags
            )
        case PerChannelQuant() as params:
            dim = params.channel_dim
            _need(bool(sizes), "has no dimensions, and scales for channels")
            _few(sizes)
            _need(0 <= dim < len(sizes), f"has scales for dimension {dim} of {len(sizes)}")
            zero = 8 if dtype is Dtype.QCINT4 else 0
            _zero_point(tensor, dtype, zero)
            _need(dtype in _CHANNELWISE, f"of type {_name(tensor)} has scales for channels")
            scales = _read_scales(params, sizes[dim], 32, read)
            check_scales(scales)
            scale = max(scales, default=0.0)
            return Defined(
                dtype, sizes, is_static, zero, scale, dim, flags=tensor.flags, is_divided=True
            )
        case PerTokenDynamicQuant() as params:
            dims = params.num_nonbatch_dims
            _need(not is_static, "has data, and is quantised when the graph runs")
            _few(sizes)
            _need(0 <= dims <= len(sizes), f"is quantised over {dims} of {len(sizes)} dimensions")
            _need(
                dtype is Dtype.QDINT8, f"of type {_name(tensor)} is quantised when the graph runs"
            )
            _need(
                not tensor.flags & (EXTERNAL_INPUT | EXTERNAL_OUTPUT),
                "is quantised when the graph runs, and external",
            )
            return Defined(dtype, sizes, nonbatch_dims=dims)
        case PerChannelGroupQuant() as params:
            return _grouped(params, tensor, read)
    raise UnknownValueError


def _grouped(params: PerChannelGroupQuant, tensor: TensorValue, read: ReadScales) -> Defined:
    dtype, sizes = dtype_of(tensor.datatype), tuple(tensor.dims or ())
    _need(dtype is Dtype.QBINT4, f"of type {_name(tensor)} has scales for groups")
    if tensor.dims is None:
        raise RefusedValueError("has scales for groups, and no sizes", CRASHES)
    group = params.group_size % (1 << 64)
    if group == 0:
        raise RefusedValueError("divides by the size of its groups, which is 0", MISREADS)
    # Groups are counted with whatever is behind the sizes: Internal where that fits, and where not.
    if len(sizes) < 2:
        message = f"has scales for groups, and {len(sizes)} dimensions"
        raise RefusedValueError(message, since="1.5")
    count = sizes[0] * sizes[1] // group
    in_place = params.scale.size // 4 if params.scale is not None else None
    have = params.num_scales if params.scale_buffer_idx else in_place
    if have is None:
        raise UnknownValueError
    _need(have == count, f"has {have} scales for {count} groups")
    _few(sizes)
    dim = params.channel_dim
    _need(0 <= dim < len(sizes), f"has scales for dimension {dim} of {len(sizes)}")
    # Scales in place are converted to bfloat16.
    if params.scale_buffer_idx:
        check_scales(_read_scales(params, count, 16, read))
    else:
        floats = _read_scales(params, count, 32, read)
        check_scales([number * 1.00389105 for number in floats])
    return Defined(
        dtype, sizes, bool(tensor.constant_buffer_idx), 8, channel_dim=dim, block_size=group,
        flags=tensor.flags, is_divided=True,
    )  # fmt: skip


def scales_in(content: bytes, bits: int) -> Sequence[float]:
    """The numbers of content; bfloat16 is the upper half of a 32-bit float."""
    count = len(content) // (bits // 8)
    if bits == 16:
        halves = struct.unpack_from(f"<{count}H", content)
        content = struct.pack(f"<{count}I", *(half << 16 for half in halves))
    return struct.unpack_from(f"<{count}f", content)


def _read_scales(
    params: PerChannelQuant | PerChannelGroupQuant, count: int, bits: int, read: ReadScales
) -> Sequence[float]:
    """The scales that the backend looks at; () where they are not at hand, or very many."""
    if count > _MOST_SCALES:
        return ()
    if not params.scale_buffer_idx:
        if params.scale is None:
            raise UnknownValueError
        have = params.scale.size // (bits // 8)
        if have < count:
            raise RefusedValueError(f"takes {count} scales, and has {have}", MISREADS)
    return scales_in(read(params, count * bits // 8) or b"", bits)


def check_scales(scales: Sequence[float]) -> None:
    """Raises `RefusedValueError` for the first that is not finite, normal and positive."""
    for number, scale in enumerate(scales):
        _need(
            isfinite(scale) and scale >= _LEAST_NORMAL,
            f"has the scale {scale:g} (number {number}), which is not finite, normal and positive",
        )


def _zero_point(tensor: TensorValue, dtype: Dtype, zero: int) -> None:
    _need(dtype in _ZERO_POINTS, f"of type {_name(tensor)} cannot be quantised")
    _need(zero in _ZERO_POINTS[dtype], f"of type {_name(tensor)} has the zero point {zero}")


def _few(sizes: tuple[int, ...]) -> None:
    _need(len(sizes) <= MAX_DIMS, f"has {len(sizes)} dimensions, more than {MAX_DIMS}")


def _name(tensor: TensorValue) -> str:
    dtype = dtype_of(tensor.datatype)
    return dtype.name.lower() if dtype else f"{tensor.datatype}"


def _need(condition: bool, message: str) -> None:
    if not condition:
        raise RefusedValueError(message)
