"""The bytes that rules promise, compared with what is planned once the advice is followed."""

from __future__ import annotations

import random
from functools import cached_property
from typing import Any

import pytest

from tests.support.exporter import need_exporter

need_exporter()

import pte_lint  # noqa: E402
import torch  # noqa: E402
from torch import Tensor, nn  # noqa: E402

from tests.exports.scenarios.device import Device  # noqa: E402
from tests.support.snippets import code_of  # noqa: E402


class Random(nn.Module):
    """A graph of additions on the device, of which some are read by the host."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        rng = random.Random(seed)
        self.steps = []
        for n in range(rng.randint(1, 6)):
            # Each input is read once: the exporter refuses to skip copies of others.
            self.steps.append((rng.choice(("add", "add", "sin")), rng.randrange(2, n + 3)))
        self.returned = sorted({len(self.steps) + 2, rng.randrange(2, len(self.steps) + 3)})

    def forward(self, a: Tensor, b: Tensor) -> tuple[Tensor, ...]:
        values = [a, b, a + b]
        for kind, at in self.steps:
            values.append(values[at] + values[-1] if kind == "add" else torch.sin(values[at]))
        return tuple(values[n] for n in self.returned)


class PlannedInputs(Device):
    """Inputs that are given on the device, and planned."""

    skip = {"skip_h2d_for_method_inputs": True}  # noqa: RUF012
    seed = 0

    @cached_property
    def model(self) -> Any:
        return Random(self.seed)


@pytest.mark.parametrize("seed", range(12))
def test_what_the_inputs_cost(seed: int) -> None:
    script = PlannedInputs()
    script.seed = seed
    found = next(f for f in script.report().findings if f.rule == "PTE301")
    again = PlannedInputs()
    again.seed = seed
    again.carry_out(code_of(found.remediation)[0])
    (method,) = pte_lint.check(again.content()).artifacts[0].numbers["methods"]
    # All inputs are on the device: what this edit saves is what the printed setting saves.
    assert method["planned_bytes"] == found.evidence["planned_bytes_by_device_with_fix"]
