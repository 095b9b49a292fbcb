"""The families of rules: the digit after `PTE`, and what it is about."""

from __future__ import annotations

from typing import Final

FAMILIES: Final = {
    "0xx": "Container",
    "1xx": "Structure",
    "2xx": "Memory planning",
    "3xx": "Device placement",
    "4xx": "Delegates and kernels",
    "5xx": "Constants and external data",
    "6xx": "Target compatibility",
    "7xx": "Hygiene and security",
    "8xx": "Cost",
    "9xx": "Rules of others",
}
"""Title by family, in order."""


def title(family: str) -> str:
    """The family's title; letters other than `PTE` are those of somebody else's rules."""
    return FAMILIES.get(family, FAMILIES["9xx"])
