"""A tensor at the device boundary that has no memory.

What it finds:
    A device tensor, or a side of a boundary copy, that has neither a place in an arena nor a
    caller who gives it memory, because it is neither a method input nor a method output. State
    that the embedder supplies (alloc_mutable_buffers=False) looks alike; where only in-place
    updates write it, this is a warning.

What the runtime does:
    Loading accepts it: the pointer is null. At execute a boundary copy fails (Internal), a
    delegate is handed null (undefined), a host kernel crashes (SIGSEGV).

Why it happens:
    MemoryPlanningPass(alloc_graph_output=False) together with the default copies: the exporter
    takes the memory from the delegate's result, which the copy reads, in place of the method's own
    output, which the copy writes. skip_d2h_for_method_outputs does not help an output that a
    second delegate or operator reads too: it still gets its copy.

How to fix it:
    Plan the outputs of every method whose results are copied back to the host:

        from executorch.exir import ExecutorchBackendConfig
        from executorch.exir.passes import MemoryPlanningPass

        edge.to_executorch(ExecutorchBackendConfig(
            memory_planning_pass=MemoryPlanningPass(alloc_graph_output=True),
        ))

    Only where every output of the method stays on the device, pair
    skip_d2h_for_method_outputs=True with alloc_graph_output=False.

How it is confirmed:
    Running it: the copy returns Internal, and a stand-in for the delegate reports a null pointer.

Seen in:
    found here
"""

from __future__ import annotations

from dataclasses import replace

from pte_lint.claims.finding import Severity
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.ir.calling import D2H_COPY
from pte_lint.ir.steps import StepKind
from pte_lint.questions.method import Method
from pte_lint.questions.placement.device_findings import capital, fault_finding, is_proven, who
from pte_lint.questions.placement.export_settings import DeviceSettings, settings_snippet
from pte_lint.questions.placement.faults import FaultCause, combined
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE316",
    "device-tensor-without-memory",
    Severity.ERROR,
    "tensors at the device boundary without memory",
    sign=(
        Sign("copy at {at}: {side} is null"),
        Sign(r"argument {argument} at {at}: pointer is null"),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a tensor; a warning where the embedder may supply the memory."""
    for v, faults in method.placement.by_tensor(FaultCause.NO_MEMORY):
        outlook = combined(faults)
        subject = method.describe(v)
        tag = method.tag(v)
        where = f"tagged {tag} " if not tag.is_host else ""
        is_nowhere = outlook.first.place.home.is_null
        lacks = "it is not planned, and no caller gives it any"
        why = lacks if is_nowhere else "it is planned in an arena without bytes"
        message = f"{capital(subject)} {where}has no memory: {why}; "
        message += f"{who(outlook.first)} gets a null pointer"
        proven = is_proven(outlook)
        if not proven:
            message += " unless the embedder supplies this state before each run"
        finding = fault_finding(method, faults, f"{message}.", _remediation(method, v))
        # For an embedder that does not, this is what happens; the harness is one.
        yield finding if proven else replace(finding, forecast=outlook.first.forecast)


def _remediation(method: Method, v: int) -> str:
    if _is_uncopied_result(method, v):
        return (
            "alloc_graph_output=False took the memory of the delegate's result in place of the "
            "method's output. Plan the outputs of this method (or, where all of them stay on the "
            "device, set skip_d2h_for_method_outputs=True as well):\n\n"
            + settings_snippet([(method.name, DeviceSettings())])
        )
    return (
        "Plan the tensor. For mutable state, leave alloc_mutable_buffers at its default, or give "
        "the state memory in the runner before each execute:\n\n"
        + settings_snippet([(method.name, DeviceSettings())])
    )


def _is_uncopied_result(method: Method, v: int) -> bool:
    """True for a delegate's result that a copy to the host reads."""
    made = any(method.steps[i].kind is StepKind.DELEGATE for i in method.writers(v))
    return made and any(method.steps[i].operator == D2H_COPY for i in method.readers(v))
