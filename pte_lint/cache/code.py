"""What code judges: its files by name, size and time of change.

A version alone does not tell a checkout that somebody edits from what it was a minute ago.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from types import ModuleType
from typing import Final

from pte_lint._version import __version__
from pte_lint.cache.canonical import Unknown
from pte_lint.clock import STARTED
from pte_lint.rulebook.rule import Rule

_HERE: Final = __name__.partition(".")[0]

_SETTLED: Final = STARTED - 5_000_000_000
"""What was changed after this moment may have been changed after it was loaded."""


def fingerprint(rules: Iterable[Rule]) -> str:
    """Identifies the code of pte-lint, of the packages that rules come from, and of Python.

    Rules of others may use whatever others there are: then every module that is loaded counts.

    Raises:
        Unknown: a rule has no file, or a file was changed just now.
    """
    others = {rule.module.partition(".")[0] for rule in rules} - {_HERE}
    digest = hashlib.sha256(_of_packages((_HERE, *sorted(others))).encode())
    for line in sorted(_loaded()) if others else ():
        digest.update(f"{line}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


@lru_cache(maxsize=8)
def _of_packages(tops: tuple[str, ...]) -> str:
    digest = hashlib.sha256(f"{__version__}\n{sys.version}\n".encode())
    for top in tops:
        for root in _roots(top):
            for line in _files(root):
                digest.update(f"{top}\0{line}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _loaded() -> Iterator[str]:
    """The loaded modules that are neither Python's nor pte-lint's."""
    for name, module in list(sys.modules.items()):
        top = name.partition(".")[0]
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and top != _HERE and top not in sys.stdlib_module_names:
            yield f"{name}\0{_line(file)}"


def _roots(top: str) -> list[str]:
    """The folders (or the one file) of a package. Parts of it may lie elsewhere than the rest."""
    found: set[str] = set()
    for name, module in list(sys.modules.items()):
        if (name == top or name.startswith(f"{top}.")) and isinstance(module, ModuleType):
            found |= {os.path.realpath(path) for path in getattr(module, "__path__", ())}
    if not found:
        file = getattr(sys.modules.get(top), "__file__", None)
        if file is None:
            raise Unknown(f"the code of {top}")
        found.add(os.path.realpath(file))
    return [
        each
        for each in sorted(found)
        if not any(each.startswith(other + os.sep) for other in found)
    ]


def _files(root: str) -> Iterator[str]:
    """The files of a package.

    Raises:
        Unknown: it lies in an archive, or a file was changed just now.
    """
    if os.path.isfile(root):  # noqa: PTH113 - the paths are text all along
        yield _line(root)
        return
    if not os.path.isdir(root):  # noqa: PTH112
        raise Unknown(f"the files of {root}")
    for folder, below, names in os.walk(root):
        below[:] = sorted(name for name in below if name != "__pycache__")
        for name in sorted(names):
            yield _line(os.path.join(folder, name))  # noqa: PTH118


def _line(path: str) -> str:
    told = os.stat(path)  # noqa: PTH116
    if told.st_mtime_ns > _SETTLED:
        raise Unknown(f"{path}: it was changed just now")
    return f"{path}\0{told.st_size}\0{told.st_mtime_ns}"
