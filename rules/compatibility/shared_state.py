"""State that methods share, if their runner gives them one arena.

What it finds:
    Programs whose methods keep buffers at one place of arena 2, as `share_mutable_buffers` plans
    them: an info. A warning where two methods take that place for tensors of different type, shape
    or dim order.

What the runtime does:
    Each method has arenas of its own unless the runner gives several the same memory: what one
    writes the other does not find, and results differ from PyTorch's without any error. Module
    shares the arenas 1 and 2 where `share_memory_arenas` is true, which it is not by default
    (extension/module/module.h, 1.5.1): a counter that one method sets to 1 and the other adds 1 to
    and doubles gives 2 without and 4 with it. Outputs of one method may then lie in the other's
    memory: they are to be read before the next call.

Why it happens:
    The methods were exported with MemoryPlanningPass(share_mutable_buffers=True), so that one can
    fill a cache that the other reads.

How to fix it:
    Nothing in the file. Load it with shared arenas:

        // C++: the last argument of Module is share_memory_arenas
        Module module("model.pte", Module::LoadMode::File, nullptr, nullptr, nullptr, true);

How it is confirmed:
    It is not: each method is run by itself. What two of them do together was measured.

Seen in:
    executorch#4908, executorch#21746
"""

from __future__ import annotations

from pte_lint.schema.enums import dtype_name

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.questions.state import SHARED_ARENA, SharedBuffer, shared_buffers
from pte_lint.rulebook.rule import Yields, artifact_rule
from pte_lint.text.words import count

_RUNNER = (
    "Load the program with shared arenas:\n\n"
    '    Module module("model.pte", Module::LoadMode::File, nullptr, nullptr, nullptr, true);'
)


@artifact_rule("PTE636", "shared-state", Severity.INFO, "state that methods share")
def check(context: Context) -> Yields:
    """One info a program, and one warning a place that methods disagree about."""
    buffers = shared_buffers(context.methods)
    if not buffers:
        return
    names = list(dict.fromkeys(method.name for each in buffers for method, _ in each.uses))
    first, v = buffers[0].uses[0]
    yield Finding(
        message=f"{', '.join(names)} share {count(len(buffers), 'buffer')} in arena "
        f"{SHARED_ARENA}: a runner that does not share its arenas, as Module by default, gives "
        "each method its own.",
        remediation=_RUNNER,
        location=first.location(value=v),
        evidence={"methods": names, "offsets": [each.offset for each in buffers]},
        subject="shared state",
    )
    for each in buffers:
        if not each.agrees:
            yield _disagreement(each)


def _disagreement(buffer: SharedBuffer) -> Finding:
    method, v = buffer.uses[1]
    told = [f"{m.name} has {_described(m, each)}" for m, each in buffer.uses]
    return Finding(
        message=f"At byte {buffer.offset} of arena {SHARED_ARENA}, which methods share, "
        f"{', '.join(told)}: what one writes the other reads as something else.",
        remediation="Export the methods from one model in one program:\n\n"
        '    to_edge({"prefill": prefill, "decode": decode})',
        location=method.location(value=v),
        evidence={"offset": buffer.offset, "methods": [m.name for m, _ in buffer.uses]},
        subject=f"shared state at {buffer.offset}",
        severity=Severity.WARNING,
        method=method.name,
        plan=method.index,
    )


def _described(method: Method, v: int) -> str:
    tensor = method.tensor(v)
    if tensor is None:
        return "nothing"
    return f"{dtype_name(tensor.scalar_type)} {list(tensor.sizes or ())}"
