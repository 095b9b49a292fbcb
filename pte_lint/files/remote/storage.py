"""Ranges out of any other file system that fsspec knows: s3://, hf://, gs://, ..."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from pte_lint.files.remote.caps import Caps
from pte_lint.files.remote.file_systems import load
from pte_lint.files.remote.origin import Changed, FetchError
from pte_lint.files.remote.patience import ask
from pte_lint.schema import limits

_T = TypeVar("_T")

_TAGS: Final = (
    "size", "ETag", "etag", "LastModified", "last_modified", "mtime", "created", "updated",
    "VersionId", "version_id", "generation", "blob_id", "md5Hash", "content_md5", "ino",
)  # fmt: skip
"""What file systems say about a file that is another one when its content is."""


class StorageOrigin:
    """A file of a file system, which is asked for size and version first, and once more at last."""

    def __init__(
        self, file_system: Any, path: str, caps: Caps, listed: Mapping[str, object] | None = None
    ) -> None:
        """Asks for the size, unless a listing told it together with what tells versions apart.

        Raises:
            FetchError: there is no such file, it is a folder, or its size is not known.
        """
        self._fs = file_system
        self._path = path
        self._caps = caps
        self._file: Any = None
        self.requests = 1 if listed else 2  # a look at its version now, and the one in `verify`
        self._tags = [tag for tag in _TAGS if listed is None or tag in listed]
        self._info = {**listed} if listed else self._look()
        size = self._info.get("size")
        self.size: int | None = size if isinstance(size, int) else None
        if self._info.get("type") == "directory":
            raise FetchError("it is a folder: name its files, or end it with / to search it")
        if self._info.get("type", "file") != "file":
            raise FetchError("it is no regular file")
        if self.size is None or not 0 <= self.size < 1 << 63:
            raise FetchError("its size is not known, so ranges of it cannot be read")

    def get(self, start: int, stop: int) -> bytes:
        """Fetches one range; see `Origin.get`."""
        size = self.size or 0
        stop = min(stop, size)
        if stop <= start:
            return b""
        self.requests += 1
        content = self._ask(lambda: self._range(start, stop), stop - start)
        if len(content) != stop - start:
            raise FetchError(f"asked for {stop - start} bytes, {len(content)} came")
        return content

    def verify(self) -> None:
        """Compares size and version with those at the beginning."""
        now = self._look()
        for tag in self._tags:
            if now.get(tag) != self._info.get(tag):
                raise Changed(f"its {tag}")

    def _range(self, start: int, stop: int) -> bytes:
        if isinstance(self._fs, load("fsspec.asyn").AsyncFileSystem):
            content: bytes = self._fs.cat_file(self._path, start=start, end=stop)
            return content
        # Other file systems read ahead by megabytes unless told not to.
        if self._file is None:
            self._file = self._fs.open(self._path, "rb", cache_type="none")
        self._file.seek(start)
        read: bytes = self._file.read(stop - start)
        return read

    def _look(self) -> dict[str, Any]:
        def ask() -> dict[str, Any]:
            self._fs.invalidate_cache()
            return dict(self._fs.info(self._path))

        return self._ask(ask, 0)

    def _ask(self, question: Callable[[], _T], count: int) -> _T:
        return ask(question, self._caps.timeout + count / limits.FETCH_LEAST_RATE)
