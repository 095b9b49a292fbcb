"""The files that a page of links names, and the pages below it.

Only what lies below the page's own folder on its own host counts: a page of strangers may link to
anything. A redirection of a page leads nowhere else either.
"""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any, Final
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from pte_lint.files.remote.address import shown
from pte_lint.files.remote.allowance import is_allowed
from pte_lint.files.remote.credentials import Credentials
from pte_lint.files.remote.file_systems import load
from pte_lint.files.remote.found import Found
from pte_lint.files.remote.http_errors import BUSY, explain, explain_status, is_passing, seconds
from pte_lint.files.remote.origin import FetchError
from pte_lint.files.remote.patience import patiently
from pte_lint.files.walking import Names

PAGE_BYTES: Final = 16 << 20
_PAGES: Final = 100_000
_DEPTH: Final = 64
_REDIRECTS: Final = (301, 302, 303, 307, 308)


def indexed(
    system: Any, address: str, names: Names, timeout: float, *, deep: bool
) -> Iterator[Found]:
    """The files below the folder of a page, each with its size and state where the server tells.

    Raises:
        FetchError: the page cannot be had; also one below it.
    """
    page = urldefrag(address).url
    top = page.partition("?")[0].rpartition("/")[0] + "/"
    client = _Client(system, address, top, timeout)
    waiting, seen = [(page, 0)], {page}
    while waiting:
        here, depth = waiting.pop()
        deeper = []
        for link in client.links(here):
            names.count()
            where = _joined(here, link)
            if where in seen or "?" in where or not is_allowed(where, [shown(top)]):
                continue
            if where.endswith("/"):
                if deep and depth < _DEPTH and len(seen) < _PAGES:
                    seen.add(where)
                    deeper.append((where, depth + 1))
                continue
            where = top + where[len(shown(top)) :] if where.startswith(shown(top)) else where
            inside = unquote(urlsplit(where).path[len(urlsplit(top).path) :])
            yield Found(where, shown(where), inside, *client.state(where))
        waiting += reversed(deeper)


def _joined(page: str, link: str) -> str:
    """Where a link leads; empty for what is no address."""
    try:
        return urljoin(page, link)
    except ValueError:
        return ""


class _Links(HTMLParser):
    """The links of a page, each once."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, None] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs if tag == "a" else ():
            if key == "href" and value:
                self.found[value.strip().partition("#")[0]] = None


class _Client:
    """Asks one host, with what is meant for it."""

    def __init__(self, system: Any, address: str, top: str, timeout: float) -> None:
        self._fs = system
        self._credentials = Credentials(system, address)
        self._top = top
        self._timeout = timeout

    def links(self, page: str) -> list[str]:
        """What a page links to, each once."""
        parser = _Links()
        content, _ = patiently(lambda: self._sync("GET", page))
        parser.feed(content.decode("utf-8", "replace"))
        return list(parser.found)

    def state(self, file: str) -> tuple[int | None, str | None]:
        """Size and state of a file; a server that does not tell is asked again when it is read."""
        try:
            _, headers = patiently(lambda: self._sync("HEAD", file))
        except FetchError:
            return None, None
        length = headers.get("Content-Length", "")
        size = int(length) if length.isascii() and length.isdecimal() and len(length) < 19 else None
        return size, headers.get("ETag") or headers.get("Last-Modified")

    def _sync(self, method: str, url: str) -> tuple[bytes, Any]:
        answer: tuple[bytes, Any] = load("fsspec.asyn").sync(self._fs.loop, self._ask, method, url)
        return answer

    async def _ask(self, method: str, address: str) -> tuple[bytes, Any]:
        url = load("yarl").URL(address, encoded=True)
        timeout = load("aiohttp").ClientTimeout(total=2 * self._timeout, sock_read=self._timeout)
        try:
            session, options = await self._credentials.session(url, True)
            options |= {"timeout": timeout, "allow_redirects": False}
            async with session.request(method, url, **options) as answer:
                if answer.status in _REDIRECTS and method == "GET":
                    raise FetchError("the page is elsewhere: give its own address")
                if answer.status != 200:
                    kind = FetchError(explain_status(answer.status))
                    if answer.status in BUSY:
                        kind.again = seconds(answer.headers.get("Retry-After", ""))
                    raise kind
                return await _content(answer) if method == "GET" else b"", answer.headers
        except FetchError:
            raise
        except Exception as exc:
            error = FetchError(explain(exc, self._timeout))
            error.again = 0.0 if is_passing(exc) else None
            raise error from None


async def _content(answer: Any) -> bytes:
    content = bytearray()
    async for piece in answer.content.iter_chunked(1 << 16):
        content += piece
        if len(content) > PAGE_BYTES:
            raise FetchError(f"the page has more than {PAGE_BYTES} bytes")
    return bytes(content)
