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

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.questions.method import Method, StepKind
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
    there: dict[int, BoundaryCopy] = {}
    for copy in copies:
        if copy.to_device and (state := _state(method, copy.source)) is not None:
            there.setdefault(state, copy)
    back = {v: _kept(method, v) for v in {c.target for c in copies if not c.to_device}}
    both = there.keys() & set().union(*back.values())
    if not both:
        return
    returning = {v for v, kept in back.items() if not both.isdisjoint(kept)}
    moved = [
        c
        for c in copies
        if (_state(method, c.source) in both if c.to_device else c.target in returning)
    ]
    states = [copy.source for state, copy in there.items() if state in both]
    first = next(c for c in moved if c.to_device)
    total = sum(c.nbytes for c in moved)
    names = ", ".join(f"value {v}" for v in states[:_SHOWN])
    more = ", ..." if len(states) > _SHOWN else ""
    devices = sorted({str(c.device(method)) for c in moved})
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
            "values": states,
            "bytes_per_call": total,
            "copies": [c.step.index for c in moved],
        },
        subject="state",
    )


def _state(method: Method, v: int) -> int | None:
    """The alias set of a value that keeps its content; None for others."""
    storage = method.liveness.storage
    return storage.alias_set(v) if storage.is_state(v) else None


def _kept(method: Method, v: int) -> frozenset[int]:
    """The states that what is copied into `v` ends up in: itself, or what kernels write of it."""
    values = [v]
    for index in method.readers(v):
        if method.steps[index].kind is StepKind.KERNEL and method.flow.reachable[index]:
            values += method.steps[index].writes
    return frozenset(s for each in values if (s := _state(method, each)) is not None)
