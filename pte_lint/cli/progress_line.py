"""The line itself, redrawn from a thread of its own: work on one file may take long."""

from __future__ import annotations

from collections.abc import Sequence
from shutil import get_terminal_size
from threading import Event, Thread
from time import monotonic
from typing import Final, TextIO

from pte_lint.clock import Clock
from pte_lint.text import sanitise

DELAY: Final = 1.0
"""Seconds of work before anything is shown."""

INTERVAL: Final = 0.2
"""Seconds between two looks."""


class Display:
    """Shows the line for as long as the block lasts, and wipes it."""

    def __init__(self, names: Sequence[str], total: int, clock: Clock, stream: TextIO) -> None:
        """Shows nothing yet.

        Args:
            names: the artifacts in the order in which they are worked on; empty where several
                processes do.
            total: how many artifacts there are; 0: nobody knows yet.
            clock: knows what is going on.
            stream: the terminal.
        """
        self.done = 0
        self._began = monotonic()
        self._names = names
        self._total = total
        self._clock = clock
        self._stream = stream
        self._stop = Event()
        self._thread = Thread(target=self._draw, daemon=True)

    def __enter__(self) -> Display:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def text(self) -> str:
        """What the line says now."""
        said = "working"
        if self._total == 0:
            seconds = max(monotonic() - self._began, DELAY)
            said = f"{self.done} files done, {self.done / seconds:.0f} a second"
        elif self._total > 1:
            said = f"{self.done} of {self._total} files done"
        if self.done < len(self._names):
            said += f": {sanitise.name(self._names[self.done], sanitise.EXACT_LIMIT)}"
        now = self._clock.now
        return f"{said} ({now})" if now else said

    def _draw(self) -> None:
        if self._stop.wait(DELAY):
            return
        while not self._stop.wait(INTERVAL):
            self._write(self.text())
        self._write("")
        self._stream.write("\r")
        self._stream.flush()

    def _write(self, text: str) -> None:
        # Spaces erase what was longer, on every terminal.
        width = max(20, get_terminal_size().columns - 1)
        encoding = self._stream.encoding or "ascii"
        shown = text.encode(encoding, "backslashreplace").decode(encoding)[:width]
        self._stream.write(f"\r{shown.ljust(width)}")
        self._stream.flush()
