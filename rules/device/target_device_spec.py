"""A delegate's compile spec target_device that is missing or unreadable.

What it finds:
    A delegate without target_device (or with cpu) all of whose tensors are on a device; a value
    that names no device, is empty, is not text, or has a negative or non-numeric index; a key that
    is target_device in other case.

What the runtime does:
    It never reads the spec; backends do, and each in its own way. A delegate that takes host
    memory and is handed device pointers computes garbage or crashes. A value that nobody can read
    harms nothing that shows in the file: a warning.

Why it happens:
    The exporter reads the spec to tag tensors and insert copies (blanks and case of the value are
    ignored, a missing index is 0, the key must match exactly), and refuses values it cannot read.
    What is wrong here was written or edited after that, or by another exporter.

How to fix it:
    Put the spec into the partitioner; the CUDA partitioner does it by itself:

        from executorch.exir.backend.compile_spec_schema import CompileSpec
        from executorch.exir.passes.propagate_device_pass import TARGET_DEVICE_COMPILE_SPEC_KEY

        CompileSpec(TARGET_DEVICE_COMPILE_SPEC_KEY, b"cuda:0")

How it is confirmed:
    Running it with a stand-in for the delegate that reads the spec and reports each pointer.

Seen in:
    TensorRT#4272
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.questions.placement.device_findings import fault_finding
from pte_lint.questions.placement.export_settings import TARGET_SPEC
from pte_lint.questions.placement.faults import Fault, FaultCause
from pte_lint.questions.placement.target_device import DelegateTarget, misspelt_key
from pte_lint.rulebook.rule import Yields, method_rule

_REMEDIATION = (
    "Name the device in the partitioner's compile specs and export again (a delegate for the host "
    f"needs no such spec):\n\n{TARGET_SPEC}"
)


@method_rule(
    "PTE312",
    "target-device-spec",
    Severity.ERROR,
    "delegates whose target device is missing",
    sign=(
        Sign(r"argument {argument} at {at}: device pointer given to a host delegate"),
        Sign(r"argument {argument} at {at}: pointer lies on"),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a delegate."""
    told: set[int] = set()
    groups: dict[int, list[Fault]] = {}
    for fault in method.placement.caused_by(FaultCause.SPEC):
        assert fault.step is not None
        groups.setdefault(fault.step.target, []).append(fault)
    for index, faults in sorted(groups.items()):
        told.add(index)
        yield _contradicted(method, method.placement.targets[index], faults)
    for target in method.placement.targets:
        if target.index not in told:
            yield from _odd(method, target)


def _contradicted(method: Method, target: DelegateTarget, faults: list[Fault]) -> Finding:
    fault = faults[0]
    says = "has no compile spec target_device"
    if target.spec is not None:
        says = "has target_device cpu"
    elif (key := _misspelt(method, target)) is not None:
        says = f"has its device under the key {key!r}, not target_device,"
    return fault_finding(
        method,
        faults,
        f"The delegate {target.backend} {says} and so takes host memory, yet every tensor that it "
        f"is given is on {fault.place.home.device}.",
        _REMEDIATION,
        {"delegate": target.index, "arguments": len({(f.step, f.argument) for f in faults})},
    )


def _odd(method: Method, target: DelegateTarget) -> Iterator[Finding]:
    says, position = "", target.spec
    if target.problem:
        says = f"target_device {target.problem}"
    elif target.spec is None and (key := _misspelt(method, target)) is not None:
        says = f"has a compile spec {key!r}, which is not read: the key is target_device"
    if not says:
        return
    suffix = f".delegates[{target.index}].compile_specs"
    yield Finding(
        message=f"The delegate {target.backend}: {says}.",
        remediation=_REMEDIATION,
        location=method.location(suffix=suffix + (f"[{position}]" if position is not None else "")),
        evidence={"delegate": target.index, "target_device": str(target)},
        subject=f"delegate {target.index}",
        severity=Severity.WARNING,
    )


def _misspelt(method: Method, target: DelegateTarget) -> str | None:
    delegates = method.plan.delegates or ()
    return misspelt_key(delegates[target.index])
