"""What it costs to write and judge a program once more."""

from __future__ import annotations

from typing import Final

from pte_lint.data.context import Context

_TABLE_BYTES: Final = 32
"""What a table counts for at least, each time that something refers to it."""


def weight(context: Context) -> int:
    """Bytes of the tables, but not of what they hold inline for kernels and delegates.

    Nothing reads that, and segments lie outside of the tables.
    """
    loaded = context.loaded
    if loaded is None or loaded.program is None:
        return 1
    program = loaded.program
    constants = [each.storage for each in program.constant_buffer or ()]
    blobs = [each.data for each in program.backend_delegate_data or ()]
    held = sum(span.size for span in (*constants, *blobs) if span is not None)
    tables = loaded.container.program_range.size - held
    return max(tables, _TABLE_BYTES * loaded.tables, 1)
