"""An entry of the list of arena devices that says nothing, or something impossible.

What it finds:
    Entries of non_const_buffer_device with an arena that does not exist (or the reserved index 0),
    a second entry for one arena, an unknown device type, or a negative device index.

What the runtime does:
    It looks entries up by buffer_idx; the first one for an arena wins, and what matches no arena
    is ignored. From 1.4 on it allocates every arena on its device: a type without an allocator
    (every type but CUDA) is NotFound at load_method in 1.5 and an abort in 1.4; the CUDA allocator
    takes index -1 as the current device and refuses anything below. 1.2 and 1.3 ignore the list.

Why it happens:
    The schema's comment calls the list parallel to non_const_buffer_sizes. It is not: the exporter
    writes one entry for each arena that is not on cpu:0, and the runtime searches. A writer that
    follows the comment names the wrong arenas.

How to fix it:
    Let the exporter write the list. A tool that writes it gives each device arena one entry, with
    buffer_idx equal to the memory_id of its tensors:

        from executorch.exir.schema import DeviceType, NonConstBufferDevice

        NonConstBufferDevice(buffer_idx=2, device_type=DeviceType.CUDA, device_index=0)

How it is confirmed:
    Loading it: the runtime's MethodMeta::memory_planned_buffer_device shows which entry won.

Seen in:
    executorch#21289
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.schema.enums import DeviceType
from pte_lint.schema.program import NonConstBufferDevice

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, crash, error
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign, Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.ir.device import device
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_REMEDIATION = (
    "Export again and let the exporter write the list of arena devices. A tool that writes it "
    "gives each arena on a device one entry, with the memory_id of its tensors:\n\n"
    "    from executorch.exir.schema import DeviceType, NonConstBufferDevice\n\n"
    "    NonConstBufferDevice(buffer_idx=2, device_type=DeviceType.CUDA, device_index=0)"
)


def _allocation_fails(name: str) -> Forecast:
    """The runtime allocates every arena before it loads the method: 1.4 aborts on failure."""
    return (
        Forecast.always(None)
        .since("1.4", crash(Stage.LOAD_METHOD, "SIGABRT"))
        .since("1.5", error(Stage.LOAD_METHOD, name))
    )


_NO_ALLOCATOR = _allocation_fails("NotFound")
_BAD_INDEX = _allocation_fails("InvalidArgument")


@method_rule(
    "PTE310",
    "arena-device-entry",
    Severity.ERROR,
    "invalid entries in the list of arena devices",
    sign=(
        Sign(
            r"device type {device_type}\b|device_type={device_type}, device_index={device_index}\)"
        ),
        Unseen("nothing looks at the entry", Trial.IDLE),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """An error only where the entry decides about an arena and no runtime can follow it."""
    entries = method.plan.non_const_buffer_device or ()
    first: dict[int, int] = {}
    for position, entry in enumerate(entries):
        winner = first.setdefault(entry.buffer_idx, position)
        for says, forecast in _problems(method, entries, position, winner):
            yield Finding(
                message=f"non_const_buffer_device[{position}] {says}.",
                remediation=_REMEDIATION,
                location=method.location(suffix=f".non_const_buffer_device[{position}]"),
                forecast=forecast,
                order=(LoadMethodStep.PLANNED_MEMORY, entry.buffer_idx),
                evidence={
                    "buffer_idx": entry.buffer_idx,
                    "device_type": entry.device_type,
                    "device_index": entry.device_index,
                },
                subject=f"entry {position} of non_const_buffer_device: {says}",
                severity=None if forecast is not None else Severity.WARNING,
            )


def _problems(
    method: Method, entries: tuple[NonConstBufferDevice, ...], position: int, winner: int
) -> Iterator[tuple[str, Forecast | None]]:
    entry = entries[position]
    where = device(entry.device_type, entry.device_index)
    if entry.buffer_idx == 0:
        yield "is for index 0, which is reserved: no arena", None
        return
    if entry.buffer_idx not in method.arenas:
        last = max(method.arenas, default=0)
        yield f"is for arena {entry.buffer_idx}, but the method has arenas 1 to {last}", None
        return
    if winner != position:
        other = device(entries[winner].device_type, entries[winner].device_index)
        same = "says the same" if other == where else f"says {other}, and wins"
        yield f"is a second entry for arena {entry.buffer_idx}; the first one {same}", None
        return
    if entry.device_type not in (DeviceType.CPU, DeviceType.CUDA):
        yield (
            f"puts arena {entry.buffer_idx} on device type {entry.device_type}, which no "
            "allocator serves",
            _NO_ALLOCATOR,
        )
    elif not where.is_host and entry.device_index < 0:
        says = f"puts arena {entry.buffer_idx} on {where}, a negative index"
        if entry.device_index == -1:
            yield f"{says} (the CUDA allocator takes it as the current device)", None
        else:
            yield f"{says} that the CUDA allocator refuses", _BAD_INDEX
