"""The bytes of single constants, for the few questions that hang on them.

Follows `Program::get_constant_buffer_data` (runtime/executor/program.cpp).
"""

from __future__ import annotations

from collections.abc import Callable

from pte_lint.data.segments import has_constants, segment_at
from pte_lint.schema.container import Buffer
from pte_lint.schema.loaded import LoadedProgram

MOST_CONSTANT_BYTES = 1 << 12
"""Bytes of one constant that are read. Nobody branches on more."""

ConstantBytes = Callable[[int, int], bytes | None]
"""Given an entry (`data_buffer_idx`) and a number of bytes, the bytes; None if they are not there
or too many."""


def constant_bytes(loaded: LoadedProgram, buffer: Buffer) -> ConstantBytes:
    """Finds constants in the constant segment of a program.

    Args:
        loaded: The program.
        buffer: The whole file.
    """

    def read(entry: int, nbytes: int) -> bytes | None:
        program = loaded.program
        if program is None or not has_constants(program):
            return None
        reference = program.constant_segment
        segment = segment_at(program, reference.segment_index) if reference is not None else None
        span = loaded.container.segment_range(segment) if segment is not None else None
        offsets = (reference.offsets or ()) if reference is not None else ()
        if span is None or not 0 <= entry < len(offsets) or not 0 <= nbytes <= MOST_CONSTANT_BYTES:
            return None
        if offsets[entry] + nbytes > span.size:
            return None
        start = span.start + offsets[entry]
        return bytes(buffer[start : start + nbytes])

    return read
