"""Tells quickly whether anything installed besides this package declares entry points of a group.

`importlib.metadata` imports a good part of the standard library (zip files, e-mail, sockets) and
parses every declaration, which costs more than checking a small file. Mostly there is nothing to be
found, and a look into the declarations' text shows that.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder

_OWN = "pte_lint-"
"""How the folder with this package's own declarations begins."""
_DECLARATIONS = (".dist-info", ".egg-info")


def others_may_declare(group: str) -> bool:
    """False when nothing else on the import path declares entry points of `group`.

    True also where a look at plain folders cannot tell: packages in archives, or found by an import
    hook of their own.
    """
    for finder in sys.meta_path:
        if finder is not PathFinder and hasattr(finder, "find_distributions"):
            return True
    return any(_declares(folder or os.curdir, group.encode()) for folder in sys.path)


def _declares(folder: str, group: bytes) -> bool:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries]
    except FileNotFoundError:
        return False
    except OSError:  # an archive, or a folder that cannot be listed
        return True
    if any(name.endswith(".egg") for name in names):
        return True
    return any(
        _mentions(f"{folder}/{name}/entry_points.txt", group)
        for name in names
        if name.endswith(_DECLARATIONS) and not name.startswith(_OWN)
    )


def _mentions(file: str, group: bytes) -> bool:
    try:
        with open(file, "rb") as opened:  # noqa: PTH123 - a Path costs more than the rest
            return group in opened.read()
    except OSError:
        return False
