"""Exports whose constants, state or hygiene need advice."""

from __future__ import annotations

import struct
from functools import cached_property
from typing import Any

import torch
from executorch.exir import ExecutorchBackendConfig
from torch import Tensor, nn

from tests.exports.scenarios.structure import Counter
from tests.exports.script import Script, run


class EmptyConstant(Script):
    rule = "PTE501"

    @cached_property
    def model(self) -> Any:
        class Model(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.register_buffer("empty", torch.zeros(0))

            def forward(self, x: Tensor) -> Tensor:
                return torch.cat((x, self.empty))

        return Model()

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(8),)

    def carry_out(self, code: str) -> None:
        made = {"torch": torch}
        if not code.startswith("def"):
            code = f"def forward(self, x):\n    {code}"
        run(f"{code}\n    return torch.cat((x, empty.float()))", made)
        self.model = type("Model", (nn.Module,), {"forward": made["forward"]})()


class Masked(nn.Module):
    """Constants of one byte an element among others."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mask", torch.ones(7, dtype=torch.bool))
        self.register_buffer("weight", torch.rand(7))

    def forward(self, x: Tensor) -> Tensor:
        return torch.where(self.mask, x[..., :7], self.weight)


class LooseConstants(Script):
    rule = "PTE505"

    @cached_property
    def model(self) -> Any:
        return Masked()

    @cached_property
    def config(self) -> ExecutorchBackendConfig:
        return ExecutorchBackendConfig(constant_tensor_alignment=1)


class ForgottenState(Script):
    rule = "PTE508"

    @cached_property
    def model(self) -> Any:
        return Counter()


class SameInTwoFiles(Script):
    """Two equal weights that go to data files of different names."""

    rule = "PTE705"
    select = ("PTE705",)

    @cached_property
    def model(self) -> Any:
        torch.manual_seed(0)
        first, second = nn.Linear(16, 16), nn.Linear(16, 16)
        second.load_state_dict(first.state_dict())
        return nn.Sequential(first, nn.ReLU(), second)

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(2, 16),)

    @cached_property
    def config(self) -> ExecutorchBackendConfig:
        return ExecutorchBackendConfig(external_constants=lambda node: node.name)

    @classmethod
    def fits(cls, code: str) -> bool:
        return "external_constants" in code


class StackTraces(Script):
    rule = "PTE703"

    @cached_property
    def model(self) -> Any:
        return nn.Linear(8, 3)

    @cached_property
    def config(self) -> ExecutorchBackendConfig:
        return ExecutorchBackendConfig(emit_stacktrace=True)


class DamagedHeader(Script):
    """A tool has changed the program, and left old numbers in the header."""

    rule = "PTE007"
    field = slice(16, 24)

    @cached_property
    def model(self) -> Any:
        return nn.Linear(8, 3)

    @cached_property
    def data(self) -> Any:
        damaged = bytearray(self.program.buffer)
        damaged[self.field] = b"\xff" * 8
        return damaged

    @cached_property
    def _header(self) -> tuple[int, ...]:
        return struct.unpack_from("<QQQ", self.program.buffer, 16)

    @cached_property
    def program_size(self) -> int:
        return self._header[0]

    @cached_property
    def base(self) -> int:
        return self._header[1]

    @cached_property
    def segment_data_size(self) -> int:
        return self._header[2]

    def content(self) -> bytes:
        return bytes(self.data)

    def data_files(self) -> Any:
        return {}


class ShiftedBase(DamagedHeader):
    rule = "PTE009"

    @cached_property
    def data(self) -> Any:
        damaged = bytearray(self.program.buffer)
        struct.pack_into("<Q", damaged, 24, self.base + 64)
        return damaged
