"""Ranges over HTTP, with fsspec's session and settings, and our own eye on every answer.

fsspec's own reading of a range keeps whatever comes back. Here an answer must be the range asked
for (RFC 9110, 14.4: Content-Range) of the same version as before (ETag, Last-Modified, size), and
nothing else is read: a server that ignores ranges must not send a whole file of weights.
"""

from __future__ import annotations

import re
from typing import Any, Final

from pte_lint.remote.caps import Caps
from pte_lint.remote.file_systems import load
from pte_lint.remote.http_errors import explain, explain_status
from pte_lint.remote.origin import Changed, FetchError
from pte_lint.schema import limits

_RANGE: Final = re.compile(r"bytes\s+(\d{1,18})-(\d{1,18})/(\d{1,18})", re.ASCII)
_NO_RANGE: Final = re.compile(r"bytes\s+\*/(\d{1,18})", re.ASCII)
_PIECE: Final = 1 << 16

_SPELT_OUT: Final = re.compile(r"(?:[\w\-.~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*", re.ASCII)
"""An address that needs no more escapes (RFC 3986)."""


class HttpOrigin:
    """A file behind http:// or https://."""

    def __init__(self, file_system: Any, address: str, caps: Caps) -> None:
        """Asks nothing yet.

        Args:
            file_system: fsspec's HTTPFileSystem, for its event loop, session and request options.
            address: what to ask for, secrets included.
            caps: for the timeout.
        """
        self._fs = file_system
        self._address = address
        self._caps = caps
        self._tags: tuple[str | None, str | None] | None = None
        self.size: int | None = None
        self.requests = 0

    def get(self, start: int, stop: int) -> bytes:
        """Fetches one range; see `Origin.get`."""
        content: bytes = load("fsspec.asyn").sync(self._fs.loop, self._get, start, stop)
        return content

    def verify(self) -> None:
        """Every answer was compared with the first one."""

    async def _get(self, start: int, stop: int) -> bytes:
        aiohttp = load("aiohttp")
        options = dict(self._fs.kwargs)
        headers = {
            **options.pop("headers", {}),
            "Range": f"bytes={start}-{stop - 1}",
            "Accept-Encoding": "identity",
        }
        wait = self._caps.timeout
        options |= {
            "headers": headers,
            "max_redirects": limits.FETCH_REDIRECTS + 1,
            "timeout": aiohttp.ClientTimeout(
                total=wait + (stop - start) / limits.FETCH_LEAST_RATE,
                sock_connect=wait,
                sock_read=wait,
            ),
        }
        try:
            session = await self._fs.set_session()
            async with session.get(self._url(), **options) as answer:
                self.requests += 1 + len(answer.history)
                return await self._read(answer, start, stop)
        except FetchError:
            raise
        except Exception as exc:
            raise FetchError(explain(exc, wait)) from None

    def _url(self) -> Any:
        """The address as it was given: a signature may be about every escape in it."""
        if _SPELT_OUT.fullmatch(self._address):
            return load("yarl").URL(self._address, encoded=True)
        return self._fs.encode_url(self._address)

    async def _read(self, answer: Any, start: int, stop: int) -> bytes:
        hops = [step.url.scheme for step in answer.history] + [answer.url.scheme]
        if "https" in hops and "http" in hops[hops.index("https") :]:
            raise FetchError("the server redirects from https to http, which anyone can change")
        if answer.status == 416:
            return self._beyond(answer, start)
        if answer.status not in (200, 206):
            raise FetchError(explain_status(answer.status))
        if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise FetchError("the server compresses its answers, so they have no byte positions")
        if answer.status == 200:
            return await self._whole(answer, start, stop)
        given = _RANGE.fullmatch(answer.headers.get("Content-Range", "").strip())
        if given is None:
            raise FetchError("the server's answer does not say which bytes it holds")
        first, last, size = (int(number) for number in given.groups())
        self._compare(answer, size)
        if first != start or last + 1 != min(stop, size):
            raise FetchError(
                f"asked for bytes {start} to {min(stop, size) - 1}, the server gives {first} to "
                f"{last}"
            )
        return await _body(answer, last + 1 - first)

    async def _whole(self, answer: Any, start: int, stop: int) -> bytes:
        """The server ignores ranges: that is fine where a range is all there is."""
        told = answer.headers.get("Content-Length", "")
        size = int(told) if told.isdecimal() else None
        if start > 0 or size is None or size > stop:
            whole = "the whole file" if size is None else f"all {size} bytes"
            raise FetchError(
                f"the server ignores range requests: it would send {whole}. Download the file and "
                "check the copy"
            )
        self._compare(answer, size)
        return await _body(answer, size)

    def _beyond(self, answer: Any, start: int) -> bytes:
        """The range begins at or after the end: of an empty file every range does."""
        given = _NO_RANGE.fullmatch(answer.headers.get("Content-Range", "").strip())
        if start == 0 and given is not None and int(given[1]) == 0:
            self._compare(answer, 0)
            return b""
        if start == 0:
            raise FetchError("the server refuses the first bytes (HTTP 416)")
        raise Changed("its size")

    def _compare(self, answer: Any, size: int) -> None:
        tags = answer.headers.get("ETag"), answer.headers.get("Last-Modified")
        if self._tags is None:
            self.size, self._tags = size, tags
        if size != self.size:
            raise Changed("its size")
        if tags[0] != self._tags[0]:
            raise Changed("its ETag")
        if tags != self._tags:
            raise Changed("its date")


async def _body(answer: Any, size: int) -> bytes:
    content = bytearray()
    async for piece in answer.content.iter_chunked(_PIECE):
        content += piece
        if len(content) > size:
            raise FetchError(f"the server sends more than the {size} bytes that it announces")
    if len(content) < size:
        raise FetchError(f"the connection ended after {len(content)} of {size} bytes")
    return bytes(content)
