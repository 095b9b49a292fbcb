"""Sound exports, for advice that no export needs: it must run, and leave them sound."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import torch
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.exir import ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower
from executorch.exir.backend.test.device_util import DeviceAwarePartitioner
from executorch.exir.pass_base import ExportPass
from torch import Tensor, nn

from tests.exports.scenarios.device import Device, InPartition
from tests.exports.scenarios.structure import Counter, Scaled, Sine
from tests.exports.script import InForward, Script, run


class Plain(Script):
    @cached_property
    def model(self) -> Any:
        return Sine()

    @cached_property
    def x(self) -> Tensor:
        return torch.rand(2, 8)


class WithNumber(Plain):
    n = 3

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return self.x, torch.tensor(self.n)

    @cached_property
    def model(self) -> Any:
        return Scaled()


class WithConstants(Plain):
    @cached_property
    def model(self) -> Any:
        return nn.Linear(8, 3)


class External(WithConstants):
    @cached_property
    def config(self) -> ExecutorchBackendConfig:
        return ExecutorchBackendConfig(external_constants=True)


class WithState(Plain):
    @cached_property
    def model(self) -> Any:
        return Counter()


class TwoMethods(Plain):
    @cached_property
    def encode(self) -> Any:
        return torch.export.export(Sine(), self.inputs)

    @cached_property
    def decode(self) -> Any:
        return torch.export.export(Sine(), self.inputs)


class Lines(Plain):
    """Advice for lines of a model, whose names they are."""

    start, end = False, True

    @cached_property
    def y(self) -> Tensor:
        return torch.rand(2, 8)


class TwoSteps(Plain):
    """Advice that lowers two methods of one model."""

    to_edge = staticmethod(to_edge)

    @cached_property
    def prefill(self) -> Any:
        return torch.export.export(self.model, self.inputs)

    @cached_property
    def decode(self) -> Any:
        return torch.export.export(self.model, self.inputs)


class InAdapter(Plain):
    """Advice for a line in the constructor of an adapter."""

    name = "first"

    @cached_property
    def down(self) -> nn.Parameter:
        return nn.Parameter(torch.rand(2, 8))

    @cached_property
    def self(self) -> nn.Module:
        return nn.Module()


class Fragment(InForward):
    then = "return torch.sin(x)"


class Branches(Fragment):
    def names(self) -> dict[str, Any]:
        return {"true_fn": torch.sin, "false_fn": torch.cos}


class Bounded(InForward):
    """Advice of Python in front of the export, or in forward."""

    line = "n = x.shape[0]"
    then = "return torch.sin(x)"

    @cached_property
    def x(self) -> Tensor:
        return torch.rand(2, 8)

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (self.x,)

    def carry_out(self, code: str) -> None:
        if "_check" in code:
            self.line = f"{self.line}\n{code}"
        else:
            Script.carry_out(self, code)

    @cached_property
    def dynamic_shapes(self) -> Any:
        length = getattr(self, "length", None)
        return ({0: length},) if length is not None else None


class ListOfTensors(Script):
    @cached_property
    def model(self) -> Any:
        class Sum(nn.Module):
            def forward(self, both: list[Tensor]) -> Tensor:
                return both[0] + both[1]

        return Sum()

    @cached_property
    def a(self) -> Tensor:
        return torch.rand(2, 8)

    @cached_property
    def b(self) -> Tensor:
        return torch.rand(2, 8)


class Cached(Script):
    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(1, 8),)

    def carry_out(self, code: str) -> None:
        class Model(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                run(code, {"self": self, "torch": torch})

            def forward(self, x: Tensor) -> Tensor:
                self.cache.copy_(x)
                return self.cache + 1.0

        self.model = Model()


class OnDevice(Device):
    @cached_property
    def partitioner(self) -> Any:
        return DeviceAwarePartitioner("cuda:0")

    @cached_property
    def your_pass(self) -> Any:
        return ExportPass()

    @cached_property
    def edge(self) -> Any:
        return to_edge_transform_and_lower(self.exported, partitioner=[self.partitioner])


class PartitionOnDevice(InPartition):
    @classmethod
    def fits(cls, code: str) -> bool:
        return "tag_constant_data" in code


class Bundled(WithConstants):
    @cached_property
    def example_inputs(self) -> Any:
        return self.inputs

    @cached_property
    def suites(self) -> Any:
        case = MethodTestCase(inputs=self.inputs, expected_outputs=self.model(*self.inputs))
        return [MethodTestSuite(method_name="forward", test_cases=[case])]
