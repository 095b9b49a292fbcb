"""Runs pte-lint in processes of its own, whether it is installed or a checkout."""

from __future__ import annotations

import os
from importlib.metadata import entry_points
from pathlib import Path

import pte_lint


def is_installed() -> bool:
    """True when pip knows the package, so that its entry points work."""
    return any(point.name == "pte-lint" for point in entry_points(group="pytest11"))


def import_path() -> str | None:
    """The folder that a child needs in PYTHONPATH; None when the package is installed."""
    if is_installed():
        return None
    assert pte_lint.__file__ is not None
    return str(Path(pte_lint.__file__).parents[1])


def environment(**extra: str) -> dict[str, str]:
    """This process's environment for a child that imports pte_lint."""
    path = import_path()
    found = {**os.environ, **extra}
    if path is not None:
        found["PYTHONPATH"] = path
    return found
