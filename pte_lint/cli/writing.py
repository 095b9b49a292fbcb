"""Puts bytes into files: where the user says, and where a configuration may."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_NOT_THROUGH_LINKS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_BY_FOLDER: Final = {os.open, os.stat, os.rename, os.unlink} <= os.supports_dir_fd
"""Whether a file can be named by an open folder and its name there, which nobody can exchange."""


def write_file(path: Path, data: Iterable[bytes]) -> None:
    """Writes a file that the user names; it appears whole or not at all.

    A pipe or a device is written to when it is named itself (`/dev/stderr`); a link to one
    elsewhere may be anybody's and is replaced, as a link to a file is.

    Raises:
        OSError, ValueError: it cannot be written.
    """
    if _is_special(path):
        _write_special(path, data)
        return
    _replace(path.parent, path.name, data)


def write_below(root: Path, parts: Sequence[str], data: Iterable[bytes]) -> None:
    """Writes a file that a configuration names, in place of nothing or of a regular file.

    Args:
        root: the folder of the configuration; links in its own path are the user's.
        parts: the folders below it and the file's name, none of which may be a link.
        data: the content, in pieces.

    Raises:
        OSError, ValueError: it cannot be written.
    """
    *folders, name = parts
    with _folder(root, folders) as folder:
        try:
            mode = _look(folder, name).st_mode
        except FileNotFoundError:
            mode = stat.S_IFREG
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "a configuration may replace regular files only", name)
        _replace(folder, name, data)


Folder = int | Path
"""An open folder, or its path on systems that cannot name files by open folders."""


@contextmanager
def _folder(root: Path, below: Sequence[str]) -> Iterator[Folder]:
    """Goes down from `root`, through folders that are no links."""
    if not _BY_FOLDER:
        place = root.joinpath(*below)
        if any(root.joinpath(*below[: n + 1]).is_symlink() for n in range(len(below))):
            raise OSError(errno.ELOOP, "a configuration may not write through links")
        yield place
        return
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | getattr(os, "O_CLOEXEC", 0))
    try:
        for part in below:
            try:
                flags = os.O_RDONLY | os.O_DIRECTORY | _NOT_THROUGH_LINKS
                deeper = os.open(part, flags, dir_fd=handle)
            except OSError as exc:
                if exc.errno in (errno.ELOOP, errno.ENOTDIR):
                    reason = f"{part} is no folder: a configuration may not write through links"
                    raise OSError(exc.errno, reason, part) from exc
                raise
            os.close(handle)
            handle = deeper
        yield handle
    finally:
        os.close(handle)


def _replace(folder: Folder, name: str, data: Iterable[bytes]) -> None:
    """Writes beside a name and moves it there: never through what stands there."""
    beside = f".{os.urandom(8).hex()}.tmp"
    at = folder if isinstance(folder, int) else None
    there = (lambda each: each) if isinstance(folder, int) else (lambda each: str(folder / each))
    handle = os.open(there(beside), _NEW | _NOT_THROUGH_LINKS, 0o666, dir_fd=at)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(data)
        if at is None:
            Path(there(beside)).replace(there(name))
        else:
            os.rename(beside, name, src_dir_fd=at, dst_dir_fd=at)
    except BaseException:
        os.unlink(there(beside), dir_fd=at)
        raise


def _look(folder: Folder, name: str) -> os.stat_result:
    if isinstance(folder, int):
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    return (folder / name).lstat()


def _is_special(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return False
    here = os.path.abspath(path)  # noqa: PTH100 - resolve() would follow links
    return here.startswith("/dev/") or not path.is_symlink()


def _write_special(path: Path, data: Iterable[bytes]) -> None:
    """Writes to a pipe or a device; a pipe that nobody reads is an error and not waited for."""
    handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
    with os.fdopen(handle, "wb") as file:
        if hasattr(os, "set_blocking"):
            os.set_blocking(handle, True)
        file.writelines(data)
