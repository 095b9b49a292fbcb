"""What long work says before it starts, to whoever waits for it.

The library prints nothing: unless somebody listens, as the command line does, nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_LISTENER: Final[ContextVar[Callable[[str], None] | None]] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Has `listener` called with each notice while the block runs."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def notice(text: str) -> None:
    """Says something, one sentence or two without a full stop at the end."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(text)
