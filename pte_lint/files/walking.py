"""Finds files in folders and by globs, without following links to folders.

A folder of strangers may hold links that lead back up (`a -> .`, `b -> .` are more paths than there
are atoms), a thousand levels, or a million names. Here every folder is listed once for each
wildcard that reaches it, nothing recurses, and who asks on behalf of a configuration says how many
names may be looked at.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

_MAGIC: Final = re.compile(r"[*?\[]")


class TooManyNames(OSError):  # noqa: N818 - what happened, in words
    """More names would have to be looked at than the caller allows."""


Entry = tuple[str, bool, bool]
"""A name in a folder; whether it is a folder and no link; whether it leads to a folder."""


class Names:
    """Lists folders, counting the names."""

    def __init__(self, most: int | None = None) -> None:
        """`most` is the number of names after which it raises; None: there is no such number."""
        self._left = most

    def count(self) -> None:
        """Counts a name that is looked at.

        Raises:
            TooManyNames: it is one too many.
        """
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise TooManyNames(0, "too many names to look at")

    def entries(self, folder: str) -> list[Entry]:
        """What is in a folder, in order of the names.

        Raises:
            OSError: the folder cannot be listed.
            TooManyNames: there are too many.
        """
        found = []
        with os.scandir(folder or os.curdir) as entries:
            for entry in entries:
                self.count()
                found.append((entry.name, _is_folder(entry, False), _is_folder(entry, True)))
        return sorted(found)


def has_magic(pattern: str) -> bool:
    """True for what is a glob."""
    return _MAGIC.search(pattern) is not None


def files_below(folder: str, names: Names | None = None) -> Iterator[str]:
    """Everything below a folder that leads to no folder: those of a folder first, then deeper ones.

    Paths begin as `folder` is spelt.

    Raises:
        OSError: a folder cannot be listed.
    """
    names = names or Names()
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        deeper = []
        for name, is_folder, leads_to_folder in names.entries(here):
            path = os.path.join(here, name)  # noqa: PTH118 - keeps the spelling
            if is_folder:
                deeper.append(path)
            elif not leads_to_folder:
                yield path
        waiting += reversed(deeper)


def matching(pattern: str, names: Names | None = None, base: str = "") -> list[str]:
    """The paths that a glob matches, in order, spelt as the pattern is.

    `*`, `?` and `[...]` stay inside a folder and leave out hidden names, unless the pattern has the
    dot; `**` stands for any number of folders, or at the end for everything below. A wildcard does
    not lead through a link to a folder; a name that is spelt out does.

    Args:
        pattern: the glob.
        names: counts what is looked at; None: no bound.
        base: the folder that it is relative to; "": the current one. It is not in the result.

    Raises:
        TooManyNames: more than `names` allows.
    """
    drive, rest = os.path.splitdrive(pattern)
    if os.altsep:
        rest = rest.replace(os.altsep, os.sep)
    root = drive + rest[: len(rest) - len(rest.lstrip(os.sep))]
    parts = [part for part in rest.split(os.sep) if part]  # noqa: PTH206 - keeps the spelling
    if rest.endswith(os.sep) and parts:
        parts.append("")
    search = _Search(parts, names or Names(), base)
    search.run(root)
    return sorted(search.found)


class _Search:
    """Follows the parts of a pattern; a place is visited once with the same parts left."""

    def __init__(self, parts: Sequence[str], names: Names, base: str) -> None:
        self._parts = parts
        self._names = names
        self._base = base
        self._listed: dict[str, list[Entry]] = {}
        self.found: set[str] = set()

    def run(self, root: str) -> None:
        waiting, seen = [(root, 0)], set()
        while waiting:
            place = waiting.pop()
            if place not in seen:
                seen.add(place)
                waiting += self._next(*place)

    def _next(self, here: str, at: int) -> Iterator[tuple[str, int]]:
        if at == len(self._parts):
            if here and os.path.lexists(self._there(here)):
                self.found.add(here)
            return
        part, is_last = self._parts[at], at + 1 == len(self._parts)
        if part == "**":
            if not is_last or os.path.isdir(self._there(here)):  # noqa: PTH112 - never raises
                yield here, at + 1
            for name, is_folder, leads_to_folder in self._list(here):
                if not name.startswith(".") and (is_folder or (is_last and not leads_to_folder)):
                    yield _join(here, name), at if is_folder else at + 1
            return
        if not has_magic(part):
            if part or os.path.isdir(self._there(here)):  # noqa: PTH112 - never raises
                yield _join(here, part), at + 1
            return
        for name, is_folder, leads_to_folder in self._list(here):
            if name.startswith(".") and not part.startswith("."):
                continue
            if (is_folder or (is_last and not leads_to_folder)) and fnmatch(name, part):
                yield _join(here, name), at + 1

    def _list(self, here: str) -> list[Entry]:
        if here in self._listed:
            for _ in self._listed[here]:
                self._names.count()
        else:
            try:
                self._listed[here] = self._names.entries(self._there(here))
            except TooManyNames:
                raise
            except (OSError, ValueError):  # as in a shell: what cannot be listed matches nothing
                self._listed[here] = []
        return self._listed[here]

    def _there(self, path: str) -> str:
        return os.path.join(self._base, path)  # noqa: PTH118


def _join(folder: str, name: str) -> str:
    return os.path.join(folder, name) if folder else name  # noqa: PTH118


def _is_folder(entry: os.DirEntry[str], follow: bool) -> bool:
    try:
        return entry.is_dir(follow_symlinks=follow)
    except OSError:
        return False


def is_regular(path: str) -> bool:
    """True for a regular file, also behind a link; False for whatever cannot be looked at."""
    try:
        return stat.S_ISREG(Path(path).stat().st_mode)
    except (OSError, ValueError):
        return False
