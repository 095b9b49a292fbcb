"""Entries on disk: whole or not at all, bounded, and safe with any number of processes.

An entry is a file named by its key, in one of a few shards. It is written beside its place and
moved there, so that a reader finds the old one, the new one, or none. It carries a code over key
and content that only this user's secret makes (`pte_lint.files.state`): what is damaged, what lies
in another's place, what somebody else wrote and what others may write to is none. Each shard keeps
to its share of the bound: writing throws out what was used longest ago.
"""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from pte_lint.files import state

VERSION: Final = "v2"
"""Changes with the form of entries; other versions are left alone, but for cleaning."""

SHARDS: Final = 16
SHARD_BYTES: Final = 16 << 20
"""Most bytes of all entries of a shard: 256 MiB in all."""

ENTRY_BYTES: Final = 4 << 20
"""Most bytes of one entry; larger ones are not kept."""

_SHARE: Final = 16
"""A shard is looked at when a process has written this part of what may be in it."""

_MAGIC: Final = b"pte-lint cache 2\n"
_TAG: Final = "CACHEDIR.TAG"
_TAG_TEXT: Final = (
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# Results of pte-lint; see `pte-lint cache --help`. It may be deleted at any time.\n"
)
_VERSIONS: Final = "[a-z][0-9]*"
"""Folders of entries of any kind and version."""

_NAME: Final = re.compile(r"[0-9a-f]{64}(\.[\w-]+\.tmp)?")


class Survey(NamedTuple):
    """What there is: whole entries with their bytes, and what is none although it looks like it."""

    entries: int
    bytes: int
    bad: int


class Store:
    """A folder of entries. No method raises for what is wrong with the folder.

    Where there is no secret nothing is kept, and nothing is found.
    """

    def __init__(
        self,
        folder: Path,
        version: str = VERSION,
        shard_bytes: int = SHARD_BYTES,
        entry_bytes: int = ENTRY_BYTES,
    ) -> None:
        """Touches nothing yet.

        Args:
            folder: where stores are.
            version: which of them: a letter for what is kept, a number for its form.
            shard_bytes: most bytes of a sixteenth of it.
            entry_bytes: most bytes of an entry.
        """
        self.folder = folder
        self._version = version
        self._shard_bytes = shard_bytes
        self._entry_bytes = entry_bytes
        self._secret = state.secret()
        self._room: dict[Path, int] = {}
        """By shard, bytes that may be written before it is looked at again."""

    def get(self, key: str) -> bytes | None:
        """The content of an entry, or None; marks it as used.

        Args:
            key: 64 hexadecimal digits.
        """
        path = self._path(key)
        content = self._read(path)
        if content is not None:
            with suppress(OSError):
                os.utime(path)
        return content

    def survey(self, is_content: Callable[[bytes], bool]) -> Survey:
        """Reads every entry of this version.

        Args:
            is_content: whether a content is what should be in an entry.
        """
        entries = size = bad = 0
        for path in self._entries(self._version):
            if path.suffix:
                continue  # being written, or left behind
            content = self._read(path)
            if content is not None and is_content(content):
                entries, size = entries + 1, size + len(_MAGIC) + 32 + len(content)
            else:
                bad += 1
        return Survey(entries, size, bad)

    def _read(self, path: Path) -> bytes | None:
        descriptor = state.open_own(path) if self._secret is not None else None
        if descriptor is None or self._secret is None:
            return None
        try:
            with os.fdopen(descriptor, "rb") as file:
                most = len(_MAGIC) + 32 + self._entry_bytes
                # A read makes room for as many bytes as it is asked for.
                if os.fstat(descriptor).st_size > most:
                    return None
                raw = file.read()
        except OSError:
            return None
        code, content = raw[len(_MAGIC) : len(_MAGIC) + 32], raw[len(_MAGIC) + 32 :]
        mine = self._code(self._secret, path.name, content)
        return content if raw.startswith(_MAGIC) and hmac.compare_digest(code, mine) else None

    def put(self, key: str, content: bytes) -> None:
        """Keeps an entry, in place of an older one with this key, and others out of bounds."""
        if len(content) > self._entry_bytes or self._secret is None:
            return
        path = self._path(key)
        with suppress(OSError):
            self._make(path.parent)
            self._make_room(path.parent, len(_MAGIC) + 32 + len(content))
            # Threads of one process and processes of several machines must not meet.
            beside = path.with_name(f"{key}.{os.getpid()}-{os.urandom(8).hex()}.tmp")
            try:
                with os.fdopen(state.create_own(beside), "wb") as file:
                    file.write(_MAGIC + self._code(self._secret, key, content) + content)
                beside.replace(path)
            except BaseException:
                beside.unlink(missing_ok=True)
                raise

    def clean(self) -> tuple[int, int]:
        """Removes every entry of every version, and nothing that is none.

        Returns:
            How many files were removed, and how many bytes they had.

        Raises:
            OSError: one cannot be removed.
        """
        count = total = 0
        for path in list(self._entries(_VERSIONS)):
            size = path.stat().st_size
            path.unlink(missing_ok=True)
            count, total = count + 1, total + size
        with suppress(OSError):
            tag = self.folder / _TAG
            if tag.read_text("utf-8") == _TAG_TEXT:
                tag.unlink()
        for version in self.folder.glob(_VERSIONS):
            for folder in (*version.glob("[0-9a-f]"), version, self.folder):
                # What is not empty holds something of others.
                with suppress(OSError):
                    folder.rmdir()
        return count, total

    def _entries(self, versions: str) -> Iterator[Path]:
        for path in self.folder.glob(f"{versions}/[0-9a-f]/*"):
            if _NAME.fullmatch(path.name) and path.is_file() and not path.is_symlink():
                yield path

    def _path(self, key: str) -> Path:
        return self.folder / self._version / key[0] / key

    def _make(self, shard: Path) -> None:
        if shard.is_dir():
            return
        shard.mkdir(mode=0o700, parents=True, exist_ok=True)
        tag = self.folder / _TAG
        if not tag.exists():
            tag.write_text(_TAG_TEXT, "utf-8")

    def _make_room(self, shard: Path, needed: int) -> None:
        """Throws out what was used longest ago, and what a process that died left behind.

        Not at each entry, since looking at a shard takes as long as judging a small file: as much
        room is made as a few entries need, and a look is due when these have been written.
        """
        if self._room.get(shard, 0) >= needed:
            self._room[shard] -= needed
            return
        files = []
        for entry in os.scandir(shard):
            with suppress(OSError):
                told = entry.stat(follow_symlinks=False)
                files.append((told.st_mtime_ns, told.st_size, entry.path))
        ahead = max(needed, self._shard_bytes // _SHARE)
        total = sum(size for _, size, _ in files) + ahead
        for _, size, path in sorted(files):
            if total <= self._shard_bytes:
                break
            with suppress(OSError):
                Path(path).unlink()
            total -= size
        self._room[shard] = ahead - needed

    def _code(self, secret: bytes, key: str, content: bytes) -> bytes:
        return state.sign(secret, self._version.encode(), key.encode(), content)
