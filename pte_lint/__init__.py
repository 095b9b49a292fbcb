"""pte-lint: a static linter and verifier for exported ExecuTorch programs.

`import pte_lint` is cheap; what it offers is loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pte_lint._version import __version__

if TYPE_CHECKING:
    from pte_lint.api import check
    from pte_lint.assertions import NotClean, NotFound, UsageError, assert_clean, assert_finds
    from pte_lint.claims.finding import Finding, Severity
    from pte_lint.claims.result import Report
    from pte_lint.claims.target import Target

__all__ = [
    "Finding",
    "NotClean",
    "NotFound",
    "Report",
    "Severity",
    "Target",
    "UsageError",
    "__version__",
    "assert_clean",
    "assert_finds",
    "check",
]

_HOMES = {
    "check": "pte_lint.api",
    "assert_clean": "pte_lint.assertions",
    "assert_finds": "pte_lint.assertions",
    "NotClean": "pte_lint.assertions",
    "NotFound": "pte_lint.assertions",
    "UsageError": "pte_lint.assertions",
    "Finding": "pte_lint.claims.finding",
    "Severity": "pte_lint.claims.finding",
    "Report": "pte_lint.claims.result",
    "Target": "pte_lint.claims.target",
}


def __getattr__(name: str) -> object:
    """Loads a public name from the module that defines it."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value
