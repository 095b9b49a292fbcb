"""What a runner must have to run a device program.

What it finds:
    A program with arenas on a device, boundary copies, or delegates made for a device: a list of
    what the runner needs, from the file alone.

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
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule(
    "PTE320",
    "runner-needs-device-memory",
    Severity.INFO,
    "what a device program asks of its runner",
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
    if any(_is_given(m, v) for m in methods for v in m.inputs):
        needs.append("inputs that the caller already has on the device")
    if any(_is_given(m, v) for m in methods for v in m.outputs):
        needs.append("device memory bound to the unplanned outputs")
    backends = {t.backend for m in methods for t in m.placement.targets if t.is_device}
    if backends:
        needs.append(f"the backend{'s' if len(backends) > 1 else ''} {', '.join(sorted(backends))}")
    if len(backends) > 1:
        needs.append("one stream for all of them, or synchronisation between them")
    return needs or ["nothing but device memory for its tensors"]


def _is_given(method: Method, v: int) -> bool:
    tensor = method.tensor(v)
    if tensor is None or method.tag(v).is_host:
        return False
    return tensor.allocation_info is None and tensor.data_buffer_idx == 0
