"""Ranges out of objects of S3, each answer of which names the version that it is of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pte_lint.files.remote.caps import Caps
from pte_lint.files.remote.file_systems import load
from pte_lint.files.remote.origin import Changed, FetchError
from pte_lint.files.remote.storage import StorageOrigin


class BucketOrigin(StorageOrigin):
    """An object. What a listing or the first look told of it holds for every answer."""

    def __init__(
        self, file_system: Any, path: str, caps: Caps, listed: Mapping[str, object] | None = None
    ) -> None:
        """See `StorageOrigin`; the look at the end is only for servers that name no version."""
        super().__init__(file_system, path, caps, listed)
        self._is_told = True
        self.requests -= 1

    def verify(self) -> None:
        """Compares size and version with those at the beginning, where an answer named none."""
        if not self._is_told:
            super().verify()

    def _range(self, start: int, stop: int) -> bytes:
        # The file system's own reading of a range keeps none of what comes with it.
        bucket, key, version = self._fs.split_path(self._path)
        asked = {"VersionId": version} if version else {}
        place = f"bytes={start}-{stop - 1}"
        answer = self._fs.call_s3("get_object", Bucket=bucket, Key=key, Range=place, **asked)
        content: bytes = load("fsspec.asyn").sync(self._fs.loop, self._read, answer, stop - start)
        return content

    async def _read(self, answer: Any, size: int) -> bytes:
        """What an answer holds: of one that is too long, a byte more than was asked for."""
        body, content = answer["Body"], bytearray()
        try:
            self._compare(answer.get("ETag"))
            while piece := await body.read(size + 1 - len(content)):
                content += piece
        except FetchError:
            raise
        except Exception as exc:
            raise FetchError.passing(f"the request failed ({type(exc).__name__})") from None
        finally:
            body.close()
        return bytes(content)

    def _compare(self, tag: str | None) -> None:
        if tag is None and self._is_told:
            self._is_told = False
            self.requests += 1
        elif tag is not None and tag != self._info.get("ETag"):
            raise Changed("its ETag")
