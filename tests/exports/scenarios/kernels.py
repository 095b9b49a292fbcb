"""Exports with calls that no kernel of the runtime can make."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import torch
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig
from torch import nn

from tests.exports.scenarios.structure import Convolution
from tests.exports.script import InForward, Script, run


class RefusedOrder(Convolution):
    rule = "PTE141"

    def layers(self) -> nn.Module:
        return nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)).eval()

    @classmethod
    def fits(cls, code: str) -> bool:
        return "contiguous" in code


class RefusedComplex(InForward):
    """An operator that has kernels for real numbers only."""

    rule = "PTE141"
    compile_config = EdgeCompileConfig(_check_ir_validity=False)
    then = "return -x"

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.complex(torch.rand(2, 3), torch.rand(2, 3)),)

    @classmethod
    def fits(cls, code: str) -> bool:
        return "view_as_real" in code


class RefusedTypes(Script):
    """A normalization whose weights are of another type than what they are applied to."""

    rule = "PTE141"
    compile_config = EdgeCompileConfig(_check_ir_validity=False)

    @cached_property
    def model(self) -> Any:
        return nn.LayerNorm(8)

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(2, 8).bfloat16(),)

    @classmethod
    def fits(cls, code: str) -> bool:
        return "model.float()" in code


class RefusedRank(Script):
    """A convolution over three dimensions."""

    rule = "PTE141"

    @cached_property
    def model(self) -> Any:
        return nn.Conv3d(2, 3, (3, 2, 2))

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(1, 2, 5, 6, 7),)

    @classmethod
    def fits(cls, code: str) -> bool:
        return "conv2d" in code

    def carry_out(self, code: str) -> None:
        names = {"torch": torch}
        run(code, names)
        slices = names["Slices"](self.model)
        torch.testing.assert_close(slices(*self.inputs), self.model(*self.inputs))
        self.model = slices


class RefusedPadding(InForward):
    """A padding that cuts."""

    rule = "PTE141"
    line = "x = torch.nn.functional.pad(x, (-1, -1, -2, 0))"
    then = "return x + 1.0"

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(1, 2, 5, 6),)

    @classmethod
    def fits(cls, code: str) -> bool:
        return "2:, 1:-1" in code

    def carry_out(self, code: str) -> None:
        before = self.model(*self.inputs)
        super().carry_out(code)
        del self.model
        assert torch.equal(self.model(*self.inputs), before)


class RefusedLimit(InForward):
    """Counts from and to a bool."""

    rule = "PTE141"
    line = "y = torch.arange(start, end)"

    def names(self) -> dict[str, Any]:
        return {"start": False, "end": True}

    @classmethod
    def fits(cls, code: str) -> bool:
        return "arange" in code


class RefusedInPlace(InForward):
    """An index_put that adds, which the pass makes work in place."""

    rule = "PTE141"
    then = "return torch.relu(x).index_put((torch.tensor([0, 1]),), x, accumulate=True)"

    @cached_property
    def config(self) -> ExecutorchBackendConfig:
        return ExecutorchBackendConfig(run_reinplace_pass=True)

    @classmethod
    def fits(cls, code: str) -> bool:
        return "run_reinplace_pass" in code
