"""XNNPACK graphs with many kinds of nodes and values."""

from __future__ import annotations

from dataclasses import replace

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from torch.nn import functional
from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_
from torchao.quantization.granularity import PerGroup
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from .clean_models import Mlp, one, seeded
from .lowering import lower, pte_with_calls
from .registry import Exported, Inputs, recipe


class Attention(torch.nn.Module):
    """Matrix products, a softmax, a sum."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        shares = torch.softmax(torch.bmm(self.query(x), self.key(x).transpose(1, 2)), -1)
        return torch.bmm(shares, functional.gelu(x)) + x


class Images(torch.nn.Module):
    """Windows of every kind: a smaller image, and a larger one beside its parts."""

    def __init__(self) -> None:
        super().__init__()
        self.wide = torch.nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.deep = torch.nn.Conv2d(4, 8, 3, padding=1, groups=4)
        self.back = torch.nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1, output_padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.hardswish(self.wide(x))
        y = functional.elu(self.back(functional.max_pool2d(self.deep(x), 2)))
        z = functional.avg_pool2d(functional.pad(x, (0, 1, 1, 0), value=0.5), 2, 1)
        z = functional.interpolate(z, size=(8, 4), mode="bilinear", align_corners=True)
        return torch.cat((x, y, z[:, :, 2:6, :]), 1)


class Classifier(torch.nn.Module):
    """Convolutions with a sum around one, and a layer."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.deep = torch.nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.last = torch.nn.Linear(8, 6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.relu(self.first(x))
        x = functional.max_pool2d(x + functional.relu(self.deep(x)), 2)
        return self.last(torch.flatten(functional.adaptive_avg_pool2d(x, 1), 1))


def _ramp(*sizes: int) -> torch.Tensor:
    count = torch.Size(sizes).numel()
    return torch.linspace(-1, 1, count).reshape(sizes)


def _delegated(module: torch.nn.Module, *inputs: torch.Tensor) -> Exported:
    methods = one(module, *inputs)
    return pte_with_calls(lower(methods, partitioner=XnnpackPartitioner()), methods)


def _quantised(module: torch.nn.Module, inputs: Inputs, *, is_dynamic: bool) -> torch.nn.Module:
    config = get_symmetric_quantization_config(is_per_channel=True, is_dynamic=is_dynamic)
    quantizer = XNNPACKQuantizer().set_global(config)
    prepared = prepare_pt2e(torch.export.export(module, inputs).module(), quantizer)
    prepared(*inputs)
    converted: torch.nn.Module = convert_pt2e(prepared)
    return converted


@recipe("clean", how="attention, XnnpackPartitioner")
def xnnpack_attention() -> Exported:
    return _delegated(seeded(Attention), _ramp(2, 4, 8))


@recipe("clean", how="attention in float16, XnnpackPartitioner")
def xnnpack_halves() -> Exported:
    return replace(_delegated(seeded(Attention).half(), _ramp(2, 4, 8).half()), tolerance=1e-2)


@recipe("clean", how="convolutions, poolings, resizing and padding, XnnpackPartitioner")
def xnnpack_images() -> Exported:
    return _delegated(seeded(Images), _ramp(1, 3, 8, 8))


@recipe("clean", how="a classifier quantised to 8 bits (pt2e), XnnpackPartitioner")
def xnnpack_8_bits() -> Exported:
    inputs = (_ramp(1, 3, 8, 8),)
    return _delegated(_quantised(seeded(Classifier), inputs, is_dynamic=False), *inputs)


@recipe("clean", how="two linear layers quantised as they run (pt2e), XnnpackPartitioner")
def xnnpack_dynamic_8_bits() -> Exported:
    inputs = (_ramp(2, 8),)
    # PyTorch and XNNPACK choose steps that differ a little.
    made = _delegated(_quantised(seeded(Mlp), inputs, is_dynamic=True), *inputs)
    return replace(made, tolerance=1e-2)


@recipe("clean", how="a linear layer of 4 bits in groups of 32 (torchao), XnnpackPartitioner")
def xnnpack_4_bits() -> Exported:
    layer = seeded(torch.nn.Linear, 64, 4)
    config = Int8DynamicActivationIntxWeightConfig(
        weight_dtype=torch.int4, weight_granularity=PerGroup(32)
    )
    quantize_(layer, config)
    return _delegated(layer, _ramp(3, 64))
