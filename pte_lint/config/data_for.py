"""Data files of single programs: two models that were each written with a .ptd in one run.

The runtime is given data files with the program they belong to. What is given for all programs at
once would hold every model against the keys of all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from pte_lint.config.suppression import relative
from pte_lint.schema.frozen import dataclass
from pte_lint.text.globs import path_matches


class UnmatchedError(ValueError):
    """A data file was asked for by hand for a program that is not judged."""


@dataclass(frozen=True, slots=True)
class DataFor:
    """A .ptd that only some programs are loaded with."""

    program: str
    """Glob for paths of programs, relative to `root`; without a slash it is matched against the
    file's name."""
    file: Path | str
    """An address is text."""
    root: Path
    is_required: bool = False
    """Whether no match is a mistake: on a command line that names the programs as well."""

    def is_for(self, name: str) -> bool:
        """Whether the program that reports call `name` is loaded with it."""
        return path_matches(self.program, relative(name, self.root)) or name == self.program


AUTO: Final = "auto"
"""In place of a data file: those beside a program that have its keys, where it is given none."""

DataGiven = Path | str | DataFor
"""A .ptd that all programs are loaded with, or some; or `AUTO`."""


def data_of(given: Iterable[DataGiven], name: str) -> tuple[Path | str, ...]:
    """The data files that one program is loaded with, in the order in which they were given."""
    some = tuple(given)
    files = tuple(
        each.file if isinstance(each, DataFor) else each
        for each in some
        if each != AUTO and (not isinstance(each, DataFor) or each.is_for(name))
    )
    if files or AUTO not in some:
        return files
    from pte_lint.config.siblings import siblings

    return siblings(name).files


def require_matches(given: Iterable[DataGiven], names: Sequence[str]) -> None:
    """Makes sure that no data file was asked for in vain.

    Raises:
        UnmatchedError: it says which.
    """
    for each in given:
        if isinstance(each, DataFor) and each.is_required and not any(map(each.is_for, names)):
            raise UnmatchedError(f"--data {each.program}={each.file}: no program here matches")
