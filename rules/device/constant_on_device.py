"""A constant that is tagged for a device.

What it finds:
    A constant (in the program or in a .ptd) whose tag is a device, and that a device delegate or a
    boundary copy uses. Its bytes are always in host memory.

What the runtime does:
    Constants are read into host memory whatever their tag says. The CUDA backend refuses the
    pointer at execute (InvalidArgument); another device delegate reads host memory as if it were
    its own. A copy to the device refuses the tag (InvalidArgument). Host kernels ignore tags:
    a constant that only they use is a warning.

Why it happens:
    With skip_h2d_for_method_inputs=True the exporter takes every placeholder that feeds a device
    delegate for a method input: weights, buffers and lifted scalars that the delegate does not own
    lose their copy and get the tag. enable_non_cpu_memory_planning=False tags them too.

How to fix it:
    Let the delegate own its constants. In the partitioner, before it returns:

        from executorch.exir.backend.utils import tag_constant_data

        tag_constant_data(exported_program)

How it is confirmed:
    Running it with a stand-in for the delegate that reports where each pointer lies.

Seen in:
    executorch#21545
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
from pte_lint.questions.placement.faults import FaultCause, combined
from pte_lint.rulebook.rule import Yields, method_rule

_REMEDIATION = (
    "Let the delegate own its constants: in the partitioner's partition(), before it returns,\n\n"
    "    from executorch.exir.backend.utils import tag_constant_data\n\n"
    "    tag_constant_data(exported_program)\n\n"
    "Constants are no arguments of the delegate then, and skip_h2d_for_method_inputs leaves none "
    "of them without its copy."
)


@method_rule(
    "PTE314",
    "constant-on-device",
    Severity.ERROR,
    "constants that are tagged for a device",
    sign=(
        Sign(r"argument {argument} at {at}: host pointer given to a delegate"),
        Sign("copy at {at}: the {copy_side} side is"),
        Sign(
            "_(h2d|d2h)_copy: {side} tensor must be on",
            also=IN_CALL,
        ),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a constant: an error where a delegate or a copy minds, else a warning."""
    blamed = dict(method.placement.by_tensor(FaultCause.CONSTANT))
    for v in sorted(blamed.keys() | set(_tagged(method))):
        subject, tag = method.describe(v), method.tag(v)
        message = f"{capital(subject)} is tagged {tag}, but its bytes are {method.home(v)}"
        faults = blamed.get(v)
        if faults:
            message += f", and that goes wrong in {who(combined(faults).first)}."
            yield fault_finding(method, faults, message, _REMEDIATION)
        else:
            yield Finding(
                message=f"{message}. Nothing that uses it looks at the tag, so it runs.",
                remediation=_REMEDIATION,
                location=method.location(value=v),
                evidence={**tensor_evidence(method, v), "tag": str(tag)},
                subject=subject,
                severity=Severity.WARNING,
            )


def _tagged(method: Method) -> Iterator[int]:
    if not method.placement.is_concerned:
        return
    hot = method.placement.hot
    for v in method.tensors:
        kind = method.home(v).kind if hot[v] and method.nbytes(v) else None
        if kind in (HomeKind.CONSTANT, HomeKind.EXTERNAL) and not method.is_input[v]:
            yield v
