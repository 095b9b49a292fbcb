"""Artifacts inside of archives: zip files (.aar, .apk, .ipa, .whl are such) and tar files.

An archive is a stranger's. Nothing is unpacked to disk, no name in it is used as a path, and what
is read of it is bounded: its table of contents, each member, and all that is decompressed on the
way to one.
"""

from __future__ import annotations

import bz2
import gzip
import io
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import IO, Any, Final

from pte_lint.files.fetched import ArtifactError
from pte_lint.files.regular import opened
from pte_lint.schema import limits
from pte_lint.schema.frozen import dataclass

_ZIPS: Final = (".zip", ".aar", ".apk", ".ipa", ".whl", ".jar")
_TARS: Final = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2")
_SEPARATOR: Final = "!/"
_PIECE: Final = 1 << 20

_COMPRESSED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
"""What takes little memory to undo, whatever the archive says."""

_END: Final = struct.Struct("<4s4H2LH")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR: Final = struct.Struct("<4sLQL")


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive."""

    archive: str
    index: int
    """Among all entries, since names may be there twice."""
    inside: str
    size: int
    """As the archive tells it."""

    @property
    def name(self) -> str:
        """`model.aar!/assets/model.pte`."""
        return f"{self.archive}{_SEPARATOR}{self.inside}"


def is_archive(name: str) -> bool:
    """Whether a file is named like one."""
    return name.lower().endswith((*_ZIPS, *_TARS))


def members(archive: str) -> Iterator[Member]:
    """The regular files in an archive, in its order.

    Raises:
        ArtifactError: it cannot be read, or has more entries than are looked at.
    """
    with _opened(archive) as contents:
        for index, entry in enumerate(contents):
            if index >= limits.ARCHIVE_ENTRIES:
                raise _trouble(archive, f"it has more than {limits.ARCHIVE_ENTRIES} entries")
            if _is_file(entry):
                yield Member(archive, index, _name(entry), _size(entry))


def read_member(member: Member) -> bytes:
    """The content of a member.

    Raises:
        ArtifactError: it cannot be read, is not what it was, or has more bytes than are read.
    """
    most = limits.STREAM_BYTES
    with _opened(member.archive) as contents:
        entry = next(islice(contents, member.index, None), None)
        if entry is None or not _is_file(entry) or _name(entry) != member.inside:
            raise _trouble(member.name, "the archive is another one than before")
        content = bytearray()
        with contents.open(entry) as file:
            while piece := file.read(min(_PIECE, most + 1 - len(content))):
                content += piece
        if len(content) > most:
            raise _trouble(member.name, f"it has more than {most} bytes: unpack it")
        if len(content) != _size(entry):
            raise _trouble(member.name, "the archive is cut off or damaged")
        return bytes(content)


class _Contents:
    """The entries of an archive, and what opens one."""

    def __init__(self, archive: Any) -> None:
        self._archive = archive

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self._archive, zipfile.ZipFile):
            yield from self._archive.infolist()
            return
        while (entry := self._archive.next()) is not None:
            self._archive.members.clear()  # it would keep all of them
            yield entry
        # What is no header ends the archive for tarfile, as if nothing came behind it.
        self._archive.fileobj.seek(self._archive.offset)
        if self._archive.fileobj.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
            raise tarfile.ReadError

    def open(self, entry: Any) -> IO[bytes]:
        if isinstance(self._archive, zipfile.ZipFile):
            if entry.compress_type not in _COMPRESSED:
                raise NotImplementedError
            return self._archive.open(entry)
        file: IO[bytes] = self._archive.extractfile(entry)
        return file


@contextmanager
def _opened(archive: str) -> Iterator[_Contents]:
    with ExitStack() as stack:
        try:
            file, size = stack.enter_context(opened(archive))
            if archive.lower().endswith(_ZIPS):
                _check_contents(file, size, archive)
                yield _Contents(stack.enter_context(zipfile.ZipFile(file)))
                return
            plain: Any = file
            if archive.lower().endswith((".gz", ".tgz")):
                plain = stack.enter_context(gzip.GzipFile(fileobj=file))
            elif archive.lower().endswith("bz2"):
                plain = stack.enter_context(bz2.BZ2File(file))
            bounded: Any = _Bounded(plain, limits.ARCHIVE_BYTES if plain is not file else size)
            yield _Contents(stack.enter_context(tarfile.TarFile(fileobj=bounded)))
        except ArtifactError:
            raise
        except OSError as exc:
            raise _trouble(archive, exc.strerror or str(exc)) from exc
        except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError) as exc:
            raise _trouble(archive, f"it is damaged, or no archive ({type(exc).__name__})") from exc
        except (RuntimeError, NotImplementedError, ValueError, struct.error) as exc:
            # Encrypted members, ways to compress that are not known, numbers out of range.
            raise _trouble(archive, f"it cannot be unpacked ({type(exc).__name__})") from exc


class _Bounded:
    """A file that is read in pieces of a bounded size and up to a bounded place."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file, self._most = file, most

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _PIECE:
            raise OSError(0, "one of its headers is too large")
        content = self._file.read(size)
        self._check(self._file.tell())
        return content

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_SET:
            self._check(place)
        return self._file.seek(place, whence)

    def tell(self) -> int:
        return self._file.tell()

    def _check(self, place: int) -> None:
        if place > self._most:
            raise OSError(
                0, f"more than {self._most} bytes would have to be unpacked to look at it"
            )


def _check_contents(file: IO[bytes], size: int, archive: str) -> None:
    """Looks how long the table of contents is: all of it is kept in memory.

    Raises:
        ArtifactError: longer than a table of so many entries may be.
    """
    tail = min(size, _END.size + 0xFFFF)
    file.seek(size - tail)
    content = file.read(tail)
    at = content.rfind(b"PK\5\6")
    if at < 0 or at + _END.size > len(content):
        raise zipfile.BadZipFile
    _, _, _, _, entries, length, _, _ = _END.unpack_from(content, at)
    place = at - _LOCATOR.size
    if place >= 0 and content[place : place + 4] == b"PK\6\7":
        file.seek(min(_LOCATOR.unpack_from(content, place)[2], size))
        far = file.read(_END_64.size)
        if len(far) == _END_64.size and far[:4] == b"PK\6\6":
            entries, length = _END_64.unpack(far)[7:9]
    file.seek(0)
    most = limits.ARCHIVE_ENTRIES
    if entries > most or length > most * 256:
        raise _trouble(archive, f"it has more than {most} entries, or very long names")


def _is_file(entry: Any) -> bool:
    if isinstance(entry, zipfile.ZipInfo):
        return not entry.is_dir()
    return bool(entry.isreg()) and not entry.issparse()


def _name(entry: Any) -> str:
    name: str = entry.filename if isinstance(entry, zipfile.ZipInfo) else entry.name
    return name


def _size(entry: Any) -> int:
    size: int = entry.file_size if isinstance(entry, zipfile.ZipInfo) else entry.size
    return size


def _trouble(name: str, why: str) -> ArtifactError:
    return ArtifactError(0, f"cannot look into {os.fspath(name)}: {why}")
