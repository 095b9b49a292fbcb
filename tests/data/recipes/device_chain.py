"""Several delegates and host operators in one method."""

from __future__ import annotations

from typing import Any

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir.backend.partitioner import Partitioner

from .clean_models import seeded
from .device_backend import OneDelegateEach
from .lowering import lower, on, pte
from .registry import Exported, recipe


class Chain(torch.nn.Module):
    """Two adds in a row."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a + b) + b


class Island(torch.nn.Module):
    """A host operator between two adds."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(a + b) + b


class Shared(torch.nn.Module):
    """One device value that is a method output and also feeds a second delegate."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first = a + b
        return first, torch.sigmoid(first) + first


class Branches(torch.nn.Module):
    """An add in each branch of a cond."""

    def forward(self, flag: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.cond(flag, lambda x, y: x + y, lambda x, y: (x + y) + y, (a, b))


class Around(torch.nn.Module):
    """A cond on the host between two adds on the device."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        first = a + b
        mixed = torch.cond(first.sum() > 0, torch.sin, torch.cos, (first,))
        return mixed + b


class LinearThenAdd(torch.nn.Module):
    """A linear layer for XNNPACK, then an add for the device."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return self.layer(a) + b


class PassThrough(torch.nn.Module):
    """Returns an input beside a device result."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a, a + b


def _two(module: torch.nn.Module, partitioner: Partitioner, **settings: Any) -> Exported:
    methods = {"forward": (module, (torch.ones(8, 8), torch.ones(8, 8)))}
    return pte(lower(methods, partitioner=partitioner, **settings))


@recipe("device", how="two adds in two cuda:0 delegates: the exporter elides the copies between")
def chain_elided() -> Exported:
    return _two(Chain(), OneDelegateEach("cuda:0"))


@recipe("device", how="two adds in a cuda:0 delegate and a cuda:1 delegate")
def two_devices() -> Exported:
    return _two(Chain(), OneDelegateEach("cuda:0", "cuda:1"))


@recipe("device", how="two adds in a cuda:0 delegate and a delegate without a target device")
def device_then_host_delegate() -> Exported:
    return _two(Chain(), OneDelegateEach("cuda:0", None))


@recipe("device", how="add on cuda:0, sigmoid on the host, add on cuda:0")
def island() -> Exported:
    return _two(Island(), on("cuda:0"))


@recipe(
    "device", how="a cuda:0 value that is a method output, read by a host operator and a delegate"
)
def shared_device_value() -> Exported:
    return _two(Shared(), on("cuda:0"))


@recipe("device", how="returns an input and a device result")
def pass_through() -> Exported:
    return _two(PassThrough(), on("cuda:0"))


@recipe("device", how="a host cond between two adds on cuda:0; the predicate is made on the host")
def cond_between_delegates() -> Exported:
    return _two(Around(), on("cuda:0"))


@recipe(
    "device",
    how="cond with a cuda:0 delegate in each branch",
    intent="branches get neither tags nor copies: host tensors go to a cuda:0 delegate",
)
def cond_delegate_in_branch() -> Exported:
    inputs = (torch.tensor(True), torch.ones(8, 8), torch.ones(8, 8))
    return pte(lower({"forward": (Branches(), inputs)}, partitioner=OneDelegateEach("cuda:0")))


@recipe("device", how="a linear layer in XnnpackBackend, an add on cuda:0")
def xnnpack_and_device() -> Exported:
    methods = {"forward": (seeded(LinearThenAdd), (torch.ones(8, 8), torch.ones(8, 8)))}
    return pte(lower(methods, partitioner=[on("cuda:0"), XnnpackPartitioner()]))
