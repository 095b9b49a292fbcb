"""A method input on a device that the program plans memory for.

What it finds:
    A method input whose tag is a device and that also has a place in an arena. The caller already
    owns the tensor on the device; the program reserves the same bytes a second time.

    A tag says which device a tensor belongs to. Planning gives a tensor a place in an arena: one
    block of memory, on the host or on a device, that the runtime sets up when it loads the method.
    What the caller brings along needs no place there.

What the runtime does:
    Method::set_input copies the caller's bytes into the planned place with a host memcpy.
    1.5 refuses that for a device tensor: set_input returns NotSupported, whatever the caller
    gives. 1.4 does not look: with a device arena the process dies in set_input (SIGSEGV); with a
    host arena the copy works and the delegate gets host memory. 1.2 and 1.3 keep every arena in
    host memory and are not troubled.

Why it happens:
    PropagateDeviceConfig(skip_h2d_for_method_inputs=True) tags the inputs and drops their copies,
    but MemoryPlanningPass plans graph inputs unless told otherwise. A dict of flags by method
    name given to skip_h2d_for_method_inputs counts as true for every method, even where all its
    values are False. Programs exported by 1.3, or with enable_non_cpu_memory_planning=False, have
    the tag and the allocation too.

How to fix it:
    Here `edge` is what to_edge_transform_and_lower returned. If the caller really has device
    tensors, do not plan the inputs:

        from executorch.exir import ExecutorchBackendConfig
        from executorch.exir.passes import MemoryPlanningPass
        from executorch.exir.passes.propagate_device_config import (
            PropagateDeviceConfig,
        )

        edge.to_executorch(ExecutorchBackendConfig(
            propagate_device_config=PropagateDeviceConfig(
                skip_h2d_for_method_inputs=True,
            ),
            memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False),
        ))

    If the caller has host tensors, drop skip_h2d_for_method_inputs: the exporter then puts a copy
    before the delegate. For several methods give a dict of PropagateDeviceConfig by method name,
    and a dict of MemoryPlanningPass to match; a method that a dict leaves out gets the defaults:

        edge.to_executorch(ExecutorchBackendConfig(
            propagate_device_config={
                "prefill": PropagateDeviceConfig(skip_h2d_for_method_inputs=True),
            },
            memory_planning_pass={
                "prefill": MemoryPlanningPass(alloc_graph_input=False),
            },
        ))

How it is confirmed:
    Calling set_input with a host tensor and with a device tensor: both return NotSupported.

Seen in:
    executorch#21580, executorch#21703, executorch#21960, executorch#21577
"""

from __future__ import annotations

from pte_lint.claims.finding import Json, Severity
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.questions.numbers import planned_without
from pte_lint.questions.placement.device_findings import capital, fault_finding
from pte_lint.questions.placement.export_settings import (
    DEFAULT_COPIES,
    paired_settings,
    settings_snippet,
)
from pte_lint.questions.placement.faults import FaultCause
from pte_lint.questions.placement.flags_as_dict import flags_as_dict, meant_settings
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE301",
    "device-input-planned",
    Severity.ERROR,
    "device inputs that are planned as well",
    sign=(
        Sign(
            "Planned-buffer copy needs host memory on both sides",
            r"Error copying tensor data at input {input}\b",
        ),
        Sign("fault: value {value}"),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding an input; the bytes that planning it costs are in the evidence."""
    groups = dict(method.placement.by_tensor(FaultCause.PLANNED_INPUT))
    if not groups:
        return
    numbers = _planned_bytes(method, list(groups))
    saving = _saving(numbers) + _of_which_edit(method)
    for v, faults in groups.items():
        size, tag = method.nbytes(v), method.tag(v)
        yield fault_finding(
            method,
            faults,
            f"{capital(method.describe(v))} is tagged {tag}, so the caller owns its memory "
            f"there, yet it is planned in {method.home(v)}: {size} bytes are reserved twice, and "
            "set_input would have to copy into them from the host.",
            _remediation(method, context, saving),
            {"bytes_duplicated": size, **numbers},
        )


def _planned_bytes(method: Method, inputs: list[int]) -> dict[str, Json]:
    """Planned bytes of the method now, and when these inputs are not planned."""
    now, after = method.planned_bytes(), planned_without(method, inputs)
    return {
        "inputs_planned": len(inputs),
        "bytes_duplicated_by_method": sum(method.nbytes(v) for v in inputs),
        "planned_bytes": sum(now.values()),
        "planned_bytes_with_fix": sum(after.values()),
        "planned_bytes_by_device": now,
        "planned_bytes_by_device_with_fix": after,
    }


def _saving(numbers: dict[str, Json]) -> str:
    if numbers["planned_bytes"] == numbers["planned_bytes_with_fix"]:
        return (
            f"The method plans {numbers['planned_bytes']} bytes with and without them: other "
            "tensors use the same memory before or after."
        )
    return (
        f"Planning them duplicates {numbers['bytes_duplicated_by_method']} bytes: the method plans "
        f"{numbers['planned_bytes']} bytes now and {numbers['planned_bytes_with_fix']} without "
        "them."
    )


def _of_which_edit(method: Method) -> str:
    """The number is of these inputs; the printed setting goes for all of them."""
    others = any(method.tag(v).is_host and method.is_planned(v) for v in method.inputs)
    outputs = not paired_settings(method).alloc_outputs and any(
        map(method.is_planned, method.outputs)
    )
    kept = " and ".join(["host inputs"] * others + ["outputs"] * outputs)
    return f" That is with {kept} planned as now; the setting leaves them out, too." if kept else ""


def _remediation(method: Method, context: Context, saving: str) -> str:
    methods = context.methods or (method,)
    snippet = settings_snippet(meant_settings(methods))
    if not (method.has_device_arena or method.placement.has_copy_operators):
        return (
            "The program has device tags but neither device arenas nor copies: it was exported by "
            "1.3 or with enable_non_cpu_memory_planning=False. Export it again with the defaults "
            f"of 1.4 or later, which copy host inputs to the device:\n\n{DEFAULT_COPIES}\n\n"
            "If the caller has device tensors, pair skip_h2d_for_method_inputs=True with "
            "MemoryPlanningPass(alloc_graph_input=False)."
        )
    if flags_as_dict(methods).unfit:
        return (
            "This looks like a dict of flags inside PropagateDeviceConfig, which counts as true "
            "for every method, even where its values are False (PTE323). Give a dict of "
            f"PropagateDeviceConfig by method name:\n\n{snippet}\n\n"
            f"If {method.name!r} is to take its inputs on the device, do not plan them: "
            "MemoryPlanningPass(alloc_graph_input=False)."
        )
    return (
        "Do not plan inputs that the caller gives on the device: pair "
        "skip_h2d_for_method_inputs=True with MemoryPlanningPass(alloc_graph_input=False):\n\n"
        f"{snippet}\n\n"
        f"{saving} If the caller has host tensors, drop skip_h2d_for_method_inputs instead."
    )
