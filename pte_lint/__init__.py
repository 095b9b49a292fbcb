"""pte-lint: a static linter and verifier for exported ExecuTorch programs."""

from pte_lint._version import __version__

__all__ = ["__version__"]
