"""A tensor tagged for a device whose arena is not on that device.

What it finds:
    A planned tensor that is tagged for a device while its arena lies on the host or on a device of
    another type: non_const_buffer_device is absent, empty, or has its entry for another buffer.
    Method inputs of this kind are PTE301's.

What the runtime does:
    Nothing compares tag and arena. Who uses the tensor decides, at execute from 1.4 on: a copy to
    the device gets a host pointer and fails (Internal); a copy to or from the host refuses the
    tag (InvalidArgument); the CUDA backend refuses the pointer (InvalidArgument), other device
    delegates corrupt memory. Host kernels ignore tags: a tensor that only they use is a warning.

Why it happens:
    enable_non_cpu_memory_planning=False (the only way of 1.3, an option since) tags the tensors
    of device delegates and plans all of them on the host. Else a tool dropped the device list, or
    wrote it by position: buffer_idx is the arena's index, and arenas on the host have no entry.

How to fix it:
    Plan device memory; it is the default since 1.4:

        from executorch.exir import ExecutorchBackendConfig

        edge.to_executorch(
            ExecutorchBackendConfig(enable_non_cpu_memory_planning=True)
        )

How it is confirmed:
    Running it: the copy fails, or a stand-in for the delegate reports a host pointer.

Seen in:
    executorch#19961
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
    "PTE308",
    "device-tag-in-host-arena",
    Severity.ERROR,
    "tensors tagged for a device whose arena is not on it",
    sign=(
        Sign("copy at {at}: the {copy_side} side is"),
        Sign(r"argument {argument} at {at}: host pointer given to a delegate"),
        Sign(
            "_(h2d|d2h)_copy: {side} tensor must be on",
            also=IN_CALL,
        ),
        Sign("no device allocator registered for device_type", IN_CALL),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a tensor: an error where some instruction minds, else a warning."""
    blamed = dict(method.placement.by_tensor(FaultCause.DEVICE_TAG))
    for v in sorted(blamed.keys() | set(_misplaced(method))):
        tag, home = method.tag(v), method.home(v)
        message = (
            f"{capital(method.describe(v))} is tagged {tag} but is planned in {home}"
            f"{_device_list(method, home.memory_id)}"
        )
        faults = blamed.get(v)
        if faults:
            message += f", and that goes wrong in {who(combined(faults).first)}."
            yield fault_finding(method, faults, message, _remediation(method))
        else:
            yield Finding(
                message=f"{message}. Nothing that uses it looks at the tag, so it runs.",
                remediation=_remediation(method),
                location=method.location(value=v),
                evidence={**tensor_evidence(method, v), "tag": str(tag), "home": str(home)},
                subject=method.describe(v),
                severity=Severity.WARNING,
            )


def _misplaced(method: Method) -> Iterator[int]:
    if not method.placement.is_concerned:
        return
    hot = method.placement.hot
    for v in method.tensors:
        if not hot[v] or method.is_input[v] or method.nbytes(v) == 0:
            continue
        tag, home = method.tag(v), method.home(v)
        if home.kind is not HomeKind.ARENA or home.memory_id not in method.arenas:
            continue
        if not tag.is_host and tag.type != home.device.type:
            yield v


def _device_list(method: Method, memory_id: int | None) -> str:
    entries = method.plan.non_const_buffer_device
    if not entries:
        return " (the program has no list of arena devices)"
    if all(e.buffer_idx != memory_id for e in entries):
        return f" (the list of arena devices has no entry for arena {memory_id})"
    return ""


def _remediation(method: Method) -> str:
    if not method.placement.copies:
        return (
            "The program was exported by 1.3 or with enable_non_cpu_memory_planning=False: tensors "
            "are tagged, but all memory is the host's and no copies exist. Export it again with "
            f"device memory planning, the default since 1.4:\n\n{DEFAULT_COPIES}"
        )
    return (
        "The list of arena devices (non_const_buffer_device) was lost or changed after export: "
        "it needs an entry {buffer_idx: <memory_id of the tensor>, device_type, device_index} for "
        f"each arena on a device. Export again:\n\n{DEFAULT_COPIES}"
    )
