"""A server on this machine that serves one file by ranges, counts what it sends, and misbehaves."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Protocol

import pytest


def need_fsspec() -> None:
    """Skips a module where fsspec or its HTTP client is missing, but never where CI asks for it."""
    try:
        import fsspec.implementations.http  # noqa: F401
    except ImportError as missing:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"the extra remote is not installed: {missing}", allow_module_level=True)


Read = Callable[[int, int], bytes]
"""Gives the bytes from a start to a stop: a file need not be in memory, nor exist."""


class Behave(Protocol):
    """Answers a request instead of the server; False leaves it to the server."""

    def __call__(self, request: Request) -> bool:
        """Answers `request`."""
        ...


@dataclass
class Served:
    """One file on a server, and what was asked of it."""

    size: int
    read: Read
    etag: str | None = '"one"'
    behave: Behave | None = None
    address: str = ""
    ranges: list[tuple[int, int]] = field(default_factory=list)
    requests: int = 0
    sent: int = 0
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, content: bytes, **extra: object) -> Served:
        """A file that is in memory."""
        return cls(len(content), lambda start, stop: content[start:stop], **extra)  # type: ignore[arg-type]


class Request(BaseHTTPRequestHandler):
    """One request; `served` is the file that it is about."""

    served: Served
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answers with the range asked for."""
        self.served.requests += 1
        self.served.headers.append(dict(self.headers.items()))
        self.served.paths.append(self.path)
        if self.served.behave is not None and self.served.behave(self):
            return
        self.give(*self.asked())

    def asked(self) -> tuple[int, int]:
        """The range asked for: start and stop, cut to the file."""
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        assert found is not None, self.headers.get("Range")
        start, stop = int(found[1]), min(int(found[2]) + 1, self.served.size)
        self.served.ranges.append((start, stop))
        return start, stop

    def give(self, start: int, stop: int, **changes: str) -> None:
        """Sends a range as a good server does, but for the headers named in `changes`."""
        if start >= self.served.size:
            self.refuse(416, Content_Range=f"bytes */{self.served.size}")
            return
        content = self.served.read(start, stop)
        headers = {
            "Content_Range": f"bytes {start}-{stop - 1}/{self.served.size}",
            "Content_Length": str(len(content)),
            **changes,
        }
        if self.served.etag is not None:
            headers.setdefault("ETag", self.served.etag)
        self.start(206, headers)
        self.body(content)

    def refuse(self, status: int, **headers: str) -> None:
        """Sends a status without a body."""
        self.start(status, {"Content_Length": "0", **headers})

    def start(self, status: int, headers: dict[str, str]) -> None:
        """Sends the status line and headers; underscores stand for dashes."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def body(self, content: bytes) -> None:
        """Sends bytes, and counts them."""
        self.served.sent += len(content)
        try:
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def serving(served: Served, path: str = "/model.pte") -> Iterator[Served]:
    """Serves a file for the length of the block, at `served.address`."""
    handler = type("Handler", (Request,), {"served": served})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        served.address = f"http://127.0.0.1:{server.server_address[1]}{path}"
        yield served
    finally:
        server.shutdown()
        server.server_close()
