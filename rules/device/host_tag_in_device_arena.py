"""A tensor tagged as on the host whose arena is on a device.

What it finds:
    A planned tensor that is tagged cpu (or not tagged) while non_const_buffer_device puts its
    arena on a device.

What the runtime does:
    Everybody believes the tag and gets a device pointer, from 1.4 on. As a method input:
    set_input copies into it from the host and the process dies (SIGSEGV), in 1.5 too, because
    only tags are tested there. A host kernel that touches it dies at execute; a copy to the host
    fails (Internal); a copy to the device refuses the tag (InvalidArgument), and so does the CUDA
    backend. An output is handed over as it is, and a caller who believes the tag dies reading it: a
    warning. 1.2 and 1.3 ignore the list.

Why it happens:
    The list of arena devices names the wrong arena, or a tool moved a tensor or dropped its tag.
    Custom memory planning with mem_id chosen by hand does it too.

How to fix it:
    Leave arenas to the planner, which keeps host and device tensors apart:

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

from collections.abc import Iterator

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import IN_CALL, Sign
from pte_lint.data.context import Context
from pte_lint.ir.device import HomeKind
from pte_lint.questions.method import Method
from pte_lint.questions.placement.device_findings import (
    capital,
    fault_finding,
    tensor_evidence,
    who,
)
from pte_lint.questions.placement.export_settings import DEFAULT_COPIES
from pte_lint.questions.placement.faults import FaultCause, combined
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE309",
    "host-tag-in-device-arena",
    Severity.ERROR,
    "tensors tagged as on the host in a device arena",
    sign=(
        Sign("fault: value {value}"),
        Sign("copy at {at}: the {copy_side} side is"),
        Sign(r"argument {argument} at {at}: .*tag cpu is not"),
        Sign(r"argument {argument} at {at}: device pointer given"),
        Sign(
            "_(h2d|d2h)_copy: {side} tensor must be on",
            also=IN_CALL,
        ),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a tensor: an error where somebody is sure to fail, else a warning."""
    blamed = dict(method.placement.by_tensor(FaultCause.HOST_TAG))
    for v in sorted(blamed.keys() | set(_misplaced(method))):
        message = f"{capital(method.describe(v))} is tagged cpu but is planned in "
        message += str(method.home(v))
        faults = blamed.get(v)
        if faults:
            message += f", and that goes wrong in {who(combined(faults).first)}."
            yield fault_finding(method, faults, message, _remediation(method, v))
        else:
            yield Finding(
                message=f"{message}. Nothing that uses it looks at the tag, so it runs.",
                remediation=_remediation(method, v),
                location=method.location(value=v),
                evidence={**tensor_evidence(method, v), "home": str(method.home(v))},
                subject=method.describe(v),
                severity=Severity.WARNING,
            )


def _misplaced(method: Method) -> Iterator[int]:
    if not method.has_device_arena:
        return
    hot = method.placement.hot
    for v in method.tensors:
        if hot[v] and method.tag(v).is_host and method.nbytes(v):
            home = method.home(v)
            if home.kind is HomeKind.ARENA and not home.device.is_host:
                yield v


def _remediation(method: Method, v: int) -> str:
    memory_id = method.home(v).memory_id
    return (
        f"Either the list of arena devices is wrong about arena {memory_id}, or the tensor does "
        "not belong there. The planner keeps host and device tensors in separate arenas; leave "
        f"both to it:\n\n{DEFAULT_COPIES}\n\n"
        "With custom memory planning, give device tensors and host tensors different mem_ids."
    )
