"""State with initial data whose arena is on a device.

What it finds:
    A mutable tensor with initial data in the program, or a mutable tensor from a .ptd, that is
    planned in an arena on a device.

What the runtime does:
    While it loads the method, the loader reads the bytes straight to the tensor's address. On a
    device the file loader fails (AccessFailed) and the mmap and buffer loaders crash (SIGSEGV),
    from 1.4 on. 1.2 and 1.3 keep every arena in host memory.

Why it happens:
    The exporter keeps mutable buffers on the host and copies them to the delegate at each run. A
    tool or a custom planning pass moved the state to the device.

How to fix it:
    Leave state to the default planning, or let the delegate own it. To keep the values off the
    host, export without initial data and set them from the first call:

        from executorch.exir import ExecutorchBackendConfig
        from executorch.exir.passes import MemoryPlanningPass

        # no InitializedMutableBufferPass, and no custom mem_id for the buffer
        edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass()))

How it is confirmed:
    Loading the method: AccessFailed with the file loader.

Seen in:
    found here
"""

from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.claims.sign import AT_VALUE, Sign
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.questions.placement.device_findings import capital, fault_finding
from pte_lint.questions.placement.export_settings import DeviceSettings, settings_snippet
from pte_lint.questions.placement.faults import FaultCause
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE315",
    "initial-state-on-device",
    Severity.ERROR,
    "state with initial data on a device",
    sign=Sign(
        "failed to read {bytes} bytes at offset .*: Bad address",
        AT_VALUE,
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a tensor."""
    for v, faults in method.placement.by_tensor(FaultCause.STATE):
        source = "a .ptd" if method.is_external(v) else "the program"
        yield fault_finding(
            method,
            faults,
            f"{capital(method.describe(v))} has initial data in {source} but is planned in "
            f"{method.home(v)}: the loader reads the file straight to a device address.",
            "Keep state with initial data on the host, where the default planning puts it; each "
            "run copies it to the delegate:\n\n"
            + settings_snippet([(method.name, DeviceSettings())])
            + "\n\nOr let the delegate own the buffer: tag_mutated_buffer(exported_program) in the "
            "partitioner's partition(), once all else is tagged.",
        )
