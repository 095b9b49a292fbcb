"""A progress bar, on a terminal and for many artifacts only."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

_T = TypeVar("_T")

MANY: Final = 8
"""Artifacts from which on it is worth a bar (and the import of rich)."""


def tracked(results: Iterable[_T], total: int, quiet: bool) -> Iterator[_T]:
    """Passes results on while a bar on stderr counts them."""
    if quiet or total < MANY or not sys.stderr.isatty():
        yield from results
        return
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(results, "checking", total=total, console=console, transient=True)
