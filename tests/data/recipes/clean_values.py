"""Every kind of value, and the unusual argument lists."""

from __future__ import annotations

import linecache

import torch

from .clean_models import Mlp, one, seeded
from .lowering import lower, pte_with_calls
from .registry import Exported, recipe


class Split(torch.nn.Module):
    """Three outputs of one split (two tensor lists in the call)."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first, middle, last = torch.split(x, [1, 2, 3], dim=1)
        return first + last.sum(), middle


class RowMax(torch.nn.Module):
    """Values and indices of one call (two outs)."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, indices = torch.max(x, dim=1)
        return values * 2, indices


class Pick(torch.nn.Module):
    """Indexing with an absent index (an optional tensor list)."""

    def forward(self, x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return x[:, index]


class Join(torch.nn.Module):
    """cat: a tensor list that is only read."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.cat([a, b, a], dim=0)


class Numbers(torch.nn.Module):
    """Tensor, int, float and bool in; tensor and int out."""

    def forward(self, x: torch.Tensor, n: int, f: float, flag: bool) -> tuple[torch.Tensor, int]:
        return (x * f + n if flag else x), n


class Upsample(torch.nn.Module):
    """Scale factors (a list of doubles)."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.interpolate(x, scale_factor=(2.0, 1.5), mode="nearest")


class ConvGradient(torch.nn.Module):
    """The gradients of a convolution (a list of bools says which)."""

    def forward(
        self, gradient: torch.Tensor, x: torch.Tensor, weight: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        return torch.ops.aten.convolution_backward(
            gradient, x, weight, [2], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, True]
        )


class ManyTypes(torch.nn.Module):
    """Half, integer, double and bool tensors."""

    def forward(self, x: torch.Tensor, n: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return x.half(), n.to(torch.int16), x.double(), n > 1, n.to(torch.uint8)


class SizeMath(torch.nn.Module):
    """Uses sizes as numbers (prim ops on Int values)."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows = x.shape[0]
        return x.reshape(rows * 2, 2) * (rows + 1)


class Constant(torch.nn.Module):
    """A method without inputs."""

    def forward(self) -> torch.Tensor:
        return torch.arange(6.0) * 2


TRACED_SOURCE = """\
import torch


class Traced(torch.nn.Module):
    def helper(self, x):
        return torch.sin(x) * 2

    def forward(self, x):
        y = self.helper(x)
        return y + x
"""


def _traced_module() -> torch.nn.Module:
    """A module whose frames name ``model.py`` whatever machine exports it."""
    lines = TRACED_SOURCE.splitlines(keepends=True)
    linecache.cache["model.py"] = (len(TRACED_SOURCE), None, lines, "model.py")
    names: dict[str, type[torch.nn.Module]] = {}
    exec(compile(TRACED_SOURCE, "model.py", "exec"), names)
    return names["Traced"]()


@recipe("clean", how="split with sizes: two tensor lists")
def split_outputs() -> Exported:
    methods = one(Split(), torch.arange(12.0).reshape(2, 6))
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="max along a dimension: two outs and their tensor list")
def max_two_outs() -> Exported:
    methods = one(RowMax(), torch.arange(12.0).reshape(2, 6))
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="indexing with an absent index (optional tensor list)")
def index_optional_list() -> Exported:
    methods = one(Pick(), torch.arange(12.0).reshape(3, 4), torch.tensor([2, 0]))
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="cat: a tensor list that is read, with one tensor twice")
def cat_list() -> Exported:
    methods = one(Join(), torch.ones(1, 3), torch.zeros(2, 3))
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="tensor, int, float and bool in; tensor and int out")
def mixed_primitives() -> Exported:
    methods = one(Numbers(), torch.ones(2, 3), 3, 0.5, True)
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="interpolate with scale factors (list of doubles)")
def double_list() -> Exported:
    methods = one(Upsample(), torch.arange(16.0).reshape(1, 1, 4, 4))
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="convolution_backward (list of bools, three outs)")
def bool_list() -> Exported:
    inputs = (torch.ones(1, 2, 3, 3), torch.ones(1, 3, 4, 4), torch.ones(2, 3, 2, 2))
    methods = one(ConvGradient(), *inputs)
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="outputs of five element types")
def element_types() -> Exported:
    methods = one(ManyTypes(), torch.ones(2, 2), torch.tensor([[0, 1], [2, 3]]))
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="a dynamic first dimension 1..8 whose size is used as a number")
def dynamic_size_math() -> Exported:
    methods = one(SizeMath(), torch.ones(3, 4))
    shapes = {"x": {0: torch.export.Dim("rows", min=1, max=8)}}
    return pte_with_calls(lower(methods, dynamic_shapes=shapes), methods)


@recipe("clean", how="two linear layers with a dynamic batch 1..8")
def dynamic_batch() -> Exported:
    methods = one(seeded(Mlp), torch.ones(3, 8))
    shapes = {"x": {0: torch.export.Dim("batch", min=1, max=8)}}
    return pte_with_calls(lower(methods, dynamic_shapes=shapes), methods)


@recipe("clean", how="a method without inputs")
def no_input() -> Exported:
    methods = one(Constant())
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="constant methods beside forward: int, bool, float, string, tuple")
def constant_methods() -> Exported:
    methods = one(seeded(Mlp), torch.ones(2, 8))
    values = {
        "get_vocab_size": 32000,
        "use_kv_cache": True,
        "get_scale": 0.25,
        "get_name": "tiny",
        "get_eos_ids": [2, 32007],
    }
    return pte_with_calls(lower(methods, constant_methods=values), methods)


@recipe("clean", how="emit_stacktrace=True: every instruction carries its Python frames")
def stack_traces() -> Exported:
    methods = one(_traced_module(), torch.ones(2, 2))
    return pte_with_calls(lower(methods, emit_stacktrace=True), methods)
