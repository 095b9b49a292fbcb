"""Delegates that the Python package's runtime has: XNNPACK."""

from __future__ import annotations

from typing import Any

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from .clean_models import ConvNet, Mlp, one, seeded
from .lowering import lower, pte_with_calls
from .registry import Exported, recipe


class Mixed(torch.nn.Module):
    """A delegated linear layer, a host operator, a delegated linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(8, 8)
        self.second = torch.nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(torch.cumsum(self.first(x), dim=1))


def _xnnpack(methods: dict[str, Any], **settings: Any) -> Exported:
    return pte_with_calls(lower(methods, partitioner=XnnpackPartitioner(), **settings), methods)


@recipe("clean", how="two linear layers, XnnpackPartitioner")
def mlp_xnnpack() -> Exported:
    return _xnnpack(one(seeded(Mlp), torch.ones(2, 8)))


@recipe("clean", how="a small convolution network, XnnpackPartitioner")
def convnet_xnnpack() -> Exported:
    return _xnnpack(one(seeded(ConvNet), torch.ones(1, 3, 8, 8)))


@recipe("clean", how="two XNNPACK delegates with a host operator between")
def mixed_xnnpack() -> Exported:
    return _xnnpack(one(seeded(Mixed), torch.ones(2, 8)))


@recipe("clean", how="two linear layers with a dynamic batch 1..8, XnnpackPartitioner")
def dynamic_batch_xnnpack() -> Exported:
    shapes = {"x": {0: torch.export.Dim("batch", min=1, max=8)}}
    return _xnnpack(one(seeded(Mlp), torch.ones(3, 8)), dynamic_shapes=shapes)


@recipe("clean", how="XnnpackPartitioner, extract_delegate_segments=False: the blob is inline")
def inline_delegate() -> Exported:
    return _xnnpack(one(seeded(Mlp), torch.ones(2, 8)), extract_delegate_segments=False)


@recipe("clean", how="two methods with one linear layer in XNNPACK: shared named data")
def shared_named_data() -> Exported:
    module = seeded(torch.nn.Linear, 8, 8)
    methods = {"one": (module, (torch.ones(1, 8),)), "three": (module, (torch.ones(3, 8),))}
    lists = {name: XnnpackPartitioner() for name in methods}
    return pte_with_calls(lower(methods, partitioner=lists), methods)


@recipe("clean", how="two linear layers quantised to 8 bits (pt2e), XnnpackPartitioner")
def quantized_xnnpack() -> Exported:
    inputs = (torch.ones(2, 8),)
    graph = torch.export.export(seeded(Mlp), inputs).module()
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(graph, quantizer)
    prepared(*inputs)
    return _xnnpack(one(convert_pt2e(prepared), *inputs))
