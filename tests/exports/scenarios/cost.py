"""Exports that move more bytes than they need to."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from executorch.exir import ExecutorchBackendConfig
from torch import nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from tests.exports.scenarios.structure import Sine
from tests.exports.script import InForward, Script


class PlannedInputs(Script):
    rule = "PTE803"
    select = ("PTE803",)

    @cached_property
    def model(self) -> Any:
        return Sine()


class KeptCopies(InForward):
    """A view that the exporter was told to copy."""

    rule = "PTE804"
    select = ("PTE804",)
    then = "return torch.sin(torch.relu(x).view(8, 2))"

    @cached_property
    def config(self) -> ExecutorchBackendConfig:
        return ExecutorchBackendConfig(remove_view_copy=False)

    @classmethod
    def fits(cls, code: str) -> bool:
        return "remove_view_copy" in code

    def carry_out(self, code: str) -> None:
        Script.carry_out(self, code)


class Unsqueezed(InForward):
    """A reshape that the exporter does not replace by a view."""

    rule = "PTE804"
    select = ("PTE804",)
    line = "x = torch.relu(x)\ny = x.unsqueeze(0)"
    then = "return torch.sin(y)"

    @classmethod
    def fits(cls, code: str) -> bool:
        return "unsqueeze" in code

    def carry_out(self, code: str) -> None:
        super().carry_out(f"x = torch.relu(x)\n{code}")


class BackAndForth(InForward):
    rule = "PTE805"
    select = ("PTE805",)
    line = "y = x.permute(0, 2, 3, 1).permute(0, 3, 1, 2)"
    then = "return torch.sin(y)"

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(1, 3, 4, 5),)


class PartlyQuantized(Script):
    """Of two layers the quantizer was told one."""

    rule = "PTE807"
    select = ("PTE807",)

    @cached_property
    def model(self) -> Any:
        torch.manual_seed(0)
        return nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64)).eval()

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(2, 64),)

    @cached_property
    def quantizer(self) -> Any:
        config = get_symmetric_quantization_config(is_per_channel=True)
        return XNNPACKQuantizer().set_module_name("0", config)

    @cached_property
    def exported(self) -> Any:
        prepared = prepare_pt2e(
            torch.export.export(self.model, self.inputs).module(), self.quantizer
        )
        prepared(*self.inputs)
        return torch.export.export(convert_pt2e(prepared), self.inputs)

    @cached_property
    def partitioner(self) -> Any:
        return [XnnpackPartitioner()]
