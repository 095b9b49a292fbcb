"""The built-in remedies, with the fixers that are installed."""

from __future__ import annotations

from importlib import import_module

from pte_lint.fix.counterfactual import Remedies
from pte_lint.fix.fixers import load_fixers

_UNDOING = "pte_lint.rules.fixes.undoing"
_IDLE = "pte_lint.rules.fixes.idle"


def load_remedies(isolated: bool = False) -> Remedies:
    """Loads what takes findings away.

    Args:
        isolated: only the built-in fixers, whatever else is installed.

    Raises:
        FixerLoadError: a package's fixers cannot be loaded.
    """
    undoing, idle = import_module(_UNDOING), import_module(_IDLE)
    fixers = load_fixers(isolated)
    return Remedies(fixers, undoing.UNDOING, undoing.STEP_OVER, idle.edits(fixers), idle.IDLE_BYTES)
