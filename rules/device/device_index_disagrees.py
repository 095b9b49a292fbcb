"""Device indices that do not agree.

What it finds:
    A tensor on one device of a type given to a delegate for another, with no way through the host;
    a tag and an arena that name different indices; a negative index in a tag; an index on a tag
    that says cpu.

What the runtime does:
    It compares no indices. A delegate for cuda:1 that is handed memory on cuda:0 reads another
    device's memory: wrong results, or a fault of the device. A boundary copy uses the tag's
    index; the CUDA allocator takes -1 as the current device and refuses anything below, so that
    the copy fails (Internal). Where only the tag or only the arena's entry is off, it depends on
    the devices of the machine: a warning. An arena on cuda:1 is there where the machine has a
    cuda:1, and a delegate for cuda:0 then gets memory of another device; where it has none, the
    allocator goes on with the current device, and the program runs.

Why it happens:
    Two delegates were partitioned for different devices and something removed the copies between
    them, or one of tag, arena entry and compile spec was edited alone.

How to fix it:
    Name one device in the partitioner's compile spec and let the exporter derive the rest: it goes
    through the host between devices and elides copies only within one.

        from executorch.exir.backend.compile_spec_schema import CompileSpec
        from executorch.exir.passes.propagate_device_pass import TARGET_DEVICE_COMPILE_SPEC_KEY

        CompileSpec(TARGET_DEVICE_COMPILE_SPEC_KEY, b"cuda:0")

How it is confirmed:
    Running it on two devices: a stand-in for the delegate reports which device each pointer is on.

Seen in:
    TensorRT#4329, TensorRT#4350
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.ir.device import HomeKind
from pte_lint.questions.method import Method
from pte_lint.questions.placement.device_findings import (
    capital,
    fault_finding,
    tensor_evidence,
    who,
)
from pte_lint.questions.placement.export_settings import TARGET_SPEC
from pte_lint.questions.placement.faults import CheckSite, FaultCause
from pte_lint.rulebook.rule import Yields, method_rule

_REMEDIATION = (
    "Name the device once, in the partitioner's compile spec, and export again: tags, arenas and "
    f"copies follow from it, and data goes between devices through the host:\n\n{TARGET_SPEC}"
)


@method_rule(
    "PTE311",
    "device-index-disagrees",
    Severity.ERROR,
    "device indices that do not agree",
    sign=(
        Sign(r"argument {argument} at {at}: pointer lies on .*, the delegate runs on"),
        Sign(r"copy at {at}: "),
        Sign(r"^value {value}: tag {tag}, memory on (?!{tag}$)"),
        Sign(r"^allocation on {home_device}: no such device"),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """Errors for arguments that are sure to be on the wrong device, warnings for the rest."""
    told: set[int] = set()
    for _, faults in method.placement.by_argument(FaultCause.INDEX):
        fault = faults[0]
        told.add(fault.place.value)
        assert fault.step is not None
        wanted = fault.reason
        if fault.check_site is CheckSite.DELEGATE:
            wanted = f"it runs on {method.placement.target(fault.step)}"
        found = fault_finding(
            method,
            faults,
            f"{capital(who(fault))} gets {method.describe(fault.value)}, tagged "
            f"{fault.place.tag} in {fault.place.home}; {wanted}.",
            _REMEDIATION,
        )
        if found.forecast is None and any(fault.forecast.full):
            # Only a machine that has the arena's device puts the arena there.
            found = replace(found, forecast=fault.forecast)
        yield found
    yield from _odd_tags(method, told)


def _odd_tags(method: Method, told: set[int]) -> Iterator[Finding]:
    """Tags that disagree with their arena or mean nothing; one finding a tensor."""
    for v in method.table.extra:
        tensor = method.tensor(v)
        extra = tensor.extra_tensor_info if tensor else None
        if extra is None or v in told:
            continue
        tag, home = method.tag(v), method.home(v)
        if tag.is_host:
            if extra.device_index == 0:
                continue
            says = f"is tagged cpu with device index {extra.device_index}; the host has no index"
        elif home.kind is HomeKind.ARENA and home.device.type == tag.type and home.device != tag:
            says = f"is tagged {tag} but planned in {home}; the runtime compares neither"
        elif tag.index < 0:
            says = f"is tagged {tag}; a negative index means the current device at best"
        else:
            continue
        yield Finding(
            message=f"{capital(method.describe(v))} {says}.",
            remediation=_REMEDIATION,
            location=method.location(value=v, suffix=".extra_tensor_info.device_index"),
            evidence={
                **tensor_evidence(method, v),
                "tag": str(tag),
                "tag_index": extra.device_index,
                "home": str(home),
            },
            subject=method.describe(v),
            severity=Severity.WARNING,
        )
