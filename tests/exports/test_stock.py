"""What people export every day has no error and no warning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.exporter import need_exporter

need_exporter()

import pte_lint  # noqa: E402
import torch  # noqa: E402
from executorch.backends.xnnpack.partition.xnnpack_partitioner import (  # noqa: E402
    XnnpackPartitioner,
)
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (  # noqa: E402
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import (  # noqa: E402
    ExecutorchBackendConfig,
    ExecutorchProgramManager,
    to_edge_transform_and_lower,
)
from executorch.exir.backend.test.device_util import DeviceAwarePartitioner  # noqa: E402
from executorch.exir.passes import MemoryPlanningPass  # noqa: E402
from executorch.exir.passes.propagate_device_config import PropagateDeviceConfig  # noqa: E402
from pte_lint.claims.finding import Severity  # noqa: E402
from torch import Tensor, nn  # noqa: E402
from torch.export import Dim  # noqa: E402
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e  # noqa: E402

from tests.exports.scenarios.device import Add  # noqa: E402
from tests.exports.scenarios.language import Language  # noqa: E402

rand = torch.rand
IMAGE = (rand(1, 3, 16, 16),)
LAST = (IMAGE[0].to(memory_format=torch.channels_last),)
ROWS = ({0: Dim("rows", min=2, max=64)},)
PAIR = (rand(8, 8), rand(8, 8))


def network() -> nn.Module:
    """A small image classifier."""
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, 10),
        nn.Softmax(-1),
    ).eval()


class Does(nn.Module):
    """A function as a model."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.forward = function


class First(nn.Module):
    """The result of a layer that gives more than one."""

    def __init__(self, layer: nn.Module, times: int = 1) -> None:
        super().__init__()
        self.layer, self.times = layer, times

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(*[x] * self.times)[0]


def exported(
    model: Any,
    inputs: tuple[Any, ...],
    shapes: Any = None,
    partitioner: Any = None,
    **settings: Any,
) -> ExecutorchProgramManager:
    """The program of a model; `settings` are those of to_executorch."""
    program = torch.export.export(model, inputs, dynamic_shapes=shapes)
    edge = to_edge_transform_and_lower(program, partitioner=partitioner)
    return edge.to_executorch(ExecutorchBackendConfig(**settings))


def quantised() -> ExecutorchProgramManager:
    """The classifier in 8 bits."""
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(network(), IMAGE).module(), quantizer)
    prepared(*IMAGE)
    return exported(convert_pt2e(prepared), IMAGE, None, xnnpack())


def xnnpack() -> list[Any]:
    return [XnnpackPartitioner()]


def device() -> list[Any]:
    return [DeviceAwarePartitioner("cuda:0")]


def branches(p: Tensor, x: Tensor) -> Any:
    return torch.cond(p, torch.sin, torch.cos, (x,))


STOCK: dict[str, Callable[[], Any]] = {
    "linear": lambda: exported(nn.Linear(8, 3), (rand(2, 8),)),
    "classifier": lambda: exported(network(), IMAGE),
    "channels last": lambda: exported(
        nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last), LAST
    ),
    "dynamic batch": lambda: exported(nn.Linear(8, 3), (rand(4, 8),), ROWS),
    "dynamic on XNNPACK": lambda: exported(nn.Linear(8, 3), (rand(4, 8),), ROWS, xnnpack()),
    "classifier on XNNPACK": lambda: exported(network(), IMAGE, None, xnnpack()),
    "quantised on XNNPACK": lambda: quantised(),
    "cond": lambda: exported(Does(branches), (torch.tensor(True), rand(2, 3))),
    "device": lambda: exported(Add(), PAIR, None, device()),
    "device to device": lambda: exported(
        Add(),
        PAIR,
        None,
        device(),
        propagate_device_config=PropagateDeviceConfig(
            skip_h2d_for_method_inputs=True, skip_d2h_for_method_outputs=True
        ),
        memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False),
    ),
    "kv-cache": lambda: Language().program,
    "external weights": lambda: exported(nn.Linear(8, 3), (rand(2, 8),), external_constants=True),
    "inputs of the caller": lambda: exported(
        nn.Linear(8, 3),
        (rand(2, 8),),
        memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False),
    ),
    "attention": lambda: exported(
        First(nn.MultiheadAttention(8, 2, batch_first=True), 3).eval(), (rand(1, 4, 8),)
    ),
    "transformer": lambda: exported(
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(), (rand(1, 4, 8),)
    ),
    "lstm": lambda: exported(First(nn.LSTM(8, 4)), (rand(5, 1, 8),)),
    "embedding": lambda: exported(nn.Embedding(32, 4), (torch.tensor([[1, 2, 3]]),)),
    "half": lambda: exported(nn.Linear(8, 3).half(), (rand(2, 8).half(),)),
    "top k": lambda: exported(Does(lambda x: torch.topk(x, 3)[0]), (rand(2, 8),)),
    "upsampling": lambda: exported(nn.Upsample(scale_factor=2, mode="bilinear"), IMAGE),
}


@pytest.mark.parametrize("name", STOCK)
def test_nothing_is_wrong(name: str) -> None:
    (artifact,) = pte_lint.check(STOCK[name](), isolated=True).artifacts
    told = [(f.rule, f.message) for f in artifact.findings if f.severity is not Severity.INFO]
    assert told == []


def test_what_is_wrong_is_told() -> None:
    """What 1.5 makes of planned inputs that the caller is to give on a device."""
    wrong = exported(
        Add(),
        PAIR,
        None,
        device(),
        propagate_device_config=PropagateDeviceConfig(skip_h2d_for_method_inputs=True),
    )
    assert "PTE301" in {f.rule for f in pte_lint.check(wrong, isolated=True).findings}
