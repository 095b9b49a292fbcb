"""Device delegates without device memory.

What it finds:
    A method with device delegates whose tensors are tagged and planned, while no arena is on a
    device and no boundary copies exist.

What the runtime does:
    Every arena is host memory. 1.3 backends copied in and out by themselves; since 1.4 delegates
    expect device pointers: the CUDA backend returns InvalidArgument at execute, others corrupt
    memory. Planned inputs are refused by 1.5 (see device-input-planned).

Why it happens:
    enable_non_cpu_memory_planning=False, which was the default of 1.3: tensors are tagged, and
    everything else is left to the backend.

How to fix it:
    Export with device memory planning, the default since 1.4:

        from executorch.exir import ExecutorchBackendConfig

        edge.to_executorch(
            ExecutorchBackendConfig(enable_non_cpu_memory_planning=True)
        )

How it is confirmed:
    Running it: what a delegate is handed is tagged for its device and lies in host memory.

Seen in:
    TensorRT#4328
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.ir.device import HomeKind
from pte_lint.questions.method import Method
from pte_lint.questions.placement.export_settings import DEFAULT_COPIES
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count


@method_rule(
    "PTE321",
    "tag-only-program",
    Severity.WARNING,
    "device delegates without device memory",
    sign=Sign(r"^value \d+: tag (?!cpu)\S+, memory on host$"),
)
def check(method: Method, context: Context) -> Yields:
    """Silent where the caller gives all device tensors: such programs run."""
    placement = method.placement
    if not placement.devices or method.has_device_arena or placement.has_copy_operators:
        return
    planned = [
        v
        for v in method.tensors
        if placement.hot[v]
        and not method.tag(v).is_host
        and method.nbytes(v)
        and method.home(v).kind is HomeKind.ARENA
    ]
    if not planned:
        return
    devices = ", ".join(str(d) for d in placement.devices)
    tagged = count(len(planned), "planned tensor is", "planned tensors are")
    yield Finding(
        message=f"The method's delegates run on {devices} and {tagged} tagged for it, but no arena "
        "is on a device and no boundary copies exist: every call stages through host memory, or "
        "fails.",
        remediation="Export with device memory planning, the default since 1.4 "
        f"(enable_non_cpu_memory_planning=True):\n\n{DEFAULT_COPIES}",
        location=method.location(),
        evidence={
            "devices": [str(d) for d in placement.devices],
            "tagged_planned_tensors": len(planned),
            "bytes": sum(method.nbytes(v) for v in planned),
        },
        subject="device memory",
    )
