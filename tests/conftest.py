"""Lets tests that start Python find a checkout that is laid out but not installed."""

from __future__ import annotations

import os
from pathlib import Path

_TREE = Path(__file__).parents[1] / "build" / "devtree"

if _TREE.is_dir():
    os.environ["PYTHONPATH"] = os.pathsep.join(
        p for p in (str(_TREE), os.environ.get("PYTHONPATH")) if p
    )

# Tests neither use nor fill the cache of whoever runs them; those that are about it say so.
os.environ["PTE_LINT_NO_CACHE"] = "1"
