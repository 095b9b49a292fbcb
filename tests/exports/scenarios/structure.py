"""Exports whose model, inputs or shapes need advice."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import torch
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig
from executorch.exir.passes import MemoryPlanningPass
from torch import Tensor, nn

from tests.exports.script import InForward, Script


class HighRank(InForward):
    rule = "PTE106"
    then = "return torch.sigmoid(x.reshape(*x.shape, *[1] * 13))"

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(2, 2, 2, 2),)


class Sine(nn.Module):
    """One host kernel."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.sin(x)


class Dynamic(Script):
    """Dynamic dimensions with the bounds of the advice."""

    bounds: ClassVar[dict[str, int]] = {}

    @cached_property
    def length(self) -> Any:
        return torch.export.Dim("length", max=1 << 60)

    @cached_property
    def model(self) -> Any:
        return Sine()

    @cached_property
    def dynamic_shapes(self) -> Any:
        return ({0: self.length},)


class Square(nn.Module):
    """Each with each."""

    def forward(self, x: Tensor) -> Tensor:
        return x.unsqueeze(0) * x.unsqueeze(1)


class HugeArena(Dynamic):
    rule = "PTE206"

    @cached_property
    def length(self) -> Any:
        return torch.export.Dim("length", max=1 << 25)

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(8),)

    @cached_property
    def model(self) -> Any:
        return Square()


class FarOffset(Dynamic):
    rule = "PTE208"

    @cached_property
    def length(self) -> Any:
        return torch.export.Dim("length", max=1 << 28)


class Scaled(nn.Module):
    """Takes a number."""

    def forward(self, x: Tensor, n: Any) -> Tensor:
        return x * n


class BakedInput(Script):
    rule = "PTE115"
    select = ("PTE115",)

    @cached_property
    def x(self) -> Tensor:
        return torch.rand(2, 8)

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return self.x, 3

    @cached_property
    def model(self) -> Any:
        return Scaled()


class Counter(nn.Module):
    """State that is added to."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("state", torch.ones(2, 8))

    def forward(self, x: Tensor) -> Tensor:
        self.state.add_(x)
        return self.state + 1.0


class UnplannedState(Script):
    rule = "PTE131"
    also = frozenset({"PTE508"})

    @cached_property
    def model(self) -> Any:
        return Counter()

    @cached_property
    def config(self) -> ExecutorchBackendConfig:
        planning = MemoryPlanningPass(alloc_mutable_buffers=False)
        return ExecutorchBackendConfig(
            memory_planning_pass=planning, emit_mutable_buffer_names=True
        )


class HalfNumber(InForward):
    """A number read out of a half-precision tensor."""

    rule = "PTE135"
    line = "n = x.item()"
    then = "return torch.full((2,), 1.0) * n"

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.ones((), dtype=torch.half),)


class MovedOutput(InForward):
    rule = "PTE138"
    arguments = "p, x"
    line = "return torch.cond(p, f, g, (x,))"
    then = ""
    planning = MemoryPlanningPass(alloc_graph_output=False)

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return torch.tensor(True), torch.rand(2, 8)

    def names(self) -> dict[str, Any]:
        return {"f": torch.sin, "g": torch.cos}


class Convolution(Script):
    """A model in channels-last order."""

    @cached_property
    def model(self) -> Any:
        torch.manual_seed(0)
        return self.layers().to(memory_format=torch.channels_last)

    def layers(self) -> nn.Module:
        return nn.Conv2d(3, 4, 3)

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(1, 3, 8, 8).to(memory_format=torch.channels_last),)


class MisreadOrder(Convolution):
    rule = "PTE151"

    def layers(self) -> nn.Module:
        return nn.ZeroPad2d(1)

    @classmethod
    def fits(cls, code: str) -> bool:
        return "model" in code


class MisreadOrderInForward(InForward):
    rule = "PTE151"
    then = "return torch.flip(x, [2])"

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(1, 4, 6, 6).to(memory_format=torch.channels_last),)

    @classmethod
    def fits(cls, code: str) -> bool:
        return "model" not in code


class LostOrder(Convolution):
    rule = "PTE152"

    def layers(self) -> nn.Module:
        return nn.PixelShuffle(2)

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(1, 4, 6, 6).to(memory_format=torch.channels_last),)

    @classmethod
    def fits(cls, code: str) -> bool:
        return "model" in code


class LostOrderInForward(InForward):
    rule = "PTE152"
    line = "x = torch.relu(x).view(n, groups, c // groups, h, w)"
    then = "return x + 1.0"

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(1, 4, 8, 8).to(memory_format=torch.channels_last),)

    def names(self) -> dict[str, Any]:
        return {"n": 1, "groups": 2, "c": 4, "h": 8, "w": 8, "sizes": (1, 2, 2, 8, 8)}

    @classmethod
    def fits(cls, code: str) -> bool:
        return "model" not in code


class Remainder(InForward):
    rule = "PTE153"
    line = "y = torch.remainder(x, n)"

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.randint(-9, 9, (2, 8)),)

    def names(self) -> dict[str, Any]:
        return {"n": 4}


class TakenBytes(InForward):
    """Tensors of two element types joined, as PyTorch's check of the exported graph forbids."""

    rule = "PTE154"
    compile_config = EdgeCompileConfig(_check_ir_validity=False)
    arguments = "x, other"
    line = "y = torch.cat([x, other])"

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return torch.randint(-9, 9, (2, 8), dtype=torch.int32), torch.rand(2, 8)
