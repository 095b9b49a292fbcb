"""Imports flatbuffers as if numpy was not installed, which takes a small part of the time.

Its builder looks for numpy to write arrays of it, which nothing here does, and a small program is
repaired in the time that importing numpy takes. For commands alone: whoever calls pte-lint from a
program of their own may want both.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from typing import Any


def import_flatbuffers() -> None:
    """Imports the package, unless it or numpy is there already."""
    if "numpy" in sys.modules or "flatbuffers" in sys.modules:
        return
    find_spec = PathFinder.find_spec

    def without_numpy(name: str, *where: Any) -> Any:
        return None if name == "numpy" else find_spec(name, *where)

    # What `flatbuffers.compat.import_numpy` asks.
    PathFinder.find_spec = without_numpy  # type: ignore[method-assign, assignment]
    try:
        import flatbuffers  # type: ignore[import-untyped]  # noqa: F401 - for its place among modules
    finally:
        PathFinder.find_spec = find_spec  # type: ignore[method-assign]
