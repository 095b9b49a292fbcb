"""What a runner must have to run a device program.

What it finds:
    A program with arenas on a device, boundary copies, or delegates made for a device: a list of
    what the runner needs, from the file alone. Nothing is wrong with such a program, and the
    verdict says what it needs, so this rule runs only when it is asked for: `--select PTE320`.

What the runtime does:
    Module allocates arenas on their devices since 1.4; without an allocator for the device type
    load_method is NotFound in 1.5 and an abort in 1.4. share_memory_arenas with device arenas is
    NotSupported. Loaders that bring their own host arenas (the raw Program API,
    executorch.runtime before 1.5) ignore the list: the first boundary copy fails (Internal).
    The copy kernels are missing before 1.4 (OperatorMissing).

Why it happens:
    It is what device memory planning means; nothing is wrong.

How to fix it:
    Link a device allocator (the CUDA backend registers one), and load with Module:

        auto module = executorch::extension::Module("model.pte");
        auto result = module.forward(inputs);

    With several device backends in one program, give them one stream, or synchronise between them.

How it is confirmed:
    Running it with and without a device allocator.

Seen in:
    executorch#21682, TensorRT#4581, TensorRT#4444
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Json, Severity
from pte_lint.data.context import Context
from pte_lint.ir.device import Device
from pte_lint.questions.method import Method
from pte_lint.questions.needs import device_inputs, unplanned_outputs
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule(
    "PTE320",
    "runner-needs-device-memory",
    Severity.INFO,
    "what a device program asks of its runner",
    is_optional=True,
)
def check(context: Context) -> Yields:
    """One finding a program."""
    methods = [m for m in context.methods if _is_device_method(m)]
    if not methods:
        return
    arenas = sorted({a.device for m in methods for a in m.arenas.values() if not a.device.is_host})
    needs = list(_needs(methods, arenas))
    evidence: dict[str, Json] = {
        "needs": needs,
        "devices": [str(d) for d in arenas],
        "methods": [m.name for m in methods],
    }
    yield Finding(
        message="The runner needs " + "; ".join(needs) + ".",
        remediation="Link a device allocator (the CUDA backend registers one) and load with "
        "Module, without share_memory_arenas:\n\n"
        '    auto module = executorch::extension::Module("model.pte");',
        location=methods[0].location(),
        evidence=evidence,
        subject="runner",
    )


def _is_device_method(method: Method) -> bool:
    placement = method.placement
    return placement.is_concerned and (
        method.has_device_arena
        or bool(placement.copies)
        or bool(placement.devices)
        or any(placement.hot)
    )


def _needs(methods: list[Method], arenas: list[Device]) -> list[str]:
    needs = []
    if arenas:
        names = ", ".join(str(d) for d in arenas)
        needs.append(f"a loader that puts arenas on {names} (Module since 1.4)")
        needs.append("a device allocator")
    if any(m.placement.copies for m in methods):
        needs.append("the et_copy kernels (since 1.4)")
    needs += _of_callers(methods)
    backends = {t.backend for m in methods for t in m.placement.targets if t.is_device}
    if backends:
        needs.append(f"the backend{'s' if len(backends) > 1 else ''} {', '.join(sorted(backends))}")
    if len(backends) > 1:
        needs.append("one stream for all of them, or synchronisation between them")
    return needs or ["nothing but device memory for its tensors"]


def _of_callers(methods: list[Method]) -> list[str]:
    """Which inputs must be on a device, and which outputs need memory there."""
    inputs, outputs = [], []
    for method in methods:
        inputs += [_ports(method, "input", *each) for each in device_inputs(method).items()]
        outputs += [
            _ports(method, "output", device, positions)
            for device, positions in unplanned_outputs(method).items()
            if not device.is_host
        ]
    needs = [f"what the caller already has on the device: {', '.join(inputs)}"] if inputs else []
    if outputs:
        needs.append(f"device memory that the caller binds to outputs: {', '.join(outputs)}")
    return needs


def _ports(method: Method, noun: str, device: Device, positions: list[int]) -> str:
    return f"{method.name} {noun} {', '.join(map(str, positions))} on {device}"
