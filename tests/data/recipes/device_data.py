"""Constants and mutable buffers beside a device delegate."""

from __future__ import annotations

from typing import Any, final

import torch
from executorch.exir.backend.partitioner import Partitioner, PartitionResult
from executorch.exir.backend.utils import tag_constant_data
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass

from .lowering import lower, on, planning, pte, skipping
from .registry import Exported, recipe

TAGGED_CONSTANT = "constant tagged cuda:0: host bytes go to a cuda:0 delegate without a copy"


@final
class OwningConstants(Partitioner):
    """Delegates every add, and gives each delegate the constants that only it reads."""

    def __init__(self, device: str) -> None:
        super().__init__()
        self.inner = on(device)

    def partition(self, exported_program: Any) -> PartitionResult:
        result = self.inner.partition(exported_program)
        tag_constant_data(exported_program)
        return result


class Weight(torch.nn.Module):
    """x plus a parameter that the delegate does not own."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.arange(64.0).reshape(8, 8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.weight


class Scalar(torch.nn.Module):
    """x plus a number, which the exporter lifts to a constant tensor."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 2.5


class Accumulator(torch.nn.Module):
    """Adds x to its state and returns the sum."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.full((8, 8), 3.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.total.add_(x)
        return self.total + x


class CountingTable(torch.nn.Module):
    """A host table read with an index, next to an add on the device."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Parameter(torch.arange(64.0).reshape(8, 8))

    def forward(self, x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(torch.index_select(self.table, 0, index)) + x


def _one(module: torch.nn.Module, **settings: Any) -> Exported:
    methods = {"forward": (module, (torch.ones(8, 8),))}
    return pte(lower(methods, partitioner=on("cuda:0"), **settings))


@recipe(
    "device",
    how="a weight outside the delegate, skip_h2d and skip_d2h, nothing planned",
    intent=TAGGED_CONSTANT,
)
def weight_skip_h2d_paired() -> Exported:
    return _one(
        Weight(),
        propagate_device_config=skipping(),
        memory_planning_pass=planning(inputs=False, outputs=False),
    )


@recipe(
    "device",
    how="x + 2.5: a lifted constant outside the delegate, skip_h2d, nothing planned",
    intent=TAGGED_CONSTANT,
)
def scalar_skip_h2d_paired() -> Exported:
    return _one(
        Scalar(),
        propagate_device_config=skipping(),
        memory_planning_pass=planning(inputs=False, outputs=False),
    )


@recipe(
    "device",
    how="a weight outside the delegate, enable_non_cpu_memory_planning=False, nothing planned",
    intent=TAGGED_CONSTANT,
)
def weight_legacy_tag_only() -> Exported:
    return _one(
        Weight(),
        enable_non_cpu_memory_planning=False,
        memory_planning_pass=planning(inputs=False, outputs=False),
    )


@recipe("device", how="a weight that the delegate owns, default copies")
def weight_owned() -> Exported:
    methods = {"forward": (Weight(), (torch.ones(8, 8),))}
    return pte(lower(methods, partitioner=OwningConstants("cuda:0")))


@recipe("device", how="a mutable buffer without initial state, default settings")
def mutable_buffer() -> Exported:
    return _one(Accumulator())


@recipe("device", how="a mutable buffer with its initial state in the file, default copies")
def mutable_buffer_initial_state() -> Exported:
    return _one(Accumulator(), passes=[InitializedMutableBufferPass(["total"])])


@recipe(
    "device",
    how="a mutable buffer that is not planned (alloc_mutable_buffers=False), its name in the file",
    intent="the state has no memory: the h2d copy reads a null pointer unless the caller gives one",
    severity="warning",
)
def mutable_buffer_unplanned() -> Exported:
    return _one(
        Accumulator(),
        memory_planning_pass=planning(alloc_mutable_buffers=False),
        emit_mutable_buffer_names=True,
    )


@recipe("device", how="a host table, index_select and sigmoid on the host, add on cuda:0")
def host_constant_and_device() -> Exported:
    methods = {"forward": (CountingTable(), (torch.ones(2, 8), torch.tensor([3, 1])))}
    return pte(lower(methods, partitioner=on("cuda:0")))
