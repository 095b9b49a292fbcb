"""Lets `python -m tests.fuzz` find the package: imported first, for what it does.

`python -m` puts the current folder first on the path, and in a checkout that folder holds a
`pte_lint` without the rooms that stand beside it.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def prepare() -> None:
    """Takes the checkout off the path, and puts the tree that `scripts/devtree` lays out on it."""
    sys.path[:] = [each for each in sys.path if Path(each or ".").resolve() != ROOT]
    # Last, for what else stands beside the tests.
    sys.path.append(str(ROOT))
    if (ROOT / "build" / "devtree").is_dir():
        sys.path.insert(0, str(ROOT / "build" / "devtree"))


prepare()
