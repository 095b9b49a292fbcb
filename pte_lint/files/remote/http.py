"""Ranges over HTTP, with fsspec's session and settings, and our own eye on every answer.

fsspec's own reading of a range keeps whatever comes back. Here an answer must be the range asked
for (RFC 9110, 14.4: Content-Range) of the same version as before (ETag, Last-Modified, size), and
nothing else is read: a server that ignores ranges must not send a whole file of weights.

Redirections are followed here, so that every step asks with what is meant for its host.
"""

from __future__ import annotations

import re
from typing import Any, Final

from pte_lint.files.remote.caps import Caps
from pte_lint.files.remote.credentials import Credentials
from pte_lint.files.remote.file_systems import load
from pte_lint.files.remote.http_errors import BUSY, explain, explain_status, is_passing, seconds
from pte_lint.files.remote.origin import Changed, FetchError
from pte_lint.schema import limits

_RANGE: Final = re.compile(r"bytes\s+(\d{1,18})-(\d{1,18})/(\d{1,18})", re.ASCII)
_NO_RANGE: Final = re.compile(r"bytes\s+\*/(\d{1,18})", re.ASCII)
_PIECE: Final = 1 << 16

_SPELT_OUT: Final = re.compile(r"(?:[\w\-.~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*", re.ASCII)
"""An address that needs no more escapes (RFC 3986)."""


_MOVED: Final = (301, 302, 303, 307, 308)


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
        self._credentials = Credentials(file_system, address)
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
        wait = self._caps.timeout
        timeout = aiohttp.ClientTimeout(
            total=wait + (stop - start) / limits.FETCH_LEAST_RATE,
            sock_connect=wait,
            sock_read=wait,
        )
        asked = {"Range": f"bytes={start}-{stop - 1}", "Accept-Encoding": "identity"}
        url, is_home = self._url(), True
        try:
            for _ in range(limits.FETCH_REDIRECTS + 1):
                session, options = await self._credentials.session(url, is_home)
                headers = {**options.pop("headers", {}), **asked}
                options |= {"headers": headers, "timeout": timeout, "allow_redirects": False}
                async with session.get(url, **options) as answer:
                    self.requests += 1
                    if answer.status not in _MOVED:
                        return await self._read(answer, start, stop)
                    onward = _onward(url, answer.headers.get("Location", ""))
                # What has left its host does not get back what it left there.
                is_home = is_home and onward.origin() == url.origin()
                url = onward if is_home else onward.with_user(None)
        except FetchError:
            raise
        except Exception as exc:
            kind = FetchError.passing if is_passing(exc) else FetchError
            raise kind(explain(exc, wait)) from None
        raise FetchError("the server redirects too often")

    def _url(self) -> Any:
        """The address as it was given: a signature may be about every escape in it."""
        if _SPELT_OUT.fullmatch(self._address):
            return load("yarl").URL(self._address, encoded=True)
        return self._fs.encode_url(self._address)

    async def _read(self, answer: Any, start: int, stop: int) -> bytes:
        if answer.status == 416:
            return self._beyond(answer, start)
        if answer.status not in (200, 206):
            hint = self._credentials.hint(answer.url) if answer.status in (401, 403) else ""
            text = explain_status(answer.status) + hint
            if answer.status in BUSY:
                raise FetchError.passing(text, seconds(answer.headers.get("Retry-After", "")))
            raise FetchError(text)
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


def _onward(url: Any, location: str) -> Any:
    """Where a redirection leads, with user and password of `url` where it stays on its host.

    Raises:
        FetchError: to nothing that may be asked.
    """
    try:
        onward = url.join(load("yarl").URL(location)) if location else None
        if onward is None or (onward.scheme in ("http", "https") and not onward.host):
            raise ValueError
    except ValueError:
        raise FetchError("the server redirects to what is no address") from None
    if onward.scheme not in ("http", "https"):
        raise FetchError("the server redirects to something else than HTTP")
    if url.scheme == "https" and onward.scheme == "http":
        raise FetchError("the server redirects from https to http, which anyone can change")
    if onward.origin() == url.origin():
        return onward.with_user(url.user).with_password(url.password)
    return onward


async def _body(answer: Any, size: int) -> bytes:
    content = bytearray()
    async for piece in answer.content.iter_chunked(_PIECE):
        content += piece
        if len(content) > size:
            raise FetchError(f"the server sends more than the {size} bytes that it announces")
    if len(content) < size:
        raise FetchError.passing(f"the connection ended after {len(content)} of {size} bytes")
    return bytes(content)
