"""Control flow: cond, map, scan."""

from __future__ import annotations

import torch
from torch._higher_order_ops.map import map as torch_map
from torch._higher_order_ops.scan import scan as torch_scan

from .clean_models import one
from .lowering import lower, pte_with_calls
from .registry import Exported, recipe


class Cond(torch.nn.Module):
    """sin or cos, by a predicate input."""

    def forward(self, flag: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(flag, lambda v: torch.sin(v) * 2, lambda v: torch.cos(v) + 1, (x,))


class NestedCond(torch.nn.Module):
    """A cond inside a branch of a cond."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        def inner(v: torch.Tensor) -> torch.Tensor:
            return torch.cond(v.max() > 2, torch.sin, torch.cos, (v,))

        return torch.cond(x.sum() > 0, inner, lambda v: v * 3, (x,)) + x


class PairCond(torch.nn.Module):
    """A cond with two results."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first, second = torch.cond(
            x.sum() > 0, lambda v: (v + 1, v * 2), lambda v: (v - 1, v * 4), (x,)
        )
        return first - second, second


class MapRows(torch.nn.Module):
    """The same function on each row."""

    def forward(self, rows: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch_map(lambda row, other: row * other + 1, rows, y)


class ScanSum(torch.nn.Module):
    """A running sum along the first dimension."""

    def forward(self, start: torch.Tensor, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        def step(carry: torch.Tensor, row: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            total = carry + row
            return total, total * 2

        return torch_scan(step, start, rows)


@recipe("clean", how="torch.cond on a predicate input")
def cond() -> Exported:
    methods = one(Cond(), torch.tensor(True), torch.ones(2, 3))
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="torch.cond within torch.cond, predicates computed")
def cond_nested() -> Exported:
    methods = one(NestedCond(), torch.ones(2, 3))
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="torch.cond with two results, one also read afterwards")
def cond_two_results() -> Exported:
    methods = one(PairCond(), torch.ones(2, 3))
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="the higher-order map: a loop over rows")
def map_rows() -> Exported:
    methods = one(MapRows(), torch.ones(3, 4), torch.arange(4.0))
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="the higher-order scan: a loop with a carried value")
def scan_sum() -> Exported:
    methods = one(ScanSum(), torch.zeros(4), torch.ones(3, 4))
    return pte_with_calls(lower(methods), methods)
