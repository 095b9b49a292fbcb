"""One line on stderr that says what is being done: on a terminal, and for long work only."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from pte_lint.clock import Clock, run_clock, running

_T = TypeVar("_T")


def is_shown(quiet: bool = False) -> bool:
    """True when somebody is there to look at it."""
    return not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def tracked(
    results: Iterable[_T], names: Sequence[str], total: int, quiet: bool = False
) -> Iterator[_T]:
    """Passes results on while the line counts them; see `Display` for names and total."""
    if not is_shown(quiet):
        yield from results
        return
    from pte_lint.cli.progress_line import Display

    with Display(names, total, running() or Clock(), sys.stderr) as display:
        for result in results:
            display.done += 1
            yield result


@contextmanager
def showing(*names: str) -> Iterator[None]:
    """Shows the line while the block works on artifacts all at once."""
    if not is_shown():
        yield
        return
    from pte_lint.cli.progress_line import Display

    clock = Clock()
    with run_clock(clock), Display(names, 1, clock, sys.stderr):
        yield
