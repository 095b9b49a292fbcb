"""Puts a repaired file in place: written whole beside its target, then renamed.

Ranges of the source are copied in the kernel, where file systems share or move the bytes without
reading them (copy_file_range), else in chunks: memory stays flat whatever the size.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from pte_lint.files.regular import opened
from pte_lint.schema.program import Span
from pte_lint.schema.ranges import Buffer, take
from pte_lint.schema.writer.pieces import Piece

_CHUNK = 1 << 20


def place(pieces: Sequence[Piece], source: Buffer, origin: Path | None, target: Path) -> None:
    """Writes a file.

    Args:
        pieces: Its content; spans are ranges of `source`.
        source: The opened file that it is made from.
        origin: Where that file is, if it is one: its bytes are then copied file to file.
        target: What to write. An old file stays as it is until the new one is whole.

    Raises:
        OSError: It cannot be written; nothing is left behind.
    """
    folder = target.parent
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=folder)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            _write(pieces, source, origin, out)
            out.flush()
            os.fsync(out.fileno())
        temporary.chmod(_mode(target))
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _mode(target: Path) -> int:
    """The mode of the file that is replaced, else what a new file gets."""
    with suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _write(pieces: Sequence[Piece], source: Buffer, origin: Path | None, out: BinaryIO) -> None:
    if origin is None:
        for piece in pieces:
            _copy(piece, source, out)
        return
    with opened(origin) as (file, _):
        for piece in pieces:
            if not isinstance(piece, Span) or not _copied_in_kernel(file, piece, out):
                _copy(piece, source, out)


def _copy(piece: Piece, source: Buffer, out: BinaryIO) -> None:
    if not isinstance(piece, Span):
        out.write(piece)
        return
    for start in range(piece.start, piece.start + piece.size, _CHUNK):
        out.write(take(source, start, min(start + _CHUNK, piece.start + piece.size)))


def _copied_in_kernel(file: BinaryIO, span: Span, out: BinaryIO) -> bool:
    """Copies a range file to file; False where the system cannot, with nothing written."""
    copy = getattr(os, "copy_file_range", None)
    if copy is None or span.size < _CHUNK:
        return False
    out.flush()
    start = out.tell()
    done = 0
    while done < span.size:
        try:
            moved = copy(
                file.fileno(), out.fileno(), span.size - done, span.start + done, start + done
            )
        except OSError:
            moved = 0
        if moved == 0:
            os.ftruncate(out.fileno(), start)
            return False
        done += moved
    out.seek(start + span.size)
    return True
