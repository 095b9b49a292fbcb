"""Exports with memory plans of one's own."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import torch
from executorch.exir.memory_planning import MemoryAlgoResult, greedy
from executorch.exir.passes import MemoryPlanningPass
from torch import Tensor, nn

from tests.exports.script import Script


class Layers(nn.Module):
    """Tensors that live at the same time."""

    def forward(self, x: Tensor) -> Tensor:
        a = torch.sin(x)
        b = torch.cos(a)
        c = torch.sin(b) + a
        return torch.cat((c, b), 1)


class OwnPlanner(Script):
    """A planner that miscounts, in place of the default one."""

    @cached_property
    def model(self) -> Any:
        return Layers()

    def miscount(self, made: MemoryAlgoResult) -> None:
        raise NotImplementedError

    @cached_property
    def planning(self) -> MemoryPlanningPass:
        def planner(*given: Any) -> MemoryAlgoResult:
            made = greedy(*given)
            self.miscount(made)
            return made

        return MemoryPlanningPass(memory_planning_algo=suite(planner))


def suite(planner: Callable[..., MemoryAlgoResult]) -> Callable[..., list[int]]:
    """What MemoryPlanningAlgorithmSuite does with the result of an algorithm."""

    def plan(*given: Any) -> list[int]:
        made = planner(*given)
        for spec, result in made.spec_dict.items():
            spec.mem_id, spec.mem_obj_id = result.mem_id, result.mem_obj_id
            spec.mem_offset = result.mem_offset
        return made.bufsizes

    return plan


def _in_order(made: MemoryAlgoResult) -> list[Any]:
    """The places of tensors, in the order in which they are made."""
    return [made.spec_dict[s] for s in sorted(made.spec_dict, key=lambda s: s.lifetime[0])]


class NoSuchArena(OwnPlanner):
    rule = "PTE201"

    def miscount(self, made: MemoryAlgoResult) -> None:
        for result in made.spec_dict.values():
            result.mem_id = 2


class OutsideArena(OwnPlanner):
    rule = "PTE202"

    def miscount(self, made: MemoryAlgoResult) -> None:
        made.bufsizes[1] -= 16


class Overlap(OwnPlanner):
    rule = "PTE203"

    def miscount(self, made: MemoryAlgoResult) -> None:
        _, first, _, third, *_ = _in_order(made)
        third.mem_offset = first.mem_offset


class OverItsInput(OwnPlanner):
    rule = "PTE204"

    def miscount(self, made: MemoryAlgoResult) -> None:
        *_, last_but_two, _, _, last = _in_order(made)
        last.mem_offset = last_but_two.mem_offset


class Misaligned(OwnPlanner):
    rule = "PTE205"

    def miscount(self, made: MemoryAlgoResult) -> None:
        for result in made.spec_dict.values():
            result.mem_offset += 2
        made.bufsizes[1] += 2


class UnusedArena(OwnPlanner):
    rule = "PTE207"

    def miscount(self, made: MemoryAlgoResult) -> None:
        made.bufsizes.append(1024)
