"""A jump that tests a tensor in device memory.

What it finds:
    A JumpFalse whose condition is a Bool tensor that lies on a device.

What the runtime does:
    The host reads the condition byte by byte and never looks at the tag: from 1.4 on the process
    dies at execute (SIGSEGV). 1.2 and 1.3 keep every arena in host memory.

Why it happens:
    A device delegate computes the predicate of torch.cond, and the copy back was removed, or the
    method takes the predicate on the device (skip_h2d_for_method_inputs).

How to fix it:
    Export with the defaults: the predicate is copied to the host before the jump.

        from executorch.exir import ExecutorchBackendConfig

        edge.to_executorch(
            ExecutorchBackendConfig(enable_non_cpu_memory_planning=True)
        )

How it is confirmed:
    Running it with device pages that the host cannot touch: the fault address lies in the arena.

Seen in:
    found here
"""

from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.questions.placement.device_findings import fault_finding
from pte_lint.questions.placement.export_settings import DEFAULT_COPIES
from pte_lint.questions.placement.faults import FaultCause
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE313",
    "device-condition",
    Severity.ERROR,
    "jumps that test a device tensor",
    sign=Sign("fault: value {value}", when={"step": "jump"}),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a jump."""
    for _, faults in method.placement.by_argument(FaultCause.CONDITION):
        fault = faults[0]
        yield fault_finding(
            method,
            faults,
            f"The jump tests {method.describe(fault.value)}, which lies in {fault.place.home}; "
            "the host reads it there.",
            "Copy the condition to the host before the jump. The defaults do it for what a "
            f"delegate computes:\n\n{DEFAULT_COPIES}\n\n"
            "A method input that decides a branch must stay on the host: leave "
            "skip_h2d_for_method_inputs off for this method.",
        )
