"""Exports for backends, and operators without a kernel."""

from __future__ import annotations

import logging
from functools import cached_property
from typing import Any

import torch
from executorch.backends.arm.ethosu import EthosUCompileSpec, EthosUPartitioner
from executorch.backends.arm.quantizer import EthosUQuantizer, get_symmetric_quantization_config
from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir.backend.test.device_util import CpuOnlyPartitioner
from pte_lint.claims.profile import Profile
from pte_lint.claims.target import Target
from torch import nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from tests.exports.scenarios.device import Add
from tests.exports.script import InForward, Script
from tests.support.cuda_libraries import cuda_target


class Sorted(InForward):
    rule = "PTE401"
    line = "y = x.sort(descending=True).values"


class NoBackend(Script):
    rule = "PTE411"
    target = Target(explicit_profile=True)

    @cached_property
    def partitioner(self) -> Any:
        return [CpuOnlyPartitioner()]

    @cached_property
    def model(self) -> Any:
        return Add()

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return torch.rand(8, 8), torch.rand(8, 8)


class Island(InForward):
    """XNNPACK declines one operator in the middle."""

    rule = "PTE801"
    line = "y = x ** 3"
    then = "return y + 1.0"

    @cached_property
    def partitioner(self) -> Any:
        return [XnnpackPartitioner()]

    @cached_property
    def model(self) -> nn.Module:
        self.line = f"x = torch.relu(x)\n{self.line}"
        return super().model

    @classmethod
    def fits(cls, code: str) -> bool:
        return "logging" not in code


class ToldWhy(Island):
    """Asks the partitioner, which cures nothing, but says which operator it was."""

    said = ""

    @classmethod
    def fits(cls, code: str) -> bool:
        return "logging" in code

    def carry_out(self, code: str) -> None:
        told = []
        handler = logging.Handler()
        handler.emit = lambda record: told.append(record.getMessage())  # type: ignore[method-assign]
        logger = logging.getLogger("executorch.backends.xnnpack")
        level = logger.level
        logger.addHandler(handler)
        try:
            Script.carry_out(self, code)
            assert self.edge
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)
        assert any("pow" in each for each in told), told
        # What it was is known now; said in other words the island is gone.
        self.__dict__.clear()
        self.line = "y = x * x * x"


class Slopes(Script):
    """A PReLU in a delegate, for a runtime that frees its slopes."""

    rule = "PTE439"
    target = Target(runtime="1.3")

    @cached_property
    def partitioner(self) -> Any:
        return [XnnpackPartitioner()]

    @cached_property
    def model(self) -> Any:
        return nn.PReLU(4)

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(1, 4, 2, 2),)


class Heavy(Script):
    rule = "PTE802"
    select = ("PTE802",)

    @cached_property
    def model(self) -> Any:
        return nn.Linear(8, 3)


class OtherAccelerator(Script):
    """Compiled for a larger Ethos-U than the target has."""

    rule = "PTE435"
    also = frozenset({"PTE404"})
    target = cuda_target(backends=("EthosUBackend",), accelerator="ethos-u55-128")
    compile_spec = EthosUCompileSpec("ethos-u55-256")

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(1, 8, 4, 4),)

    @cached_property
    def model(self) -> Any:
        class Twice(nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return x + x

        quantizer = EthosUQuantizer(self.compile_spec)
        quantizer.set_global(get_symmetric_quantization_config())
        prepared = prepare_pt2e(torch.export.export(Twice(), self.inputs).module(), quantizer)
        prepared(*self.inputs)
        return convert_pt2e(prepared)

    @cached_property
    def partitioner(self) -> Any:
        return [EthosUPartitioner(self.compile_spec)]


class LargeTexture(Script):
    """More rows than a texture of the target has texels along y."""

    rule = "PTE437"
    target = Target(
        profile=Profile(
            "mine", "1.5.1", {}, ("VulkanBackend",), vulkan={"maxImageDimension3D": 2048}
        ),
        explicit_profile=True,
    )

    @cached_property
    def partitioner(self) -> Any:
        return [VulkanPartitioner()]

    @cached_property
    def model(self) -> Any:
        return Add()

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return torch.rand(4096, 8), torch.rand(4096, 8)
