"""Device memory that reaches a host kernel or a host delegate without a copy.

What it finds:
    A tensor in device memory that a kernel or a delegate of the host reads or writes, directly or
    as an item of a TensorList, with no _d2h_copy between. Operators that look at sizes only are
    fine.

What the runtime does:
    Kernels never look at tags: they use the pointer. From 1.4 on it is a device pointer and the
    process dies at execute (SIGSEGV). 1.2 and 1.3 keep every arena in host memory and are not
    troubled. A host delegate crashes likewise, or computes garbage.

Why it happens:
    The exporter puts a _d2h_copy after each result of a device delegate; a pass of one's own or
    a tool removed it or rewired its reader. A kernel of a custom operator library may be made for
    device memory: then this is a warning.

How to fix it:
    Export with the defaults and leave the copies alone:

        from executorch.exir import ExecutorchBackendConfig

        edge.to_executorch(
            ExecutorchBackendConfig(enable_non_cpu_memory_planning=True)
        )

    To save the round trip, delegate the operator too, so that it runs on the device.

How it is confirmed:
    Running it with device pages that the host cannot touch: the fault address lies in the arena.

Seen in:
    executorch#22095
"""

from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.questions.placement.device_findings import capital, fault_finding, who
from pte_lint.questions.placement.export_settings import DEFAULT_COPIES
from pte_lint.questions.placement.faults import FaultCause
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE305",
    "missing-d2h-copy",
    Severity.ERROR,
    "device tensors used by kernels of the host",
    sign=Sign("fault: value {value}", when={"step": "kernel call"}),
)
def check(method: Method, context: Context) -> Yields:
    """One finding an argument; a warning where the operator may be made for devices."""
    for _, faults in method.placement.by_argument(FaultCause.MISSING_D2H):
        fault = faults[0]
        verb = "writes" if fault.is_output else "reads"
        yield fault_finding(
            method,
            faults,
            f"{capital(who(fault))} {verb} {method.describe(fault.value)}, which lies in "
            f"{fault.place.home}: no _d2h_copy stands between.",
            "Export again with the defaults, which copy every result of a device delegate back "
            f"to the host before a host operator sees it:\n\n{DEFAULT_COPIES}\n\n"
            "Or delegate the operator as well, so that it runs on the device.",
            {"argument_is_output": fault.is_output},
        )
