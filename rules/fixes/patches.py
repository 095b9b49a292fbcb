"""Bytes of the file that findings say are wrong, and what would be right there.

For `confirm`, which tries what a run does with them. A repair writes the whole file anew, which
takes away any fault of the file around the program: it would confirm the one as well as the other.
Each patch names the bytes that its finding says are there, and where others are it is not made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pte_lint.schema.container import Container, HeaderState, Kind

from pte_lint.claims.finding import Finding
from pte_lint.data.context import Context
from pte_lint.data.segments import program_container
from pte_lint.data.text_damage import taken_back
from pte_lint.edits.plan_draft import EditError

_MOST = 64 << 20
"""Bytes that are taken back at most."""

Patch = tuple[int, bytes, bytes]
"""Where, what the finding says is there, and what is to be there."""

_MAGIC, _BASE = 8, 24
"""Bytes from the program's start to the magic of the extended header, and to its segment base."""
_ALIGNMENT = 128
_LEAST = 16
"""Bytes that exporters align segments to: by default, and at least."""


def _container(context: Context) -> Container:
    container = program_container(context)
    if container is None or context.bundle is not None:
        raise EditError("there is no program by itself")
    return container


def _base_patch(container: Container, was: int, base: int) -> Patch:
    if base < container.program_size or base % _LEAST or base == was:
        raise EditError("no segment base would be right")
    at = container.program_start + _BASE
    return at, was.to_bytes(8, "little"), base.to_bytes(8, "little")


def _fitting_base(container: Container, context: Context) -> int:
    """The segment base with which the last segment ends where the file does."""
    segments = context.program.segments if context.program is not None else None
    if not segments:
        raise EditError("there are no segments")
    return container.size - max(each.offset + each.size for each in segments)


def _missing_base(finding: Finding, context: Context) -> Iterator[Patch]:
    container = _container(context)
    if container.header_state is HeaderState.PRESENT:
        yield _base_patch(container, 0, _fitting_base(container, context))
        return
    at = container.program_start + _MAGIC
    found = bytes(context.artifact.buffer[at : at + 4])
    if found == b"eh00":
        raise EditError("the magic of the header is there")
    yield at, found, b"eh00"


def _shifted_base(finding: Finding, context: Context) -> Iterator[Patch]:
    container, base = _container(context), int(finding.evidence["segment_base_offset"])
    missing = -base % _ALIGNMENT
    if container.trailing_bytes != missing:
        raise EditError("nothing is left over at the end")
    yield _base_patch(container, base, base + missing)


def _base_in_program(finding: Finding, context: Context) -> Iterator[Patch]:
    container = _container(context)
    base, segments = container.segment_base_offset, context.program and context.program.segments
    start, index = int(finding.evidence["start"]), int(finding.evidence["segment"])
    if not segments or base + segments[index].offset != start:
        raise EditError("the segment does not start there")
    if start >= container.program_start + container.program_size:
        raise EditError("the segment does not lie over the program")
    yield _base_patch(container, base, _fitting_base(container, context))


PATCHES: dict[str, Callable[[Finding, Context], Iterator[Patch]]] = {
    "PTE008": _missing_base,
    "PTE009": _shifted_base,
    "PTE015": _base_in_program,
}
"""What puts right the bytes that a rule's findings name, and nothing else."""


def _converted(finding: Finding, context: Context) -> bytes:
    if context.container.kind is not Kind.PROGRAM or context.artifact.size > _MOST:
        raise EditError("it is no program, or too large")
    return taken_back(finding.evidence["damage"], context.artifact.buffer[:])


RESTORING: dict[str, Callable[[Finding, Context], bytes]] = {
    "PTE005": _converted,
}
"""What takes back that which a rule's findings say was done to the whole file."""
