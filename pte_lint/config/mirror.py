"""Settings of another folder in place of the working folder's: those of a base branch.

A gate must not be opened by the change that it judges. With a copy of the base branch beside it,
the configuration, the baseline and the target's profile are read from the copy, while every other
path (artifacts, data, globs of ignore entries, reports) still means the working folder.
"""

from __future__ import annotations

import os
from pathlib import Path

from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Mirror:
    """A folder that stands for the working folder where settings are read; both are absolute."""

    folder: Path
    here: Path

    @classmethod
    def of_working_folder(cls, folder: Path) -> Mirror:
        """The mirror of the folder that the process works in."""
        return cls(Path(os.path.realpath(folder)), Path.cwd())

    def read_from(self, path: Path) -> Path:
        """Where a settings file is read that is named relative to, or inside, the working folder.

        What lies outside of the working folder was not brought by the change, and is read there.
        """
        named = Path(os.path.abspath(self.here / path))  # noqa: PTH100 - keeps links as named
        for spelling in (named, Path(os.path.realpath(named.parent)) / named.name):
            if spelling.is_relative_to(self.folder):
                return spelling
            if spelling.is_relative_to(self.here):
                return self.folder / spelling.relative_to(self.here)
        return named

    def stands_for(self, folder: Path) -> Path:
        """The folder that one of the mirror stands for; any other stands for itself."""
        for spelling in (folder, Path(os.path.realpath(folder))):
            if spelling.is_relative_to(self.folder):
                return self.here / spelling.relative_to(self.folder)
        return folder
