"""What a request over HTTP may carry besides the question: only what was set for its host.

fsspec's configuration knows headers, cookies and the like by protocol, not by host: as they are,
every server that an address or a redirection leads to would get them. Here they go to the hosts
that `PTE_LINT_HEADERS_FOR` names, on the way that the command line chose, and to nobody else.
"""

from __future__ import annotations

import os
import urllib.request
import weakref
from typing import Any, Final

from pte_lint.files.remote.address import Anonymous
from pte_lint.files.remote.allowance import origin
from pte_lint.files.remote.file_systems import load

VARIABLE: Final = "PTE_LINT_HEADERS_FOR"
"""The environment variable with hosts (`https://models.example.org`), separated by blanks."""

_OF_THE_SESSION: Final = ("proxy", "proxy_auth", "read_bufsize", "max_line_size", "max_field_size")
_OF_A_REQUEST: Final = ("proxy", "proxy_auth", "proxy_headers", "ssl")
"""Options that say how to reach a host, and tell it nothing. All others may hold secrets."""


class Credentials:
    """Sessions and options for the steps of requests that begin at one address."""

    def __init__(self, file_system: Any, address: str) -> None:
        """Makes nothing yet.

        Args:
            file_system: fsspec's HTTPFileSystem, with its configuration.
            address: what is asked for; an `Anonymous` one carries only what stands in itself.
        """
        self._fs = file_system
        self._is_trusted = not isinstance(address, Anonymous)
        self._sessions: dict[str, Any] = {}

    async def session(self, url: Any, is_home: bool) -> tuple[Any, dict[str, Any]]:
        """The session and the options of a request.

        Args:
            url: what is asked (a yarl.URL).
            is_home: whether no redirection has led away from the first host.
        """
        if is_home and self.is_set_for(url):
            return await self._session("all"), self._all(url)
        options = {k: v for k, v in self._fs.kwargs.items() if k in _OF_A_REQUEST}
        if is_home and self._is_trusted:
            return await self._session("host"), options
        # Asking for what the environment says of proxies also sends passwords of ~/.netrc.
        if self._fs.client_kwargs.get("trust_env"):
            options.setdefault("proxy", _proxy(url))
        return await self._session("none"), options

    def is_set_for(self, url: Any) -> bool:
        """Whether the configured headers and cookies are meant for a host."""
        named = {origin(each) for each in os.environ.get(VARIABLE, "").split()} - {None}
        return self._is_trusted and origin(str(url.origin())) in named

    def hint(self, url: Any) -> str:
        """What to say when a host wants credentials and there are some that it did not get."""
        kept = set(self._fs.kwargs) - set(_OF_A_REQUEST)
        kept |= set(self._fs.client_kwargs) - {*_OF_THE_SESSION, "trust_env"}
        if not kept or not self._is_trusted or self.is_set_for(url):
            return ""
        return f"; what fsspec's configuration sends goes only to hosts that {VARIABLE} names"

    def _all(self, url: Any) -> dict[str, Any]:
        options = dict(self._fs.kwargs)
        if url.user is not None:
            # What stands in the address is meant; both together are an error.
            options["headers"] = {
                name: value
                for name, value in options.get("headers", {}).items()
                if name.lower() != "authorization"
            }
        # Not in the session: it has no place for cookies.
        if "cookies" in self._fs.client_kwargs:
            options["cookies"] = {**self._fs.client_kwargs["cookies"], **options.get("cookies", {})}
        return options

    async def _session(self, kind: str) -> Any:
        known = self._sessions.get(kind)
        if known is None:
            given = {k: v for k, v in self._fs.client_kwargs.items() if k != "cookies"}
            if kind != "all":
                keep = (*_OF_THE_SESSION, "trust_env") if kind == "host" else _OF_THE_SESSION
                given = {k: v for k, v in given.items() if k in keep}
            # Cookies that servers set are known by host alone, whatever the port.
            given["cookie_jar"] = load("aiohttp").DummyCookieJar()
            known = await self._fs.get_client(loop=self._fs.loop, **given)
            weakref.finalize(self, self._fs.close_session, self._fs.loop, known)
            self._sessions[kind] = known
        return known


def _proxy(url: Any) -> str | None:
    """The proxy that the environment names for a host."""
    if urllib.request.proxy_bypass(url.host):
        return None
    return urllib.request.getproxies().get(url.scheme)
