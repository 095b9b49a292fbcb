"""Where the time goes: own seconds by stage, analysis and rule, and what is being done right now.

Nothing is timed unless somebody runs a clock. The time inside of something that is timed itself (an
analysis that a rule is the first to ask for, a fetch while reading) counts for that alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from time import perf_counter, time_ns
from typing import Any, Final, TypeVar

_T = TypeVar("_T")

Key = tuple[str, str]
"""What is timed: `stage`, `analysis` or `rule`, and its name."""

Seconds = Mapping[Key, float]
"""Own seconds by key."""

STARTED: Final = time_ns()
"""When the program began, or nearly: in nanoseconds, by the clock that files are dated with."""

STAGE: Final = "stage"
ANALYSIS: Final = "analysis"
RULE: Final = "rule"


class Clock:
    """Adds up own times. One thread at a time; others may read `now`."""

    def __init__(self) -> None:
        """Starts at nothing."""
        self.seconds: dict[Key, float] = {}
        self.now = ""
        """The name of the innermost thing that is going on."""
        self._open: list[tuple[Key, float]] = []

    @contextmanager
    def timing(self, kind: str, name: str) -> Iterator[None]:
        """Times the block as `name`, and stops the time of what is around it."""
        self._charge()
        self._open.append(((kind, name), perf_counter()))
        self.now = name
        try:
            yield
        finally:
            self._charge()
            self._open.pop()
            self.now = self._open[-1][0][1] if self._open else ""

    def take(self) -> Seconds:
        """Returns what was added up, and starts at nothing."""
        taken, self.seconds = self.seconds, {}
        return taken

    def add(self, seconds: Seconds) -> None:
        """Adds what another process took."""
        for key, own in seconds.items():
            self.seconds[key] = self.seconds.get(key, 0.0) + own

    def _charge(self) -> None:
        """Charges the time since the last change to the innermost one."""
        now = perf_counter()
        if self._open:
            key, since = self._open[-1]
            self.seconds[key] = self.seconds.get(key, 0.0) + now - since
            # Whoever continues does so from here on.
            if len(self._open) > 1:
                self._open[-2] = (self._open[-2][0], now)
            self._open[-1] = (key, now)


_running: ContextVar[Clock | None] = ContextVar("running", default=None)


def running() -> Clock | None:
    """The clock of this thread, if anything is timed."""
    return _running.get()


@contextmanager
def run_clock(clock: Clock | None) -> Iterator[None]:
    """Lets `clock` time what goes on inside the block; None times nothing."""
    before = _running.set(clock)
    try:
        yield
    finally:
        _running.reset(before)


@contextmanager
def timed(kind: str, name: str) -> Iterator[None]:
    """Times the block if a clock runs."""
    clock = _running.get()
    if clock is None:
        yield
        return
    with clock.timing(kind, name):
        yield


def timed_property(function: Callable[[Any], _T]) -> cached_property[_T]:
    """A `cached_property` whose making is timed as an analysis."""

    def make(owner: Any) -> _T:
        with timed(ANALYSIS, function.__name__):
            return function(owner)

    make.__doc__ = function.__doc__
    return cached_property(make)
