"""Ordinary small networks on the portable kernels."""

from __future__ import annotations

import torch

from .lowering import Method, lower, planning, pte_with_calls
from .registry import Exported, recipe


class ConvNet(torch.nn.Module):
    """Convolution, batch norm, pooling and a linear layer on a 3 x 8 x 8 image."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(4)
        self.linear = torch.nn.Linear(4 * 4 * 4, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.nn.functional.max_pool2d(torch.relu(self.norm(self.conv(x))), 2)
        return self.linear(y.flatten(1))


class Block(torch.nn.Module):
    """One transformer block, width 16, two heads."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1 = torch.nn.LayerNorm(16)
        self.qkv = torch.nn.Linear(16, 48)
        self.out = torch.nn.Linear(16, 16)
        self.norm2 = torch.nn.LayerNorm(16)
        self.up = torch.nn.Linear(16, 32)
        self.down = torch.nn.Linear(32, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        qkv = self.qkv(self.norm1(x)).reshape(batch, length, 3, 2, width // 2)
        q, k, v = (part.transpose(1, 2) for part in qkv.unbind(2))
        mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm2(x))))


class Mlp(torch.nn.Module):
    """Two linear layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(8, 16)
        self.second = torch.nn.Linear(16, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(torch.relu(self.first(x)))


class LastState(torch.nn.Module):
    """A recurrent layer's last output."""

    def __init__(self, kind: type[torch.nn.RNNBase]) -> None:
        super().__init__()
        self.cells = kind(4, 4, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.cells(x)[0][:, -1]


class AddOne(torch.nn.Module):
    """x + x, without any constant."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + x


def seeded(kind: type[torch.nn.Module], *arguments: object) -> torch.nn.Module:
    """A module in evaluation mode whose weights are the same each time."""
    torch.manual_seed(0)
    return kind(*arguments).eval()


def one(module: torch.nn.Module, *inputs: object) -> dict[str, Method]:
    """One method, ``forward``."""
    return {"forward": (module, inputs)}


def _channels_last(module: torch.nn.Module) -> dict[str, Method]:
    """The module and an 8 x 8 image, both in channels-last order."""
    image = torch.ones(1, 3, 8, 8).to(memory_format=torch.channels_last)
    return one(module.to(memory_format=torch.channels_last), image)


@recipe("clean", how="torch.nn.Linear(4, 3), default settings")
def linear() -> Exported:
    methods = one(seeded(torch.nn.Linear, 4, 3), torch.ones(2, 4))
    return pte_with_calls(lower(methods), methods)


@recipe(
    "clean", how="x + x: no constant and no delegate, so no extended header and no segment data"
)
def no_header() -> Exported:
    methods = one(AddOne(), torch.ones(2, 3))
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="a small convolution network, default settings")
def convnet() -> Exported:
    methods = one(seeded(ConvNet), torch.ones(1, 3, 8, 8))
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="a convolution with a channels-last weight and input")
def conv_channels_last() -> Exported:
    methods = _channels_last(seeded(torch.nn.Conv2d, 3, 4, 3))
    return pte_with_calls(lower(methods), methods)


@recipe(
    "refused",
    how="a small convolution network and its input in channels-last order",
    intent="the batch norm kernel refuses channels-last tensors at execute (InvalidArgument)",
)
def convnet_channels_last() -> Exported:
    methods = _channels_last(seeded(ConvNet))
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="one transformer block, default settings")
def transformer_block() -> Exported:
    methods = one(seeded(Block), torch.randn(1, 4, 16, generator=torch.manual_seed(1)))
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="torch.nn.LSTM over three steps, default settings")
def lstm() -> Exported:
    methods = one(seeded(LastState, torch.nn.LSTM), torch.ones(1, 3, 4))
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="torch.nn.GRU over three steps, default settings")
def gru() -> Exported:
    methods = one(seeded(LastState, torch.nn.GRU), torch.ones(1, 3, 4))
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="two linear layers, inputs and outputs not planned")
def io_unplanned() -> Exported:
    methods = one(seeded(Mlp), torch.ones(2, 8))
    manager = lower(methods, memory_planning_pass=planning(inputs=False, outputs=False))
    return pte_with_calls(manager, methods)


@recipe("clean", how="two linear layers, segments aligned to 1024, constants aligned to 64")
def wide_alignment() -> Exported:
    methods = one(seeded(Mlp), torch.ones(2, 8))
    manager = lower(methods, segment_alignment=1024, constant_tensor_alignment=64)
    return pte_with_calls(manager, methods)


@recipe("clean", how="a small convolution network with run_reinplace_pass=True")
def reinplaced() -> Exported:
    methods = one(seeded(ConvNet), torch.ones(1, 3, 8, 8))
    return pte_with_calls(lower(methods, run_reinplace_pass=True), methods)
