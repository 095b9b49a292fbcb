"""Several methods in one program, with one device setting for all or one each."""

from __future__ import annotations

from typing import Any

import torch

from .device_add import PLANNED_DEVICE_INPUT, Add
from .lowering import lower, on, planning, pte, skipping
from .registry import Exported, recipe

UNPLANNED = {"inputs": False, "outputs": False}


def _prefill_decode(
    prefill: str | None = "cuda:0", decode: str | None = "cuda:0", **settings: Any
) -> Exported:
    methods = {
        "prefill": (Add(), (torch.ones(8, 8), torch.ones(8, 8))),
        "decode": (Add(), (torch.ones(1, 8), torch.ones(1, 8))),
    }
    partitioner = {"prefill": on(prefill), "decode": on(decode)}
    return pte(lower(methods, partitioner=partitioner, **settings))


@recipe(
    "device",
    how="flags {prefill: True, decode: False} in one PropagateDeviceConfig, planning to fit them",
    intent=f"decode: a dict of flags counts as true for every method; {PLANNED_DEVICE_INPUT}",
)
def methods_dict_flags() -> Exported:
    flags = {"prefill": True, "decode": False}
    return _prefill_decode(
        propagate_device_config=skipping(h2d=flags, d2h=flags),
        memory_planning_pass={"prefill": planning(**UNPLANNED), "decode": planning()},
    )


@recipe(
    "device",
    how="flags {prefill: False, decode: False} in one PropagateDeviceConfig, default planning",
    intent=f"both methods: a dict of flags counts as true; {PLANNED_DEVICE_INPUT}",
)
def methods_dict_flags_all_false() -> Exported:
    flags = {"prefill": False, "decode": False}
    return _prefill_decode(propagate_device_config=skipping(h2d=flags, d2h=flags))


@recipe("device", how="one PropagateDeviceConfig a method: prefill skips both, decode copies")
def methods_config_each() -> Exported:
    return _prefill_decode(
        propagate_device_config={"prefill": skipping(), "decode": skipping(h2d=False, d2h=False)},
        memory_planning_pass={"prefill": planning(**UNPLANNED), "decode": planning()},
    )


@recipe(
    "device",
    how="one PropagateDeviceConfig a method, both skip; decode keeps default planning",
    intent=f"decode: {PLANNED_DEVICE_INPUT}",
)
def methods_one_planned() -> Exported:
    return _prefill_decode(
        propagate_device_config={"prefill": skipping(), "decode": skipping()},
        memory_planning_pass={"prefill": planning(**UNPLANNED), "decode": planning()},
    )


@recipe("device", how="one method on cuda:0, one on cuda:1")
def methods_two_devices() -> Exported:
    return _prefill_decode("cuda:0", "cuda:1")


@recipe("device", how="one method on cuda:0, one in a delegate without a target device")
def methods_device_and_host() -> Exported:
    return _prefill_decode("cuda:0", None)
