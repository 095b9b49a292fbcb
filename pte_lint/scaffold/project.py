"""The project in a folder: a plugin, or pte-lint itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pte_lint.schema.frozen import dataclass
from pte_lint.text import toml

_ID: Final = re.compile(r"""(?:method|artifact|ledger)_rule\(\s*["']([A-Z]{2,10})(\d{3})["']""")


class NoProjectError(ValueError):
    """The folder is no project that rules can be put in; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Project:
    """Where the rules, tests and pages of a project are."""

    root: Path
    distribution: str
    package: str
    """The package whose modules are the rules."""
    rules: Path
    """The folder of that package."""
    tests: Path
    pages: Path
    is_pte_lint: bool = False

    def ids(self) -> Iterator[tuple[str, int, Path]]:
        """Letters, number and file of each rule that stands in the sources."""
        for file in sorted(self.rules.rglob("*.py")):
            for letters, number in _ID.findall(file.read_text("utf-8")):
                yield letters, int(number), file

    def free_id(self) -> str:
        """The id after the last one; the first of a new plugin is made of its name."""
        taken = [(letters, number) for letters, number, _ in self.ids()]
        if taken:
            letters = taken[-1][0]
            return f"{letters}{max(n for word, n in taken if word == letters) + 1:03}"
        word = re.sub(r"[^A-Z]", "", re.split(r"[-_.]", self.distribution.upper())[0])[:10]
        return f"{word}001" if len(word) > 1 and word not in ("PTE", "ALL") else "PTE901"


def project_in(folder: Path) -> Project:
    """Reads a project's pyproject.toml.

    Raises:
        NoProjectError: there is none, or it declares no rules.
    """
    file = folder / "pyproject.toml"
    try:
        content = toml.loads(file.read_text("utf-8"))
    except OSError as exc:
        raise NoProjectError(
            f"no pyproject.toml in {folder}: `pte-lint new-rule --plugin NAME RULE` makes a plugin"
        ) from exc
    except ValueError as exc:
        raise NoProjectError(f"{file}: {exc}") from exc
    told: Any = content.get("project", {})
    name = str(told.get("name", ""))
    tests = folder / "tests"
    if name == "pte-lint":
        rules, pages = folder / "rules", folder / "docs" / "rules"
        return Project(folder, name, "pte_lint.rules", rules, tests / "rules", pages, True)
    points = told.get("entry-points", {}).get("pte_lint.rules", {})
    if not points:
        raise NoProjectError(
            f'{file}: it declares no rules: add [project.entry-points."pte_lint.rules"], or let '
            "`pte-lint new-rule --plugin NAME RULE` make a plugin"
        )
    package = str(next(iter(points.values()))).partition(":")[0].strip()
    for base in (folder, folder / "src"):
        place = base.joinpath(*package.split("."))
        if (place / "__init__.py").is_file():
            return Project(folder, name, package, place, tests, folder / "docs")
    raise NoProjectError(f"{file}: the package {package} is neither in {folder} nor in its src")
