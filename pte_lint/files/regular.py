"""The one way to open a file: a regular one, without waiting for anybody, and within a bound.

Names come from strangers, and what stands behind one may be a device, a FIFO, a socket, a folder,
or a file of /proc that never ends. Everything here says so instead of reading it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

from pte_lint.schema.limits import FILE_BYTES, STREAM_BYTES

_FLAGS: Final = (
    os.O_RDONLY
    # Not to wait for the other end of a FIFO, and not to take a terminal. Not every system has all.
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

_KINDS: Final = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)

_PIECE: Final = 1 << 20

_NO_NAME: Final = "no file can have this name"


@contextmanager
def opened(path: str | os.PathLike[str], most: int = FILE_BYTES) -> Iterator[tuple[BinaryIO, int]]:
    """Opens a regular file; yields it and its size in bytes.

    What counts is the file that was opened: a name may mean another one a moment later. It is
    looked at before as well, because opening some devices already does something.

    Args:
        path: the file. Links to a regular file are followed.
        most: the most bytes that it may have.

    Raises:
        OSError: it cannot be opened, is no regular file, or is too large; `strerror` says which.
    """
    name = os.fspath(path)
    try:
        require_regular(os.stat(name).st_mode, name)  # noqa: PTH116 - text, as given
        handle = os.open(name, _FLAGS)
    except ValueError as exc:  # a NUL, or what the file system's encoding has no bytes for
        raise OSError(errno.EINVAL, _NO_NAME, name) from exc
    try:
        told = os.fstat(handle)
        require_regular(told.st_mode, name)
        if told.st_size > most:
            reason = f"it has {told.st_size} bytes, and more than {most} are not read"
            raise OSError(errno.EFBIG, reason, name)
        file = os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise
    with file:
        yield file, told.st_size


def read_file(path: str | os.PathLike[str], most: int = FILE_BYTES) -> bytes:
    """Reads a regular file of at most `most` bytes.

    Raises:
        OSError: as `opened` and `read_all` do.
    """
    with opened(path, most) as (file, size):
        return read_all(file, size)


def read_all(file: BinaryIO, size: int) -> bytes:
    """Reads what `opened` gave, and makes sure that there is no more of it.

    Raises:
        OSError: there is: the file is being written, or is made up by the system as it is read,
            as those of /proc, which have no bytes by their size and may never end.
    """
    content = file.read(size)
    # None: a file of the system that would have waited.
    if content is None or file.read(1) != b"":
        raise OSError(errno.EINVAL, f"not a regular file: it holds more than its {size} bytes")
    return content


def read_stream(stream: BinaryIO, most: int = STREAM_BYTES) -> bytes:
    """Reads a stream to its end.

    Args:
        stream: what has no size that could be looked at before.
        most: bytes after which it is given up.

    Raises:
        OSError: it has more, or cannot be read.
    """
    content = bytearray()
    while True:
        piece = stream.read(min(_PIECE, most + 1 - len(content)))
        if piece is None:
            raise OSError(errno.EAGAIN, "it is set not to wait for its other end")
        if not piece:
            return bytes(content)
        content += piece
        if len(content) > most:
            raise OSError(errno.EFBIG, f"it does not end after {most} bytes: give a file")


def require_regular(mode: int, name: str) -> None:
    """Raises OSError unless a mode of `stat` is that of a regular file."""
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    kind = next((word for test, word in _KINDS if test(mode)), "something else")
    hint = "; give a pipe as -" if stat.S_ISFIFO(mode) else ""
    raise OSError(errno.EINVAL, f"{kind}, not a regular file{hint}", name)
