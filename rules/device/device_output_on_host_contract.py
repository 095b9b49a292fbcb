"""A method output that is handed over on a device.

What it finds:
    A method output whose tensor is on a device when the method ends: left there by
    skip_d2h_for_method_outputs, or moved into the output's place by a control-flow branch. Where
    the output is the caller's own device memory, the verdict says that it must be given.

What the runtime does:
    It runs, and gives the caller a device pointer. Reading it from the host crashes (SIGSEGV);
    the Python binding needs a PyTorch with CUDA to wrap it. An output without planned memory must
    be bound to device memory before each execute, or the delegate writes through a null pointer.
    Where a branch moves a device tensor over an output that the file tags as on the host, nothing
    in the method's metadata warns the caller.

Why it happens:
    skip_d2h_for_method_outputs=True asks for it, usually because another method takes the result
    on the device. A host output that turns into a device tensor comes from a tool that dropped the
    copy at the end of a branch.

How to fix it:
    Nothing is wrong if the caller knows. In C++, with memory on the device:

        module.set_output(EValue(device_tensor), 0);  // unplanned outputs, before each execute
        auto result = module.execute("forward", inputs);

    To get results on the host, export with the defaults, which copy them back:

        from executorch.exir import ExecutorchBackendConfig
        from executorch.exir.passes.propagate_device_config import (
            PropagateDeviceConfig,
        )

        edge.to_executorch(ExecutorchBackendConfig(
            propagate_device_config=PropagateDeviceConfig(skip_d2h_for_method_outputs=False),
        ))

How it is confirmed:
    Running it with device memory bound to the output works; the returned pointer is the device's.

Seen in:
    executorch#21722
"""

from __future__ import annotations

from dataclasses import replace

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.interpret.residency import Place
from pte_lint.questions.method import Method
from pte_lint.questions.needs import is_callers
from pte_lint.questions.placement.device_findings import capital, tensor_evidence
from pte_lint.questions.placement.export_settings import (
    DeviceSettings,
    paired_settings,
    settings_snippet,
)
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule(
    "PTE303",
    "device-output-on-host-contract",
    Severity.INFO,
    "outputs that the caller gets on a device",
    sign=Sign(r"^output {output}: memory on (?!host$)"),
)
def check(method: Method, context: Context) -> Yields:
    """An info; a warning where the file tags the output as on the host.

    Of an output that has the caller's device memory the verdict says so: it runs if given that.
    """
    for v in dict.fromkeys(method.outputs):
        if method.tensor(v) is None or method.nbytes(v) == 0:
            continue
        on_device = [p for p in method.residency.at_end(v) if _is_on_device(p)]
        if on_device and is_callers(method, v) and not method.tag(v).is_host:
            continue
        if on_device:
            yield _finding(method, context, v, on_device[0])


def _is_on_device(place: Place) -> bool:
    return not place.tag.is_host and not place.home.device.is_host


def _finding(method: Method, context: Context, v: int, place: Place) -> Finding:
    told = not method.tag(v).is_host
    message = f"{capital(method.describe(v))} is handed over on {place.home.device}: reading "
    message += "it from the host crashes."
    if not told:
        message += (
            f" The file tags it as on the host; the device tensor (value {place.value}) is moved "
            "into its place."
        )
    return Finding(
        message=message,
        remediation="Copy the result back with the device's own API, or export without "
        "skip_d2h_for_method_outputs so that the program does it:\n\n"
        + settings_snippet(
            [(m.name, _copied_back(m, method)) for m in context.methods or (method,)]
        ),
        location=method.location(value=v),
        evidence={
            **tensor_evidence(method, v),
            "tag": str(method.tag(v)),
            "tag_at_end": str(place.tag),
            "home": str(place.home),
        },
        subject=method.describe(v),
        severity=None if told else Severity.WARNING,
    )


def _copied_back(other: Method, method: Method) -> DeviceSettings:
    """The settings that a method has, but for this one with its outputs on the host."""
    settings = paired_settings(other)
    return replace(settings, skip_d2h=False, alloc_outputs=True) if other is method else settings
