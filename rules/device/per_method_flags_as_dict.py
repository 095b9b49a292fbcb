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

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.questions.placement.export_settings import settings_snippet
from pte_lint.questions.placement.flags_as_dict import flags_as_dict, meant_settings
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule(
    "PTE323",
    "per-method-flags-as-dict",
    Severity.WARNING,
    "per-method flags that were given as a dict and count for all",
)
def check(context: Context) -> Yields:
    """One finding a program. Programs without device arenas never had copies: not theirs."""
    found = flags_as_dict(context.methods)
    if not found.unfit:
        return
    sides = ("take their inputs", found.inputs), ("leave their outputs", found.outputs)
    what = " and ".join(side for side, methods in sides if methods)
    names = ", ".join(repr(m.name) for m in found.unfit)
    count = len(found.methods)
    every = "Both" if count == 2 else f"All {count}"
    yield Finding(
        message=f"{every} device methods {what} on the device without "
        f"copies, but {names} plans them: this looks like a dict of flags inside "
        "PropagateDeviceConfig, which counts as true for every method.",
        remediation="Give a dict of PropagateDeviceConfig by method name in place of a dict of "
        f"flags:\n\n{settings_snippet(meant_settings(context.methods))}",
        location=found.unfit[0].location(),
        evidence={
            "methods": [m.name for m in found.methods],
            "methods_that_plan_device_inputs": [m.name for m in found.inputs],
            "methods_that_plan_device_outputs": [m.name for m in found.outputs],
        },
        subject="per-method flags",
    )
