"""An arena whose size cannot be had, or makes no sense.

What it finds:
    Arenas of negative size, arenas larger than any address space, and arenas far larger than what
    is planned in them.

What the runtime does:
    Negative: load_method returns InvalidProgram; 1.2 passes it on and aborts, as 1.4 does when the
    method has a device arena. Too large to allocate: std::vector throws and the process ends
    (SIGABRT) in load_method; for a device arena 1.5 returns MemoryAllocationFailed.
    (MethodMeta::memory_planned_buffer_size in runtime/executor/method_meta.cpp;
    Module::load_method.)

Why it happens:
    A dynamic dimension got a huge upper bound, so that its tensors are planned for it; a custom
    planner miscounted; or the file is damaged.

How to fix it:
    Give dynamic dimensions realistic bounds when exporting:

        length = torch.export.Dim("length", max=4096)

How it is confirmed:
    Loading the method under a memory limit.

Seen in:
    executorch#7678, executorch#21958
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, crash, error
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.damage import REEXPORT
from pte_lint.questions.largest_tensors import HUGE, Tenant, bound_advice, largest_tenants
from pte_lint.questions.method import Arena, Method
from pte_lint.rulebook.rule import Yields, method_rule

_ADDRESS_SPACE = 1 << 47
"""Bytes a process can address on the usual 64-bit machines."""
_SLACK = 1 << 16
"""Bytes of padding and rounding that no arena is blamed for."""
_ABORT = crash(Stage.LOAD_METHOD, "SIGABRT")

_SPARE = """\
Nothing is planned in the rest of it: a planner of one's own miscounted, or the file was edited.
Export with the planner of ExecuTorch:

    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.passes import MemoryPlanningPass

    edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass()))"""


@method_rule(
    "PTE206",
    "arena-size",
    Severity.ERROR,
    "arenas of impossible or implausible size",
    sign=(
        Sign(r"device memory for buffer {arena-1}\b"),
        Sign(r"negative size: {size}\b"),
        Sign(r"console: .*(bad_alloc|length_error|vector)"),
    ),
)
def check(method: Method, context: Context) -> Yields:
    """One finding an arena."""
    ends = _ends(method)
    for arena in method.arenas.values():
        found = _judge(method, arena, ends.get(arena.memory_id, 0))
        if found is None:
            continue
        message, forecast = found
        used = ends.get(arena.memory_id, 0)
        is_needed = arena.size <= 2 * used + _SLACK
        tenants = largest_tenants(method, arena.memory_id) if is_needed else ()
        if tenants:
            message += f": the largest is {tenants[0]}"
        yield Finding(
            message=f"Arena {arena.memory_id} {message}.",
            remediation=_remedy(method, arena, tenants),
            location=method.location(suffix=f".non_const_buffer_sizes[{arena.memory_id}]"),
            forecast=forecast,
            # All sizes are read before anything is allocated.
            order=(LoadMethodStep.PLANNED_MEMORY, arena.size >= 0, arena.memory_id),
            evidence={
                "size": arena.size,
                "used": used,
                "largest": [
                    {"value": t.value, "bytes": t.nbytes, "sizes": list(t.sizes)} for t in tenants
                ],
            },
            subject=f"arena {arena.memory_id} size",
            severity=None if forecast is not None else Severity.WARNING,
        )


def _remedy(method: Method, arena: Arena, tenants: tuple[Tenant, ...]) -> str:
    if arena.size < 0:
        return REEXPORT
    return bound_advice(method, tenants, arena.size) if tenants else _SPARE


def _judge(method: Method, arena: Arena, used: int) -> tuple[str, Forecast | None] | None:
    if arena.size < 0:
        refused = Forecast.always(error(Stage.LOAD_METHOD, "InvalidProgram")).until("1.2", _ABORT)
        if method.has_device_arena:
            refused = refused.since("1.4", _ABORT).since("1.5", refused.full[-1])
        return f"has the size {arena.size}", refused
    if arena.size >= _ADDRESS_SPACE:
        forecast = Forecast.always(_ABORT)
        if not arena.device.is_host:
            # The device allocator fails cleanly; 1.4 does not expect that, older ones use the host.
            forecast = forecast.since("1.5", error(Stage.LOAD_METHOD, "MemoryAllocationFailed"))
        return f"has {arena.size} bytes, more than any machine can give", forecast
    if arena.size > 2 * used + _SLACK and arena.size > 0:
        return f"has {arena.size} bytes, but what is planned in it ends at {used}", None
    if arena.size >= HUGE:
        return f"needs {arena.size} bytes before the method can be loaded", None
    return None


def _ends(method: Method) -> dict[int, int]:
    """Where the last tensor ends, by arena."""
    ends: dict[int, int] = {}
    for memory_id, offset, nbytes in (plot.place for plot in method.table.plots):
        ends[memory_id] = max(ends.get(memory_id, 0), offset + nbytes)
    return ends
