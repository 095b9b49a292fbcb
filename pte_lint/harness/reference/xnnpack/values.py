"""The values of an XNNPACK graph as the numbers that they stand for, and how numbers become them.

Numbers of quantised values are float64, in which whole sums and products of theirs are exact; all
others are float32. Facts: XNNPACK's src/reference/unary-elementwise.cc (quantize, dequantize),
src/xnnpack/quantization.h for what is quantised as it runs, src/reference/packing.cc for weights of
4 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch

from pte_lint.harness.reference.xnnpack.constants import Constants, NotComputed
from pte_lint.schema.xnnpack_graph import (
    PerChannelGroupQuant,
    PerChannelQuant,
    PerTensorQuant,
    QuantizedTensorValue,
    TensorValue,
    Value,
)
from pte_lint.schema.xnnpack_values import Dtype, dtype_of

PLAIN = {
    Dtype.FP32: torch.float32, Dtype.FP16: torch.float16, Dtype.BF16: torch.bfloat16,
    Dtype.PFP32: torch.float32, Dtype.INT32: torch.int32,
}  # fmt: skip
WHOLE = {
    Dtype.QINT8: torch.int8, Dtype.QUINT8: torch.uint8, Dtype.QCINT8: torch.int8,
    Dtype.QINT32: torch.int32, Dtype.QCINT32: torch.int32,
}  # fmt: skip
_HALF_OF_16 = 8
"""The zero point of weights of 4 bits."""

TIE = 1 / 256
"""So near to the middle between two steps a number may be rounded to either: kernels work with
other roundings of scales, and with sums in another order."""


class Place:
    """One value of a graph, and what it is made of.

    Args:
        value: As the graph has it.
        tensor: Its tensor.
        constants: Where its data and scales are.
    """

    def __init__(self, value: Value, tensor: TensorValue, constants: Constants) -> None:
        content = value.xvalue_union
        self.tensor, self.dtype = tensor, dtype_of(tensor.datatype)
        self.sizes = tuple(tensor.dims or ())
        self.params = content.quant_params if isinstance(content, QuantizedTensorValue) else None
        self._constants = constants

    @property
    def is_whole(self) -> bool:
        """Whether it is quantised with one scale, so that its numbers lie on fixed steps."""
        return isinstance(self.params, PerTensorQuant)

    @property
    def scale(self) -> float:
        """The one scale.

        Raises:
            NotComputed: It has none, or several.
        """
        if not isinstance(self.params, PerTensorQuant):
            raise NotComputed("a value has no scale of its own")
        return self.params.scale

    @property
    def scales(self) -> torch.Tensor:
        """Its scale, or those of its channels."""
        if isinstance(self.params, PerChannelQuant):
            count = self.sizes[self.params.channel_dim]
            data = bytearray(self._constants.scales(self.params, count))
            return torch.frombuffer(data, dtype=torch.float32).double()
        return torch.tensor([self.scale], dtype=torch.float64)

    def wholes(self) -> torch.Tensor:
        """The stored whole numbers of a constant."""
        return self._stored(WHOLE[self.dtype]).double()

    def constant(self) -> torch.Tensor:
        """The numbers of a constant.

        Raises:
            NotComputed: They are not at hand, or of a type that is not known.
        """
        if self.dtype in (Dtype.QCINT4, Dtype.QBINT4):
            return self._of_4_bits()
        if self.dtype in PLAIN:
            stored = self._stored(PLAIN[self.dtype])
            return stored.double() if self.dtype is Dtype.INT32 else stored.float()
        if self.dtype not in WHOLE:
            raise NotComputed(f"constants of type {self.dtype.name.lower()} are not known")
        if isinstance(self.params, PerTensorQuant):
            return (self.wholes() - self.params.zero_point) * self.params.scale
        if isinstance(self.params, PerChannelQuant):
            shape = [1] * len(self.sizes)
            shape[self.params.channel_dim] = -1
            return self.wholes() * self.scales.reshape(shape)
        raise NotComputed("a constant has no scales")

    def _stored(self, dtype: torch.dtype) -> torch.Tensor:
        count = prod(self.sizes)
        if count == 0:
            return torch.empty(self.sizes, dtype=dtype)
        data = self._constants.data(self.tensor.constant_buffer_idx, count * dtype.itemsize)
        return torch.frombuffer(bytearray(data), dtype=dtype).reshape(self.sizes)

    def _of_4_bits(self) -> torch.Tensor:
        """Rows of weights, the first of two in the lower half of a byte."""
        if len(self.sizes) != 2 or self.sizes[1] % 2:
            raise NotComputed(f"weights of 4 bits of sizes {list(self.sizes)} are not known")
        rows, columns = self.sizes
        data = self._constants.data(self.tensor.constant_buffer_idx, rows * columns // 2)
        pairs = torch.frombuffer(bytearray(data), dtype=torch.uint8).to(torch.int32)
        halves = torch.stack((pairs & 15, pairs >> 4), -1).reshape(rows, columns)
        numbers = (halves - _HALF_OF_16).double()
        if isinstance(self.params, PerChannelQuant):
            return numbers * self.scales.reshape(-1, 1)
        if not isinstance(self.params, PerChannelGroupQuant) or self.params.group_size <= 0:
            raise NotComputed("weights of 4 bits have no scales")
        groups = rows * columns // self.params.group_size
        stored = bytearray(self._constants.scales(self.params, groups))
        if self.params.scale_buffer_idx:
            scales = torch.frombuffer(stored, dtype=torch.bfloat16)
        else:
            wide = torch.frombuffer(stored, dtype=torch.float32) * 1.00389105
            scales = ((wide.view(torch.int32) >> 16) << 16).view(torch.float32)
        return (numbers.reshape(groups, -1) * scales.double().reshape(-1, 1)).reshape(rows, columns)


class Rounding:
    """Rounds to whole numbers, halves to even.

    Args:
        nudge: What is added before: -1, 0 or 1 times what a number may be off.
    """

    def __init__(self, nudge: int = 0) -> None:
        self._nudge = nudge

    def __call__(self, numbers: torch.Tensor, off: float = TIE) -> torch.Tensor:
        """Rounded numbers; `off` is the part of a step by which a kernel may be off."""
        return torch.round(numbers + self._nudge * off if self._nudge else numbers)

    def stored(self, place: Place, numbers: torch.Tensor, off: float = TIE) -> torch.Tensor:
        """The numbers that a value stands for after these were written to it."""
        if place.dtype in (Dtype.QINT8, Dtype.QUINT8):
            return self._quantised(place, numbers, off)
        if place.dtype is Dtype.QDINT8:
            return numbers  # by_rows has been here
        if place.dtype is Dtype.INT32:
            return numbers.double().trunc()
        if place.dtype not in PLAIN:
            raise NotComputed(f"results of type {place.dtype.name.lower()} are not known")
        return numbers.to(PLAIN[place.dtype]).float()

    def _quantised(self, place: Place, numbers: torch.Tensor, off: float) -> torch.Tensor:
        if not isinstance(place.params, PerTensorQuant):
            raise NotComputed("results with several scales are not known")
        scale, zero = place.params.scale, place.params.zero_point
        if numbers.dtype == torch.float32:
            # As float32 kernels do: by what a division of 1 by the scale is rounded to.
            steps = (numbers * (torch.tensor(1.0) / torch.tensor(scale))).double()
        else:
            steps = numbers / scale
        low, high = (-128, 127) if place.dtype is Dtype.QINT8 else (0, 255)
        return (torch.clamp(self(steps, off) + zero, low, high) - zero) * scale

    def by_rows(self, numbers: torch.Tensor, dims: int, half: bool = False) -> torch.Tensor:
        """Numbers quantised to int8 by their least and largest over the last dimensions.

        Args:
            numbers: Of type float32.
            dims: How many dimensions have one scale.
            half: Whether they are of float16, of which the scale is then too.
        """
        if numbers.numel() == 0:
            return numbers.double()
        rows = numbers.reshape(*numbers.shape[: numbers.dim() - dims], -1)
        low = rows.amin(-1, keepdim=True).clamp(max=0)
        high = rows.amax(-1, keepdim=True).clamp(min=0)
        scale = torch.where(low == high, torch.ones_like(low), 255.0 / (high - low))
        least, most = -128 + low * scale, 127 + high * scale
        zero = torch.where(least + most > 0, -128 - low * scale, 127 - high * scale)
        zero = self(zero.clamp(-128, 127))
        step = (1 / scale).double()
        if half:
            scale = scale.half().float()
        steps = self((rows * scale).double()) + zero.double()
        return ((steps.clamp(-128, 127) - zero.double()) * step).reshape(numbers.shape)


def wide(*tensors: torch.Tensor) -> Sequence[torch.Tensor]:
    """Tensors in one type, float64 where one is."""
    dtype = torch.float64 if any(t.dtype == torch.float64 for t in tensors) else torch.float32
    return [t.to(dtype) for t in tensors]
