"""Dynamic shapes, dim orders, element types and kinds of input in front of a device delegate."""

from __future__ import annotations

from typing import Any

import torch

from .device_add import PLANNED_DEVICE_INPUT, Add
from .device_backend import OneDelegateEach
from .lowering import lower, on, planning, pte, skipping
from .registry import Exported, recipe


class AddNumber(torch.nn.Module):
    """a + b + n, with an int method input."""

    def forward(self, a: torch.Tensor, b: torch.Tensor, n: int) -> torch.Tensor:
        return torch.mul(a, n) + b


class Nested(torch.nn.Module):
    """A dict in, a dict with a tuple out."""

    def forward(self, x: dict[str, torch.Tensor]) -> dict[str, Any]:
        total = x["a"] + x["b"]
        return {"total": total, "pair": (torch.sigmoid(total), x["a"] + x["a"])}


def _dynamic(**settings: Any) -> Exported:
    inputs = (torch.ones(4, 8), torch.ones(4, 8))
    rows = torch.export.Dim("rows", min=2, max=16)
    shapes = {"a": {0: rows}, "b": {0: rows}}
    return pte(
        lower(
            {"forward": (Add(), inputs)},
            partitioner=OneDelegateEach("cuda:0"),
            dynamic_shapes=shapes,
            **settings,
        )
    )


@recipe("device", how="dynamic first dimension 2..16, default copies")
def dynamic_default() -> Exported:
    return _dynamic()


@recipe("device", how="dynamic first dimension 2..16, skip both, nothing planned")
def dynamic_skip_both_paired() -> Exported:
    return _dynamic(
        propagate_device_config=skipping(),
        memory_planning_pass=planning(inputs=False, outputs=False),
    )


@recipe(
    "device",
    how="dynamic first dimension 2..16, skip both, default planning",
    intent=PLANNED_DEVICE_INPUT,
)
def dynamic_skip_both_planned() -> Exported:
    return _dynamic(propagate_device_config=skipping())


@recipe("device", how="channels-last inputs, default copies")
def channels_last() -> Exported:
    image = torch.ones(1, 3, 4, 4).to(memory_format=torch.channels_last)
    return pte(lower({"forward": (Add(), (image, image.clone()))}, partitioner=on("cuda:0")))


@recipe("device", how="float16 inputs, default copies")
def half_tensors() -> Exported:
    inputs = (torch.ones(8, 8, dtype=torch.half), torch.ones(8, 8, dtype=torch.half))
    return pte(lower({"forward": (Add(), inputs)}, partitioner=on("cuda:0")))


@recipe("device", how="an int method input used on the host, default copies")
def int_input() -> Exported:
    inputs = (torch.ones(8, 8), torch.ones(8, 8), 3)
    return pte(lower({"forward": (AddNumber(), inputs)}, partitioner=on("cuda:0")))


@recipe("device", how="a dict in, a dict with a tuple out, default copies")
def nested_io() -> Exported:
    inputs = ({"a": torch.ones(8, 8), "b": torch.ones(8, 8)},)
    return pte(lower({"forward": (Nested(), inputs)}, partitioner=on("cuda:0")))
