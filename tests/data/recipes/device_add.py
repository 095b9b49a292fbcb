"""One add on a device delegate: the boundary copies, their switches and the memory planning."""

from __future__ import annotations

from typing import Any

import torch

from .lowering import lower, on, planning, pte, skipping
from .registry import Exported, recipe

PLANNED_DEVICE_INPUT = (
    "planned buffer for a device-tagged input: set_input cannot copy into it (NotSupported)"
)
UNPLANNED_DELEGATE_OUTPUT = (
    "the delegate's output on cuda:0 has no memory: alloc_graph_output=False hits it in place of "
    "the method's own output, and the d2h copy reads a null pointer"
)


class Add(torch.nn.Module):
    """a + b."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a + b


def _add(device: str | None = "cuda:0", **settings: Any) -> Exported:
    inputs = (torch.ones(8, 8), torch.ones(8, 8))
    return pte(lower({"forward": (Add(), inputs)}, partitioner=on(device), **settings))


@recipe("device", how="DeviceAwarePartitioner('cuda:0'), default settings")
def add_default() -> Exported:
    return _add()


@recipe("device", how="DeviceAwarePartitioner('cuda:1'), default settings")
def add_cuda1() -> Exported:
    return _add("cuda:1")


@recipe("device", how="CpuOnlyPartitioner, default settings")
def add_no_target_device() -> Exported:
    return _add(None)


@recipe(
    "device",
    how="target_device 'cpu', default settings",
    intent="both copies have both sides on the host: the copy kernels refuse them",
)
def add_target_cpu() -> Exported:
    return _add("cpu")


@recipe(
    "device",
    how="skip_h2d and skip_d2h, default planning: 768 planned bytes",
    intent=PLANNED_DEVICE_INPUT,
)
def add_skip_both_planned() -> Exported:
    return _add(propagate_device_config=skipping())


@recipe("device", how="skip_h2d and skip_d2h, inputs and outputs not planned")
def add_skip_both_paired() -> Exported:
    return _add(
        propagate_device_config=skipping(),
        memory_planning_pass=planning(inputs=False, outputs=False),
    )


@recipe(
    "device",
    how="skip_h2d and skip_d2h, inputs not planned, output planned",
    intent="the skipped output is still planned: the documented pairing is missing, and it runs",
    severity="warning",
)
def add_skip_both_output_planned() -> Exported:
    return _add(propagate_device_config=skipping(), memory_planning_pass=planning(inputs=False))


@recipe(
    "device",
    how="skip_h2d and skip_d2h, inputs planned, output not planned",
    intent=PLANNED_DEVICE_INPUT,
)
def add_skip_both_inputs_planned() -> Exported:
    return _add(propagate_device_config=skipping(), memory_planning_pass=planning(outputs=False))


@recipe("device", how="skip_h2d only, default planning", intent=PLANNED_DEVICE_INPUT)
def add_skip_h2d_planned() -> Exported:
    return _add(propagate_device_config=skipping(d2h=False))


@recipe("device", how="skip_h2d only, inputs not planned")
def add_skip_h2d_paired() -> Exported:
    return _add(
        propagate_device_config=skipping(d2h=False), memory_planning_pass=planning(inputs=False)
    )


@recipe(
    "device",
    how="skip_d2h only, default planning",
    intent="the skipped output is still planned: the documented pairing is missing, and it runs",
    severity="warning",
)
def add_skip_d2h_planned() -> Exported:
    return _add(propagate_device_config=skipping(h2d=False))


@recipe("device", how="skip_d2h only, outputs not planned")
def add_skip_d2h_paired() -> Exported:
    return _add(
        propagate_device_config=skipping(h2d=False), memory_planning_pass=planning(outputs=False)
    )


@recipe("device", how="default copies, inputs not planned")
def add_inputs_unplanned() -> Exported:
    return _add(memory_planning_pass=planning(inputs=False))


@recipe("device", how="default copies, outputs not planned", intent=UNPLANNED_DELEGATE_OUTPUT)
def add_outputs_unplanned() -> Exported:
    return _add(memory_planning_pass=planning(outputs=False))


@recipe("device", how="enable_non_cpu_memory_planning=False", intent=PLANNED_DEVICE_INPUT)
def add_legacy_tag_only() -> Exported:
    return _add(enable_non_cpu_memory_planning=False)


@recipe(
    "device",
    how="enable_non_cpu_memory_planning=False, inputs not planned",
    intent="the output is tagged cuda:0, lies in a host arena and goes to a cuda:0 delegate",
)
def add_legacy_tag_only_inputs_unplanned() -> Exported:
    return _add(enable_non_cpu_memory_planning=False, memory_planning_pass=planning(inputs=False))


@recipe("device", how="enable_non_cpu_memory_planning=False, inputs and outputs not planned")
def add_legacy_tag_only_paired() -> Exported:
    return _add(
        enable_non_cpu_memory_planning=False,
        memory_planning_pass=planning(inputs=False, outputs=False),
    )
