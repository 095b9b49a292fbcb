"""Whether a program that was written again is laid out as the exporter does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pte_lint.schema.loaded import LoadedProgram

_PADDING = 32
_ALIGNMENT = 128


def assert_laid_out_alike(again: LoadedProgram, before: LoadedProgram, file: Path) -> int:
    """The same header, but for a little padding between tables in exports for other backends.

    Returns:
        How many bytes the segments have moved on by it.
    """
    moved = 0
    mine, theirs = again.container.header, before.container.header
    is_padded = file.parent.name == "delegates" or file.stem.startswith("xnnpack_")
    if is_padded and mine is not None and theirs is not None:
        assert 0 <= mine.program_size - theirs.program_size < _PADDING
        moved = mine.segment_base_offset - theirs.segment_base_offset
        assert moved in (0, _ALIGNMENT)
        base = theirs.segment_base_offset
        mine = replace(mine, program_size=theirs.program_size, segment_base_offset=base)
    assert mine == theirs
    return moved
