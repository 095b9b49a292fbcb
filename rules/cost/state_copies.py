"""State that is copied to the device and back in every call.

What it finds:
    Buffers that keep their content on the host, that a boundary copy takes to a device and whose
    new content comes back by another, with the bytes that both move. Programs are right with them,
    so this rule runs only when it is asked for: `--select PTE8` (or ALL), or a severity for it.

What the runtime does:
    Each boundary copy moves all bytes of its tensor, and returns when they are there
    (kernels/portable/cpu/op__device_copy.cpp, since 1.4).

Why it happens:
    The delegate does not own the buffer: the partitioner did not tag it, so it stays an argument,
    which the exporter gives a copy there, a copy back and a copy_ into its place.

How to fix it:
    Let the delegate own the buffers that it changes. In the partitioner, once all else is tagged:

        from executorch.exir.backend.utils import tag_mutated_buffer

        tag_mutated_buffer(exported_program)

    A buffer that the host or another delegate uses as well cannot be owned by one: let one
    delegate take all that uses it.

How it is confirmed:
    Not visible by running, but in a profile.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.questions.placement.copies import BoundaryCopy
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count

_SHOWN = 4


@method_rule(
    "PTE806",
    "state-copies",
    Severity.INFO,
    "state that every call copies to the device and back",
    is_optional=True,
)
def check(method: Method, ctx: Context) -> Yields:
    """One finding a method."""
    if not method.placement.has_copy_operators:
        return
    copies = [
        c for c in method.placement.copies if c.nbytes and method.flow.reachable[c.step.index]
    ]
    there = _by_state(method, ((c.source, c) for c in copies if c.to_device))
    back = _by_state(method, (pair for c in copies if not c.to_device for pair in _kept(method, c)))
    states = [state for state in there if state in back]
    if not states:
        return
    moved = {c.step.index: c for state in states for c in (*there[state], *back[state])}
    total = sum(c.nbytes for c in moved.values())
    first = there[states[0]][0]
    names = ", ".join(f"value {there[s][0].source}" for s in states[:_SHOWN])
    more = ", ..." if len(states) > _SHOWN else ""
    devices = sorted({str(c.device(method)) for c in moved.values()})
    yield Finding(
        message=f"{count(len(states), 'buffer')} of state ({names}{more}) "
        f"{'is' if len(states) == 1 else 'are'} kept on the host, and every call copies "
        f"{'it' if len(states) == 1 else 'them'} to {', '.join(devices)} and back: "
        f"{count(total, 'byte')} a call in {len(moved)} copies.",
        remediation="Let the delegate own the buffers that it changes: in the partitioner's "
        "partition(), once all else is tagged,\n\n"
        "    from executorch.exir.backend.utils import tag_mutated_buffer\n\n"
        "    tag_mutated_buffer(exported_program)",
        location=method.location(step=first.step, value=first.source, argument=0),
        evidence={
            "values": [there[state][0].source for state in states],
            "bytes_per_call": total,
            "copies": sorted(moved),
        },
        subject="state",
    )


def _by_state(
    method: Method, pairs: Iterator[tuple[int, BoundaryCopy]]
) -> dict[int, list[BoundaryCopy]]:
    """Copies by the alias set of the state that they are about; others are left out."""
    storage = method.liveness.storage
    found: dict[int, list[BoundaryCopy]] = {}
    for v, copy in pairs:
        if storage.is_state(v):
            found.setdefault(storage.alias_set(v), []).append(copy)
    return found


def _kept(method: Method, copy: BoundaryCopy) -> Iterator[tuple[int, BoundaryCopy]]:
    """What gets the bytes of a copy to the host: its target, and what kernels write of that."""
    yield copy.target, copy
    for index in method.readers(copy.target):
        step = method.steps[index]
        if step.operator and method.flow.reachable[index]:
            yield from ((v, copy) for v in step.writes)
