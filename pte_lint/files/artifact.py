"""Where bytes come from: a path, an address, bytes, an exporter's object. No file is read whole."""

from __future__ import annotations

import errno
import hashlib
import mmap
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol, runtime_checkable

from pte_lint.files.fetched import ArtifactError, Fetched, NoSourceError
from pte_lint.files.regular import opened, read_all
from pte_lint.files.remote.address import is_address, shown
from pte_lint.files.remote.caps import Caps
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.ranges import LazyBytes

SMALL_FILE: int = 1 << 20
"""Files up to this many bytes are read; larger ones are mapped, so that their segments cost
nothing. A mapped file must not be truncated by others while it is being checked."""

HASH_LIMIT: int = 16 << 20
"""Files above this many bytes are not hashed: that would read all their weights."""


@runtime_checkable
class HasBuffer(Protocol):
    """Anything with the serialised program in `.buffer`, such as ExecutorchProgramManager."""

    @property
    def buffer(self) -> bytes:
        """The bytes of the .pte."""
        ...


Source = str | os.PathLike[str] | bytes | bytearray | memoryview | HasBuffer
"""What `check` takes: a path, an address (`https://...`), bytes, or an object with `.buffer`."""


class PartialBytes(LazyBytes, Protocol):
    """Bytes of which some are here; see `pte_lint.files.remote.known_bytes`."""

    @property
    def fetched(self) -> Fetched | None:
        """What was fetched so far, where anything is."""
        ...

    def whole(self) -> bytes | None:
        """All bytes, if all are here."""
        ...


Buffer = bytes | mmap.mmap | PartialBytes


@dataclass(frozen=True, slots=True)
class Artifact:
    """An opened artifact. `path` is the name to report."""

    path: str
    buffer: Buffer
    digest: str | None = None
    """The hash of the content, where it is known already."""

    @property
    def size(self) -> int:
        """Bytes in the artifact."""
        return len(self.buffer)

    def sha256(self) -> str | None:
        """The hash of the content; None above `HASH_LIMIT`, and where not all of it is here."""
        if self.digest is not None or self.size > HASH_LIMIT:
            return self.digest
        here = self.buffer if isinstance(self.buffer, bytes | mmap.mmap) else self.buffer.whole()
        return hashlib.sha256(here).hexdigest() if here is not None else None

    @property
    def fetched(self) -> Fetched | None:
        """What was fetched so far; None for what was here."""
        if isinstance(self.buffer, bytes | mmap.mmap):
            return None
        return self.buffer.fetched


@contextmanager
def open_artifact(
    source: Source, name: str | None = None, caps: Caps | None = None
) -> Iterator[Artifact]:
    """Opens `source` for reading; the buffer is valid inside the `with` block only.

    Args:
        source: a path, an address, bytes, or an object with `.buffer`.
        name: the path to report instead of the source's own. Without one, an address is reported
            without its user, password, query and fragment.
        caps: how much may be fetched from an address; None: the defaults.

    Raises:
        ArtifactError: the path is missing, unreadable, or no regular file; from an address, also
            while the buffer is used, and at the end of the block.
        NoSourceError: the source is none of these.
    """
    if isinstance(source, bytes | bytearray | memoryview):
        yield Artifact(name or "<bytes>", bytes(source))
        return
    if isinstance(source, str) and is_address(source):
        from pte_lint.files.remote.caps import DEFAULTS
        from pte_lint.files.remote.opening import open_remote

        label = name or shown(source)
        with open_remote(source, label, caps or DEFAULTS) as fetched:
            yield Artifact(label, fetched)
        return
    if isinstance(source, str | os.PathLike):
        with _open_path(Path(source), name or os.fspath(source)) as artifact:
            yield artifact
        return
    buffer = getattr(source, "buffer", None)
    if isinstance(buffer, bytes | bytearray | memoryview):
        yield Artifact(name or f"<{type(source).__name__}>", bytes(buffer))
        return
    raise NoSourceError(
        f"cannot check a {type(source).__name__}: give a path, bytes, or an object whose "
        ".buffer is bytes"
    )


@contextmanager
def _open_path(path: Path, name: str) -> Iterator[Artifact]:
    with ExitStack() as stack:
        try:
            file, size = stack.enter_context(opened(path))
            content: bytes | mmap.mmap
            if size <= SMALL_FILE:
                content = read_all(file, size)
            else:
                content = stack.enter_context(_mapped(file))
        except OSError as exc:
            reason = exc.strerror or type(exc).__name__
            raise ArtifactError(exc.errno or 0, f"cannot read {name}: {reason}") from exc
        yield Artifact(name, content)


def _mapped(file: BinaryIO) -> mmap.mmap:
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (ValueError, OverflowError) as exc:  # emptied meanwhile; more than can be addressed
        raise OSError(errno.EFBIG, f"it cannot be mapped: {exc}") from exc
