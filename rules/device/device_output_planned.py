"""A method output that stays on a device and is planned.

What it finds:
    A method output that is tagged for a device, lies in a device arena, and has no copy back to
    the host: what skip_d2h_for_method_outputs gives without alloc_graph_output=False.

What the runtime does:
    It runs. The caller gets a pointer into the method's own arena: it cannot bind memory of its
    own (set_output_data_ptr returns InvalidState for a planned tensor), and the next execute
    overwrites what it was given.

Why it happens:
    PropagateDeviceConfig(skip_d2h_for_method_outputs=True) leaves the output on the device;
    MemoryPlanningPass plans graph outputs unless told otherwise.

How to fix it:
    Pair the two settings, and bind device memory to the output before each execute:

        from executorch.exir import ExecutorchBackendConfig
        from executorch.exir.passes import MemoryPlanningPass
        from executorch.exir.passes.propagate_device_config import (
            PropagateDeviceConfig,
        )

        edge.to_executorch(ExecutorchBackendConfig(
            propagate_device_config=PropagateDeviceConfig(
                skip_d2h_for_method_outputs=True,
            ),
            memory_planning_pass=MemoryPlanningPass(alloc_graph_output=False),
        ))

    That is for methods all of whose outputs stay on the device. Where one is copied back, its
    planning has to stay, since the exporter would take the memory of the delegate's result in its
    place. Copy all of them back:

        edge.to_executorch(ExecutorchBackendConfig(
            propagate_device_config=PropagateDeviceConfig(
                skip_d2h_for_method_outputs=False,
            ),
        ))

How it is confirmed:
    Running it: the output pointer lies in the method's device arena, and set_output_data_ptr
    returns InvalidState.

Seen in:
    executorch#21703
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.questions.placement.device_findings import capital, tensor_evidence
from pte_lint.questions.placement.export_settings import has_copied_output, settings_snippet
from pte_lint.questions.placement.flags_as_dict import flags_as_dict, meant_settings
from pte_lint.questions.placement.ports import planned_device_outputs
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE302",
    "device-output-planned",
    Severity.WARNING,
    "device outputs that are planned as well",
    sign=Sign(r"^output {output}: memory on {home_device}$"),
)
def check(method: Method, context: Context) -> Yields:
    """Outputs that are also inputs are left to PTE301."""
    for v in planned_device_outputs(method):
        tag, home = method.tag(v), method.home(v)
        yield Finding(
            message=f"{capital(method.describe(v))} stays on {tag} but is planned in {home}: "
            "the caller cannot bind memory of its own, and the next execute overwrites the "
            "result.",
            remediation=_remediation(method, context),
            location=method.location(value=v),
            evidence={**tensor_evidence(method, v), "tag": str(tag), "home": str(home)},
            subject=method.describe(v),
        )


def _remediation(method: Method, context: Context) -> str:
    snippet = settings_snippet(meant_settings(context.methods or (method,)))
    if has_copied_output(method):
        return (
            "Other outputs of the method are copied back to the host, and have to stay planned; so "
            f"drop skip_d2h_for_method_outputs, and all results come back:\n\n{snippet}"
        )
    if flags_as_dict(context.methods).unfit:
        return (
            "This looks like a dict of flags inside PropagateDeviceConfig (PTE323). Give a dict of "
            f"PropagateDeviceConfig by method name:\n\n{snippet}\n\n"
            f"If {method.name!r} is to leave its outputs on the device, do not plan them: "
            "MemoryPlanningPass(alloc_graph_output=False)."
        )
    return (
        "Pair skip_d2h_for_method_outputs=True with MemoryPlanningPass(alloc_graph_output=False); "
        f"the caller then has to give memory on the device before every execute:\n\n{snippet}\n\n"
        "If the caller wants the result on the host, drop skip_d2h_for_method_outputs."
    )
