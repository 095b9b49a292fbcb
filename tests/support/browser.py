"""A real browser: headless Chromium through ChromeDriver, with nothing but the standard library.

Debian's packages `chromium` and `chromium-driver`. Where they are missing, tests are skipped, but
never where CI asks for them.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
)
_START = 30.0
"""Seconds for ChromeDriver to answer."""


def need_browser() -> tuple[str, str]:
    """The paths of Chromium and ChromeDriver; skips the test where they are missing."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        reason = "Chromium and ChromeDriver are missing (Debian: chromium, chromium-driver)"
        if os.environ.get("CI") == "true":
            pytest.fail(f"they must be there on CI: {reason}")
        pytest.skip(reason)
    return browser, driver


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser with a profile of its own; it ends with the block."""
    program, driver = need_browser()
    with tempfile.TemporaryDirectory(prefix="pte-lint-chromium-") as profile:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        process = subprocess.Popen(
            [driver, f"--port={port}", "--silent"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield Browser(f"http://127.0.0.1:{port}", program, profile)
        finally:
            process.terminate()
            process.wait(timeout=20)


class Browser:
    """One session. Elements are named by CSS selectors."""

    def __init__(self, base: str, program: str, profile: str) -> None:
        self._wait_for(base)
        chrome = {"binary": program, "args": [*_FLAGS, f"--user-data-dir={profile}"]}
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": chrome,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        made = _ask("POST", f"{base}/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"{base}/session/{made['sessionId']}"

    def close(self) -> None:
        """Ends the session."""
        with suppress(urllib.error.URLError):
            _ask("DELETE", self._session)

    def look(
        self,
        width: int = 1280,
        height: int = 900,
        *,
        dark: bool = False,
        printed: bool = False,
    ) -> None:
        """Sets the window and what the page is told about it."""
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.cdp("Emulation.setEmulatedMedia", media="print" if printed else "", features=[scheme])

    def open(self, path: Path, fragment: str = "") -> float:
        """Loads a file; returns the seconds until it was loaded and laid out."""
        self.messages()
        self.requests()
        start = time.monotonic()
        anchor = f"#{fragment}" if fragment else ""
        _ask("POST", f"{self._session}/url", {"url": f"{path.resolve().as_uri()}{anchor}"})
        self.run("return document.documentElement.getBoundingClientRect().height")
        return time.monotonic() - start

    def run(self, script: str, *args: object) -> Any:
        """Runs a script in the page, as a debugger does, whatever the page's policy."""
        body = {"script": script, "args": list(args)}
        return _ask("POST", f"{self._session}/execute/sync", body)

    def click(self, selector: str) -> None:
        """Clicks the first element that matches; it must be there to be seen."""
        _ask("POST", f"{self._session}/element/{self._element(selector)}/click", {})

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other, wherever the focus is."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        body = {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}
        _ask("POST", f"{self._session}/actions", body)

    def messages(self) -> list[str]:
        """What has been written to the console since the last call: errors, refused loads."""
        return [entry["message"] for entry in self._log("browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last call, but for what was blocked."""
        found: dict[str, str] = {}
        for entry in self._log("performance"):
            message = json.loads(entry["message"])["message"]
            params = message["params"]
            if message["method"] == "Network.requestWillBeSent":
                found[params["requestId"]] = params["request"]["url"]
            elif message["method"] == "Network.loadingFailed" and params.get("blockedReason"):
                found.pop(params["requestId"], None)
        return list(found.values())

    def picture(self, *, full: bool = False) -> bytes:
        """A screenshot as PNG: of the window, or of the whole page."""
        extra: dict[str, Any] = {}
        if full:
            size = self.cdp("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
            extra = {"captureBeyondViewport": True, "clip": clip}
        return base64.b64decode(self.cdp("Page.captureScreenshot", format="png", **extra)["data"])

    def cdp(self, command: str, **params: object) -> Any:
        """A command of the DevTools protocol."""
        body = {"cmd": command, "params": params}
        return _ask("POST", f"{self._session}/goog/cdp/execute", body)

    def _log(self, kind: str) -> Sequence[dict[str, Any]]:
        found: list[dict[str, Any]] = _ask("POST", f"{self._session}/se/log", {"type": kind})
        return found

    def _element(self, selector: str) -> str:
        body = {"using": "css selector", "value": selector}
        found: dict[str, str] = _ask("POST", f"{self._session}/element", body)
        return next(iter(found.values()))

    @staticmethod
    def _wait_for(base: str) -> None:
        deadline = time.monotonic() + _START
        while True:
            try:
                _ask("GET", f"{base}/status")
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
            else:
                return


def _ask(method: str, url: str, body: dict[str, Any] | None = None) -> Any:
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as refused:
        told = json.load(refused)["value"]
        raise AssertionError(f"{told['error']}: {told['message']}") from refused
