"""Tries changes within one pytest session: everything is imported and collected once, then each
change is put into a child process that runs its tests until one fails.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import resource
import select
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pytest

from tests.mutation.changes import Mutant
from tests.mutation.places import ROOT, sources
from tests.mutation.swap import Loaded

_SLOWER = 5
"""A test may take that many times the CPU it takes by itself, and `_SPARE` seconds."""

_SPARE = 4.0
_WAIT = 30
"""Seconds by the clock that a test may wait for others, and four times as long as it may take."""

_MEMORY = 6 << 30


@dataclass(frozen=True)
class Ending:
    """What became of a change.

    Attributes:
        status: killed, survived, or elsewhere: it cannot be tried in a running process.
        by: The test that failed, or was running when the process died or took too long.
        tests: How many tests were run.
    """

    status: str
    by: str = ""
    tests: int = 0


Asked = Sequence[tuple[str, float]]


class Trials:
    """A pytest plugin that tries changes instead of running what is collected."""

    def __init__(
        self,
        asked: Sequence[tuple[Mutant, Asked]],
        done: Callable[[Mutant, Ending], None],
        processes: int,
    ) -> None:
        self._asked = asked
        self._done = done
        self._processes = processes
        self._sound: dict[str, bool] = {}
        self._sources = {m.file: (ROOT / m.file).read_bytes() for m, _ in asked}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for file in sources():
            _load(file)  # all: what is imported in a child is imported again in each
        items = {item.nodeid: item for item in session.items}
        loaded = Loaded()
        gc.freeze()  # so that children share it
        running: dict[int, tuple[_Child, Mutant, Asked]] = {}
        waiting = list(reversed(self._asked))
        while waiting or running:
            while waiting and len(running) < self._processes:
                mutant, asked = waiting.pop()
                sound = [each for each in asked if self._sound.get(each[0], each[0] in items)]
                chosen = [(items[name], seconds) for name, seconds in sound]
                child = _Child(chosen, lambda m=mutant: loaded.swap(m, self._sources[m.file]))
                running[child.pipe] = child, mutant, asked
            for pipe in select.select(list(running), [], [], 1.0)[0] or list(running):
                child, mutant, asked = running[pipe]
                ending = child.ending()
                if ending is None:
                    continue
                del running[pipe]
                if ending.status == "killed" and not self._is_sound(items, ending.by):
                    waiting.append((mutant, asked))
                    continue
                self._done(mutant, ending)
        return True

    def _is_sound(self, items: Mapping[str, pytest.Item], name: str) -> bool:
        """Whether a test passes by itself, without a change."""
        if name not in self._sound:
            child = _Child([(items[name], 10.0)], lambda: True)
            while (ending := child.ending()) is None:
                time.sleep(0.02)
            self._sound[name] = ending.status == "survived"
        return self._sound[name]


def _load(file: str) -> None:
    """Imports a file of the product, where that is possible: some need what is not installed."""
    name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    if not name.endswith("__main__"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name if name.startswith("pte_lint") else f"pte_lint.{name}")


class _Child:
    """A process that runs tests until one fails. It tells which it is at, at the end `passed`."""

    def __init__(
        self, chosen: Sequence[tuple[pytest.Item, float]], prepare: Callable[[], bool]
    ) -> None:
        self.pipe, write = os.pipe()
        self._said = b""
        self._seconds = {item.nodeid: seconds for item, seconds in chosen}
        self._deadline = time.monotonic() + _WAIT
        self._process = os.fork()
        if self._process:
            os.setpgid(self._process, self._process)
            os.close(write)
            os.set_blocking(self.pipe, False)
            return
        try:
            _run(chosen, prepare, write)
        finally:
            os._exit(0)

    def ending(self) -> Ending | None:
        """None while it runs."""
        while True:
            try:
                more = os.read(self.pipe, 65536)
            except BlockingIOError:
                if time.monotonic() < self._deadline:
                    return None
                break
            self._said += more
            at = self._said.decode().split("\n")
            seconds = self._seconds.get(at[-2] if len(at) > 1 else "", 0.0)
            self._deadline = time.monotonic() + _WAIT + 4 * _SLOWER * seconds
            if not more or self._said.endswith((b"passed\n", b"elsewhere\n")):
                break
        os.killpg(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        os.close(self.pipe)
        at = self._said.decode().split("\n")[:-1]
        if at and at[-1] == "passed":
            return Ending("survived", tests=len(at) - 1)
        if not at or at[-1] == "elsewhere":
            return Ending("elsewhere")
        return Ending("killed", at[-1], len(at))


def _run(
    chosen: Sequence[tuple[pytest.Item, float]], prepare: Callable[[], bool], pipe: int
) -> None:
    os.setpgid(0, 0)  # Whichever of the two is first.
    nothing = os.open(os.devnull, os.O_RDWR)
    for each in (0, 1, 2):
        os.dup2(nothing, each)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    if not prepare():
        os.write(pipe, b"elsewhere\n")
        return
    watch = _Watch()
    for at, (item, seconds) in enumerate(chosen):
        os.write(pipe, f"{item.nodeid}\n".encode())
        limit = int(time.process_time() + _SPARE + _SLOWER * seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        following = chosen[at + 1][0] if at + 1 < len(chosen) else None
        manager = item.config.pluginmanager
        if at == 0:
            manager.register(watch)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if watch.failed:
            return
    os.write(pipe, b"passed\n")


class _Watch:
    failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed
