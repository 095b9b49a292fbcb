"""Which files of a folder, a listing or an archive are artifacts to look at."""

from __future__ import annotations

from typing import Final

from pte_lint.files.archives import is_archive
from pte_lint.schema.frozen import dataclass
from pte_lint.text.globs import path_matches

SUFFIXES: Final = (".pte", ".ptd", ".bpte")


@dataclass(frozen=True, slots=True)
class Sieve:
    """Globs are for paths below what is searched; without a slash they are for names alone."""

    include: tuple[str, ...] = ()
    """None: what is named like an artifact."""
    exclude: tuple[str, ...] = ()
    archives: bool = False
    """Whether to look into archives."""

    def opens(self, inside: str) -> bool:
        """Whether to look into a file that is an archive by its name."""
        if not self.archives or not is_archive(inside):
            return False
        return not any(path_matches(glob, inside) for glob in self.exclude)

    def takes(self, inside: str) -> bool:
        """Whether to look at a file, by its path below what is searched, with slashes."""
        if any(path_matches(glob, inside) for glob in self.exclude):
            return False
        if not self.include:
            return inside.lower().endswith(SUFFIXES)
        return any(path_matches(glob, inside) for glob in self.include)
