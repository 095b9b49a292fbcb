"""Complex numbers: what the kernels compute with, and what they refuse."""

from __future__ import annotations

import torch
from executorch.exir import EdgeCompileConfig

from .clean_models import one
from .lowering import lower, pte_with_calls
from .registry import Exported, recipe

UNCHECKED = EdgeCompileConfig(_check_ir_validity=False)
"""The edge dialect's own check knows no operator that takes complex numbers."""


class Filter(torch.nn.Module):
    """A filter in the frequency domain, and the energy of what comes out."""

    def __init__(self) -> None:
        super().__init__()
        weights = torch.linspace(1.0, 0.0, 9)
        self.register_buffer("response", torch.complex(weights, -weights).reshape(1, 9))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        spectrum = torch.fft.rfft(x) * self.response
        both = torch.cat([spectrum, spectrum + spectrum])
        return torch.fft.irfft(both, n=16), both[1:].abs().sum(1)


class Opposite(torch.nn.Module):
    """The opposite of complex numbers."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return -(x + x)


@recipe("clean", how="complex mul, add, cat, slice and abs between FFTs; _check_ir_validity=False")
def complex_filter() -> Exported:
    methods = one(Filter(), torch.linspace(-1.0, 1.0, 32).reshape(2, 16))
    return pte_with_calls(lower(methods, edge=UNCHECKED), methods)


@recipe(
    "refused",
    how="neg of complex numbers; _check_ir_validity=False",
    intent="the kernel of neg is not made for complex64: InvalidArgument at execute",
)
def complex_negated() -> Exported:
    methods = one(Opposite(), torch.complex(torch.ones(2, 3), torch.ones(2, 3)))
    return pte_with_calls(lower(methods, edge=UNCHECKED), methods)
