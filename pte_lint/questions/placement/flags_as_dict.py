"""Per-method flags that were given as a dict: what the file shows of them, and what was meant.

PropagateDeviceConfig takes one flag for all methods; a dict of flags inside it counts as true for
each (exir/passes/propagate_device_config.py, exir/passes/propagate_device_pass.py). A dict of
MemoryPlanningPass by method name is taken apart as it should be, so that the planning tells which
methods were meant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pte_lint.questions.method import Method
from pte_lint.questions.placement.export_settings import DeviceSettings, paired_settings
from pte_lint.questions.placement.faults import FaultCause
from pte_lint.questions.placement.ports import planned_device_outputs
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class FlagsAsDict:
    """Methods of a program that plan what none of its methods copies.

    Attributes:
        methods: All methods with memory on a device, in order.
        inputs: Those that plan inputs on a device, where only some do.
        outputs: The same of outputs.
    """

    methods: tuple[Method, ...]
    inputs: tuple[Method, ...]
    outputs: tuple[Method, ...]

    @property
    def unfit(self) -> tuple[Method, ...]:
        """The methods that want copies; empty where nothing looks like a dict of flags."""
        return tuple(dict.fromkeys((*self.inputs, *self.outputs)))


def flags_as_dict(methods: Sequence[Method]) -> FlagsAsDict:
    """What of a program looks like a dict of flags.

    Programs without device arenas never had copies, and are none of this.
    """
    concerned = tuple(m for m in methods if m.placement.devices)
    return FlagsAsDict(
        concerned,
        _unfit(concerned, _skips_h2d, _plans_inputs),
        _unfit(concerned, _skips_d2h, _plans_outputs),
    )


def meant_settings(methods: Sequence[Method]) -> list[tuple[str, DeviceSettings]]:
    """By method name, its skipped copies paired with its planning; where they look like a dict of
    flags, with the copies back that the planning was made for."""
    found = flags_as_dict(methods)
    shown = found.methods if found.unfit else methods
    return [(m.name, _settings(m, m in found.inputs, m in found.outputs)) for m in shown]


def _unfit(
    methods: Sequence[Method],
    skips: Callable[[Method], bool],
    plans: Callable[[Method], bool],
) -> tuple[Method, ...]:
    """The methods that plan what they leave uncopied, where all leave it and only some plan it."""
    if len(methods) < 2 or not all(map(skips, methods)):
        return ()
    found = tuple(filter(plans, methods))
    if len(found) == len(methods) or not all(m.has_device_arena for m in found):
        return ()
    return found


def _settings(method: Method, copy_inputs: bool, copy_outputs: bool) -> DeviceSettings:
    """What the method asks for, with the copies back where its planning is made for them."""
    settings = paired_settings(method)
    if copy_inputs:
        settings = replace(settings, skip_h2d=False, alloc_inputs=True)
    if copy_outputs:
        settings = replace(settings, skip_d2h=False, alloc_outputs=True)
    return settings


def _skips_h2d(method: Method) -> bool:
    """True when some input goes to a device delegate without a copy."""
    return any(not method.tag(v).is_host for v in method.inputs if method.tensor(v) is not None)


def _skips_d2h(method: Method) -> bool:
    """True when some result of a device delegate is handed over without a copy."""
    return any(
        not method.tag(v).is_host
        for v in method.outputs
        if method.tensor(v) is not None and not method.is_input[v]
    )


def _plans_inputs(method: Method) -> bool:
    return bool(method.placement.caused_by(FaultCause.PLANNED_INPUT))


def _plans_outputs(method: Method) -> bool:
    return any(True for _ in planned_device_outputs(method))
