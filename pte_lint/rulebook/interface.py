"""The version of what plugins are promised; see `pte_lint.plugin`."""

from __future__ import annotations

from typing import Final

INTERFACE_VERSION: Final = 1
"""Rises when something that plugins use is taken away or changes its meaning, not when something is
added."""

REQUIRED: Final = "PTE_LINT_INTERFACE"
"""The name under which a plugin's module may say which version it is made for."""
