"""A server on this machine that serves files below pages of links, by ranges."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """What is served, by path, and what was asked."""

    files: dict[str, bytes]
    pages: dict[str, str] = field(default_factory=dict)
    address: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Method and path."""
    headers: list[dict[str, str]] = field(default_factory=list)
    behave: Callable[[BaseHTTPRequestHandler], bool] | None = None
    """Answers in place of the server; False leaves it to the server."""


@contextmanager
def site(of: Site) -> Iterator[Site]:
    """Serves while the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.answer(is_wanted=True)

        def do_HEAD(self) -> None:
            self.answer(is_wanted=False)

        def answer(self, is_wanted: bool) -> None:
            of.asked.append((self.command, self.path))
            of.headers.append(dict(self.headers.items()))
            if of.behave is not None and of.behave(self):
                return
            path = self.path.partition("?")[0]
            if path in of.pages:
                self.give(200, of.pages[path].encode(), is_wanted)
                return
            content = of.files.get(path)
            if content is None:
                self.give(404, b"", is_wanted)
                return
            headers = {"ETag": f'"{hashlib.md5(content).hexdigest()}"'}
            found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
            if found is None:
                self.give(200, content, is_wanted, headers)
                return
            start, stop = int(found[1]), min(int(found[2]) + 1, len(content))
            headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(content)}"
            self.give(206, content[start:stop], is_wanted, headers)

        def give(
            self,
            status: int,
            content: bytes,
            is_wanted: bool,
            headers: dict[str, str] | None = None,
        ) -> None:
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if is_wanted:
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    of.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield of
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
