"""What this user's pte-lint keeps to itself: a secret that tells what it wrote from the rest.

A cache folder may come from anywhere: a build server restores one that another change filled. So
what is kept there carries a code that only this secret makes (HMAC-SHA256). The secret lies in the
user's state folder, which nobody carries about, and is made when it is missing: then everything in
the cache is a stranger's, and is made anew.
"""

from __future__ import annotations

import hmac
import os
import stat
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final

_BYTES: Final = 32


def folder() -> Path | None:
    """The user's state folder: `XDG_STATE_HOME`, else `~/.local/state`; None where there is none.

    On Windows `LOCALAPPDATA` takes the place of both.
    """
    named = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_STATE_HOME", "")
    if named and Path(named).is_absolute():
        return Path(named) / "pte-lint"
    try:
        return Path.home() / ".local" / "state" / "pte-lint"
    except RuntimeError:
        return None


def secret() -> bytes | None:
    """The secret, made now if there is none; None where none can be kept."""
    where = folder()
    return _secret_in(where) if where is not None else None


def sign(key: bytes, *parts: bytes) -> bytes:
    """The code of some texts under the secret: 32 bytes. No two lists of texts have the same."""
    told = hmac.new(key, digestmod="sha256")
    for part in parts:
        told.update(len(part).to_bytes(8, "little") + part)
    return told.digest()


def is_own(told: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user and nobody else may write to it."""
    if not hasattr(os, "geteuid"):
        return True  # on Windows rights are lists that inherit from the user's folder
    return told.st_uid == os.geteuid() and not told.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def open_own(path: Path) -> int | None:
    """Opens a file of this user's for reading: a descriptor, or None for anything else.

    A link, a device, a file of another user and one that others may write to are none of ours.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    flags |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError):
        return None
    told = os.fstat(descriptor)
    if stat.S_ISREG(told.st_mode) and is_own(told):
        return descriptor
    os.close(descriptor)
    return None


def create_own(path: Path) -> int:
    """A new file that nobody else may write to, whatever the user's umask is: a descriptor.

    Raises:
        OSError: it cannot be made, or is there already.
    """
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)


@lru_cache(maxsize=8)
def _secret_in(where: Path) -> bytes | None:
    path = where / "secret"
    known = _read(path)
    if known is not None:
        return known
    beside = path.with_name(f"secret.{os.getpid()}-{os.urandom(8).hex()}.tmp")
    try:
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_own(where.lstat()):
            return None
        with os.fdopen(create_own(beside), "wb") as file:
            file.write(os.urandom(_BYTES))
        # Of several processes that make one, the first wins: a link never replaces.
        with suppress(FileExistsError):
            os.link(beside, path)
    except OSError:
        return None
    finally:
        with suppress(OSError):
            beside.unlink()
    return _read(path)


def _read(path: Path) -> bytes | None:
    descriptor = open_own(path)
    if descriptor is None:
        return None
    with os.fdopen(descriptor, "rb") as file:
        content = file.read(_BYTES + 1)
    return content if len(content) == _BYTES else None
