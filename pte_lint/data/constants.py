"""Where a method's constants lie: the facts behind the rules about constant data.

Follows `Program::get_constant_buffer_data` (runtime/executor/program.cpp).
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.data.context import Context
from pte_lint.data.segments import has_constants, program_container, segment_at
from pte_lint.questions.method import Method
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class ConstantArea:
    """The constant segment as the loader keeps it.

    `index` is the segment, `size` its bytes, `offsets` where each constant starts in it.
    """

    index: int
    size: int
    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant tensor: value index, entry in the offsets, bytes it needs."""

    value: int
    entry: int
    nbytes: int


def constants(method: Method) -> Iterator[Constant]:
    """The constant tensors of a method, in order."""
    for v in method.constants:
        tensor = method.tensor(v)
        assert tensor is not None
        yield Constant(v, tensor.data_buffer_idx, method.nbytes(v))


def constant_area(ctx: Context) -> ConstantArea | None:
    """The loaded constant segment; None when none is loaded, or loading the program fails."""
    container, program = program_container(ctx), ctx.program
    if container is None or program is None or not has_constants(program):
        return None
    reference = program.constant_segment
    assert reference is not None
    segment = segment_at(program, reference.segment_index)
    if segment is None or container.segment_range(segment) is None:
        return None
    return ConstantArea(reference.segment_index, segment.size, reference.offsets or ())
