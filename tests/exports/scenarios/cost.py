"""Exports that move more bytes than they need to."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import torch
from executorch.exir import ExecutorchBackendConfig

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
