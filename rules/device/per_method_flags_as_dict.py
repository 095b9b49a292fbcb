"""Every method has lost its copies although only some can do without.

What it finds:
    A program of several device methods in which all take their inputs (or leave their outputs) on
    the device without copies, while the memory planning of only some of them fits that.

What the runtime does:
    The methods whose inputs are planned fail at set_input (see device-input-planned); the others
    run. Where outputs are planned the caller cannot bind memory for them (device-output-planned).

Why it happens:
    skip_h2d_for_method_inputs and skip_d2h_for_method_outputs were given a dict of flags by method
    name. The exporter takes the PropagateDeviceConfig apart by method, but never looks into the
    dict inside it: a dict that is not empty counts as true for every method, whatever it says.

How to fix it:
    Put the dict one level up:

        from executorch.exir import ExecutorchBackendConfig
        from executorch.exir.passes import MemoryPlanningPass
        from executorch.exir.passes.propagate_device_config import (
            PropagateDeviceConfig,
        )

        edge.to_executorch(ExecutorchBackendConfig(
            propagate_device_config={
                "prefill": PropagateDeviceConfig(skip_h2d_for_method_inputs=True),
                "decode": PropagateDeviceConfig(),
            },
            memory_planning_pass={
                "prefill": MemoryPlanningPass(alloc_graph_input=False),
                "decode": MemoryPlanningPass(),
            },
        ))

How it is confirmed:
    Exporting with a dict whose values are all False: every method loses its copies.

Seen in:
    executorch#21577
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.questions.placement.export_settings import (
    DeviceSettings,
    paired_settings,
    settings_snippet,
)
from pte_lint.questions.placement.faults import FaultCause
from pte_lint.questions.placement.ports import planned_device_outputs
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule(
    "PTE323",
    "per-method-flags-as-dict",
    Severity.WARNING,
    "per-method flags that were given as a dict and count for all",
)
def check(context: Context) -> Yields:
    """One finding a program. Programs without device arenas never had copies: not theirs."""
    methods = [m for m in context.methods if m.placement.devices]
    sides = (
        ("take their inputs", _unfit(methods, _skips_h2d, _plans_inputs)),
        ("leave their outputs", _unfit(methods, _skips_d2h, _plans_outputs)),
    )
    unfit = list(dict.fromkeys(m for _, found in sides for m in found))
    if not unfit:
        return
    what = " and ".join(side for side, found in sides if found)
    names = ", ".join(repr(m.name) for m in unfit)
    settings = [(m.name, _settings(m, *(m in found for _, found in sides))) for m in methods]
    yield Finding(
        message=f"All {len(methods)} device methods {what} on the device without "
        f"copies, but {names} plans them: this looks like a dict of flags inside "
        "PropagateDeviceConfig, which counts as true for every method.",
        remediation="Give a dict of PropagateDeviceConfig by method name in place of a dict of "
        f"flags:\n\n{settings_snippet(settings)}",
        location=unfit[0].location(),
        evidence={
            "methods": [m.name for m in methods],
            "methods_that_plan_device_inputs": [m.name for m in sides[0][1]],
            "methods_that_plan_device_outputs": [m.name for m in sides[1][1]],
        },
        subject="per-method flags",
    )


def _unfit(
    methods: Sequence[Method],
    skips: Callable[[Method], bool],
    plans: Callable[[Method], bool],
) -> list[Method]:
    """The methods that plan what they leave uncopied, where all leave it and only some plan it."""
    if len(methods) < 2 or not all(map(skips, methods)):
        return []
    found = list(filter(plans, methods))
    if len(found) == len(methods) or not all(m.has_device_arena for m in found):
        return []
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
