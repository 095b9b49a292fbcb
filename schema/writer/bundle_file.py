"""Puts a changed program back into the bundle that it was in, beside the bundle's test cases.

A bundle is one flatbuffer with the program as a vector inside (schema/bundled_program_schema.fbs of
ExecuTorch), so all of it is built in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pte_lint.schema.errors import UnwritableError
from pte_lint.schema.loaded import LoadedBundle, binding
from pte_lint.schema.program import Span
from pte_lint.schema.ranges import Buffer, take, window
from pte_lint.schema.writer.pieces import Piece, joined
from pte_lint.schema.writer.tables import TableWriter
from pte_lint.schema.writer.unknown import unknown_fields


def write_bundle(bundle: LoadedBundle, program: Sequence[Piece], buffer: Buffer) -> bytes:
    """Writes the bundle with another program.

    Args:
        bundle: The bundle as it was read.
        program: The program's pieces; spans point into `buffer`.
        buffer: The bundle's file.

    Raises:
        UnwritableError: The bundle has violations, or fields that this version does not know.
    """
    root = bundle.bundle
    if root is None or bundle.violations:
        raise UnwritableError("the bundle is damaged")
    span = bundle.container.program_range
    layout = binding("bundled_program")
    with window(buffer, span.start, span.start + span.size) as part:
        unknown = next(unknown_fields(part, layout, root), None)
    if unknown is not None:
        raise UnwritableError(
            f"the bundle has a field that this version does not know ({unknown}): it would be lost"
        )
    content = joined(program, buffer)
    source = take(buffer, 0, len(buffer)) + content
    root = replace(root, program=Span(len(buffer), len(content)))
    return TableWriter(layout, source).finish(root)
