"""A pytest plugin that writes down which test runs which line of the product, and for how long.

Each process writes one file `coverage/*.json` when it ends: `tests` is a list of [node id, seconds
of CPU with its child processes, lines run], `lines` gives for each file and line the numbers of the
tests that ran it, as the bits of a compressed number. What a child process runs is not seen. A test
that failed is left out.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import time
import zlib
from collections.abc import Generator
from types import CodeType, FrameType
from typing import Any

import pytest

from tests.mutation.places import KEPT, PACKAGES, ROOT

FOLDER = KEPT / "coverage"

_TOOL = 4  # sys.monitoring: no profiler, debugger or coverage has this number.
_OURS = tuple(f"{ROOT / each}{os.sep}" for each in PACKAGES)


def cpu_seconds() -> float:
    """What this process and its children that ended have used."""
    return sum(os.times()[:4])


class Recorder:
    """Follows one test after the other."""

    def __init__(self) -> None:
        self._tests: list[tuple[str, float, int]] = []
        self._ran: dict[tuple[str, int], bytearray] = {}
        self._now: set[tuple[str, int]] = set()
        self._failed = False
        if sys.version_info >= (3, 12):
            monitoring = sys.monitoring
            monitoring.use_tool_id(_TOOL, "mutation")
            monitoring.register_callback(_TOOL, monitoring.events.LINE, self._line)
            monitoring.set_events(_TOOL, monitoring.events.LINE)

    def _line(self, code: CodeType, line: int) -> Any:
        if code.co_filename.startswith(_OURS):
            self._now.add((code.co_filename, line))
        return sys.monitoring.DISABLE if sys.version_info >= (3, 12) else None

    def _trace(self, frame: FrameType, event: str, _: object) -> Any:
        """The slow way of old Pythons: called for every line, each time."""
        if not frame.f_code.co_filename.startswith(_OURS):
            return None
        if event == "line":
            self._line(frame.f_code, frame.f_lineno)
        return self._trace

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self._now.clear()
        self._failed = False
        if sys.version_info >= (3, 12):
            sys.monitoring.restart_events()
        else:
            sys.settrace(self._trace)
        start = cpu_seconds()
        done = yield
        if not self._failed:
            number = len(self._tests)
            seconds = round(cpu_seconds() - start, 3)
            self._tests.append((item.nodeid, seconds, len(self._now)))
            for place in self._now:
                bits = self._ran.setdefault(place, bytearray())
                bits.extend(bytes(number // 8 + 1 - len(bits)))
                bits[number // 8] |= 1 << number % 8
        return done

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed |= not report.passed

    def pytest_sessionfinish(self) -> None:
        if sys.version_info >= (3, 12):
            sys.monitoring.set_events(_TOOL, sys.monitoring.events.NO_EVENTS)
        lines: dict[str, dict[int, str]] = {}
        for (path, line), bits in self._ran.items():
            packed = base64.b85encode(zlib.compress(bytes(bits))).decode()
            lines.setdefault(os.path.relpath(path, ROOT), {})[line] = packed
        if self._tests:
            FOLDER.mkdir(parents=True, exist_ok=True)
            name = f"{time.time_ns()}-{os.getpid()}.json"
            (FOLDER / name).write_text(json.dumps({"tests": self._tests, "lines": lines}), "utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Starts where tests run: not in the process that only hands them out."""
    if hasattr(config, "workerinput") or not getattr(config.option, "numprocesses", None):
        config.pluginmanager.register(Recorder())
