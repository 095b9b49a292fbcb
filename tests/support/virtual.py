"""Programs whose weights are huge and nowhere: zeros that are made when they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pte_lint.schema.container import sniff
from pte_lint.schema.program import DataSegment

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.containers import Layout
from pte_lint.testing.program_builder import build_program
from tests.support.examples import scaler
from tests.support.loopback import Read

GIB = 1 << 30


@dataclass(frozen=True)
class VirtualFile:
    """A file of `size` bytes that begins with `head` and goes on with zeros."""

    head: bytes
    size: int

    @property
    def program_size(self) -> int:
        """Bytes of the program."""
        return sniff(self.head).program_range.size

    @property
    def read(self) -> Read:
        """Gives any range of it."""
        return lambda start, stop: self.head[start:stop].ljust(stop - start, b"\0")


def virtual_program(
    method: MethodBuilder | None = None, *, further: Sequence[DataSegment] = (), size: int = GIB
) -> VirtualFile:
    """A program of which one segment, the constants, takes `size` bytes; `further` ones follow."""
    built = build_program(method or scaler())
    assert built.program.segments is not None
    first, *rest = built.program.segments
    assert not rest
    segments = (DataSegment(first.offset, size), *further)
    end = max(each.offset + each.size for each in segments)
    made = built.replaced("segments", segments)
    head = made.bytes(Layout(segment_data_size=end))
    return VirtualFile(head, sniff(head).segment_base_offset + end)


def long_program(instructions: int) -> MethodBuilder:
    """A chain of additions with one constant: about 150 bytes an instruction."""
    b = MethodBuilder()
    x = b.input((2, 2))
    c = b.constant([1, 2, 3, 4], (2, 2))
    for _ in range(instructions):
        x = b.add(x, c)
    b.output(x)
    return b
