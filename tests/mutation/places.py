"""Where things are: what is mutated, and where the results are kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(os.environ.get("PTE_LINT_MUTATION_ROOT") or Path(__file__).resolve().parents[2])
"""The checkout; another one for tests of this tool."""

KEPT = ROOT / "build" / "mutation"
"""Not in the repository: the coverage map, results, the copied tree."""

PACKAGES = ("pte_lint", "rules", "schema")


def sources(named: tuple[str, ...] = PACKAGES) -> Iterator[str]:
    """Every file that may be mutated, as a path from the root; `named` are files and folders."""
    for name in named:
        place = ROOT / name
        for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
            yield path.relative_to(ROOT).as_posix()


def package(file: str) -> str:
    """The folder of a file: what scores are told by."""
    return file.rpartition("/")[0]
