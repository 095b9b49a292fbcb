"""Runs pte-lint in processes of its own, whether it is installed or a checkout."""

from __future__ import annotations

import os
from importlib.metadata import entry_points
from pathlib import Path

import pte_lint


def is_installed() -> bool:
    """True when pip knows the package, so that its entry points work."""
    return any(point.name == "pte-lint" for point in entry_points(group="pytest11"))


def python_path() -> str:
    """PYTHONPATH for a child, with the checkout first when the package is not installed."""
    known = os.environ.get("PYTHONPATH", "")
    if is_installed():
        return known
    assert pte_lint.__file__ is not None
    return os.pathsep.join(filter(None, [str(Path(pte_lint.__file__).parents[1]), known]))


def environment(**extra: str) -> dict[str, str]:
    """This process's environment for a child that imports pte_lint."""
    return {**os.environ, "PYTHONPATH": python_path(), **extra}
