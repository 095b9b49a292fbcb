"""A method that needs more memory than the target has for it.

What it finds:
    Methods whose arenas on a device, on the host with what the method allocator and the temporary
    allocator are asked for, take more than the `memory` that the target's profile allows.

What the runtime does:
    What the runner has is the runner's: arenas that are smaller than planned end load_method with
    InvalidArgument or MemoryAllocationFailed, a method allocator that is too small with
    MemoryAllocationFailed, a temporary one ends the call that asks (runtime/executor/method.cpp,
    runtime/core/memory_allocator.h). The bytes are those of 1.5.1 on 64-bit machines; the file
    itself, which may stay in flash, and what backends take beside the runtime's allocators are not
    among them.

Why it happens:
    Inputs of another size, a model of another precision, a planner that shares less, or many small
    instructions: each takes some memory of the method allocator.

How to fix it:
    See what is needed where it is most, and make that smaller, or say how much there is:

        pte-lint inspect model.pte

    The budget stands in the target's profile: `"memory": "512 KiB"`.

How it is confirmed:
    By counting: the harness' allocators are asked for the same bytes.

Seen in:
    executorch#7678, executorch#3512
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity, Unchecked
from pte_lint.claims.sign import Unseen
from pte_lint.data.blobs import blobs
from pte_lint.data.context import Context
from pte_lint.data.damage import require_readable
from pte_lint.data.method_memory import method_memory
from pte_lint.questions.arena_use import peak, tenancies
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count

_HOST = "cpu"
_KNOWN_BITS = 64


@method_rule(
    "PTE635",
    "memory-budget",
    Severity.ERROR,
    "methods that need more memory than the target has",
    sign=Unseen("how much memory the target has is not the machine's that runs it"),
)
def check(method: Method, context: Context) -> Yields:
    """One finding a device; no forecast, since it is the runner that has the memory."""
    profile = context.target.profile
    if not profile.memory:
        return
    require_readable(method, context)
    planned = method.planned_bytes()
    for device, budget in profile.memory.items():
        parts = {"planned": planned.get(device, 0)}
        if device == _HOST:
            program = context.program
            asked = method_memory(
                method,
                blobs(method, context),
                has_data=bool(context.data),
                has_keys=program is not None and bool(program.named_data),
            )
            parts["temporary"] = asked.most_temporary
            if profile.pointer_bits == _KNOWN_BITS:
                parts["method_allocator"] = asked.allocator
            else:
                yield Unchecked("the method allocator", "its bytes are known for 64-bit pointers")
            for each in asked.unknown:
                yield Unchecked(f"the memory of {each}", "the file does not tell it")
        if sum(parts.values()) > budget:
            yield _finding(method, device, budget, parts)


def _finding(method: Method, device: str, budget: int, parts: dict[str, int]) -> Finding:
    needed = sum(parts.values())
    told = [f"{count(n, 'byte')} {_WORDS[part]}" for part, n in parts.items() if n]
    live = [
        (*peak(all_of_it), memory_id)
        for memory_id, all_of_it in tenancies(method).items()
        if str(method.arenas[memory_id].device) == device
    ]
    most, at, arena = max(live, default=(0, -1, 0))
    step = method.steps[at] if 0 <= at < len(method.steps) else None
    where = f", at instruction {at} ({step.operator})" if step is not None else ""
    needs = (
        f" No plan of arena {arena} takes less than {count(most, 'byte')}{where}." if most else ""
    )
    return Finding(
        message=f"{method.name} needs {count(needed, 'byte')} on {device}, and the target has "
        f"{count(budget, 'byte')}: {', '.join(told)}.{needs}",
        remediation="See which tensors are there where it is most, and make them smaller:\n\n"
        "    pte-lint inspect FILE",
        location=method.location(step=step),
        evidence={"device": device, "budget": budget, "needed": needed, **parts, "peak": most},
        subject=f"memory on {device}",
    )


_WORDS = {
    "planned": "in arenas",
    "temporary": "of temporary memory",
    "method_allocator": "of the method allocator",
}
