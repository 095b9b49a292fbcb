"""Exports that are not what a contract promises."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import torch
from executorch.exir import to_edge
from torch import Tensor, nn

from tests.exports.scenarios.structure import Counter, Sine
from tests.exports.script import Script
from tests.support.contracts import method, options


class Promised(Script):
    """Sines, not as they are promised."""

    to_edge = staticmethod(to_edge)

    @cached_property
    def model(self) -> Any:
        return Sine()


class MissingMethod(Promised):
    rule = "PTE630"
    options: ClassVar[dict[str, Any]] = options({"methods": {"encode": {}, "decode": {}}})

    @cached_property
    def encode(self) -> Any:
        return torch.export.export(self.model, self.inputs)

    @cached_property
    def decode(self) -> Any:
        return torch.export.export(self.model, self.inputs)

    @cached_property
    def exported(self) -> Any:
        return {"encode": self.encode}


class OtherSizes(Promised):
    rule = "PTE631"
    options: ClassVar[dict[str, Any]] = options(method(inputs=[{"shape": [1, 3, 224, 224]}]))


class NotDelegated(Promised):
    rule = "PTE632"
    options: ClassVar[dict[str, Any]] = options(method(backends=["XnnpackBackend"]))

    @cached_property
    def model(self) -> Any:
        return nn.Linear(8, 3)


class Wider(Counter):
    """The same state beside larger tensors, which are planned first."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(torch.cat((x, x, x, x))[:2])


class StateApart(Promised):
    """Two methods, each with a buffer of its own."""

    rule = "PTE634"
    also = frozenset({"PTE508", "PTE636"})
    options: ClassVar[dict[str, Any]] = options(
        {"state": [{"name": "buffer 0", "methods": ["prefill", "decode"], "shared": True}]}
    )

    @cached_property
    def exported(self) -> Any:
        models = {"prefill": Counter(), "decode": Wider()}
        return {name: torch.export.export(each, self.inputs) for name, each in models.items()}
