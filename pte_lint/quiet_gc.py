"""Keeps the cyclic garbage collector out of the way while a program is decoded and judged.

A program of 100,000 instructions is close to a million small objects that all live until the
report is made and form no cycles; the collector would look at all of them again and again, which
makes reading several times slower and worse than linear.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pauses automatic collection, and resumes it only if it was on before."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
