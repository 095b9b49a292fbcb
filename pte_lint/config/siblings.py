"""The data files that lie beside a program and have the keys it asks for.

Rules read no other file than the one they judge: this is for whoever gives them data files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Final

from pte_lint.claims.target import Target
from pte_lint.data.context import Context
from pte_lint.data.data_files import entries, is_usable
from pte_lint.data.externals import externals
from pte_lint.data.named_data import Found, NamedData
from pte_lint.data.reading import open_context, open_data
from pte_lint.files.artifact import open_artifact
from pte_lint.files.fetched import ArtifactError
from pte_lint.files.remote.address import shown
from pte_lint.files.remote.caps import Caps
from pte_lint.files.walking import Names
from pte_lint.schema.errors import NotFetchedError
from pte_lint.schema.frozen import dataclass

MOST_NAMES: Final = 10_000
"""Names in a folder that are looked at."""
MOST_FILES: Final = 100
"""Data files in a folder that are opened."""


@dataclass(frozen=True, slots=True)
class Beside:
    """The data files that a program is meant to be loaded with, as far as that can be told."""

    files: tuple[Path | str, ...] = ()
    rivals: tuple[Path | str, ...] = ()
    """Files that would do as well as each other: then none of them is chosen."""
    keys: frozenset[str] = frozenset()
    """What was asked for and is in them."""


Layout = tuple[int, tuple[int, ...]] | None
"""Element type and sizes; None where an entry has no layout."""

Keys = dict[str, Layout]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The keys that a program asks for and does not have itself."""

    tensors: Keys
    """Of constants and state."""
    delegates: Keys
    """Of what delegates ask for, which has no layout that is known."""


def siblings(program: str) -> Beside:
    """The fewest data files in a program's folder that have all keys it asks for together.

    One whose tensors are as the program has them goes before one that has the keys alone, and one
    that begins with the program's name before others. No key may be in two of them, since the
    runtime refuses that (`MergedDataMap::load`).

    Args:
        program: what reports call it: a path, or something that is no file.

    Returns:
        Paths as that of the program; nothing where the program asks for nothing, is not here, or
        the files beside it do not have all keys.
    """
    if not os.path.isfile(program):  # noqa: PTH113 - never raises, whatever the name is
        return Beside()
    try:
        wanted = _wanted(Path(program), None)
        files: dict[Path | str, Keys] = {}
        if wanted.tensors or wanted.delegates:
            files |= {file: _keys(file, None) for file in _beside(Path(program))}
    except (ArtifactError, NotFetchedError, OSError):
        return Beside()
    return _chosen(wanted, files, Path(program).stem)


class FarSiblings:
    """The same for programs behind addresses; remembers the last folder."""

    def __init__(self, caps: Caps) -> None:
        """Asks nothing yet; `caps` says how much may be fetched of each file."""
        self._caps = caps
        self._folder = ""
        self._files: dict[Path | str, Keys] = {}

    def __call__(self, address: str) -> Beside:
        """The data files of one program.

        Raises:
            ArtifactError: the program cannot be read, or its folder cannot be listed.
        """
        try:
            wanted = _wanted(address, self._caps)
        except NotFetchedError:
            return Beside()
        if not wanted.tensors and not wanted.delegates:
            return Beside()
        folder, _, name = address.partition("?")[0].rpartition("/")
        if folder != self._folder:
            self._files = {each: _keys(each, self._caps) for each in self._beside(folder)}
            self._folder = folder
        return _chosen(wanted, self._files, name.rpartition(".")[0])

    def _beside(self, folder: str) -> list[str]:
        from pte_lint.files.remote.listing import listed
        from pte_lint.files.remote.origin import FetchError

        found = listed(f"{folder}/", Names(MOST_NAMES), self._caps.timeout, deep=False)
        data = (each.source for each in found if each.inside.lower().endswith(".ptd"))
        try:
            return list(islice(data, MOST_FILES))
        except FetchError as exc:
            error = ArtifactError(0, f"cannot list {shown(folder)}/ (--data auto): {exc}")
            error.again = exc.again
            raise error from None


def _chosen(wanted: Wanted, files: Mapping[Path | str, Keys], stem: str) -> Beside:
    """Files with all keys; where no file has those of the delegates, with all others."""
    found = _fewest(wanted.tensors | wanted.delegates, files, stem)
    if found == Beside() and wanted.delegates:
        found = _fewest(wanted.tensors, files, stem)
    return found


def _fewest(wanted: Keys, files: Mapping[Path | str, Keys], stem: str) -> Beside:
    missing, taken = set(wanted), set[str]()
    chosen: list[Path | str] = []

    def rank(file: Path | str) -> tuple[int, int, bool]:
        keys = files[file]
        fitting = sum(1 for key in missing & keys.keys() if keys[key] == wanted[key])
        name = file.name if isinstance(file, Path) else file.rpartition("/")[2]
        return fitting, len(missing & keys.keys()), name.startswith(stem)

    while missing:
        ranks = {file: rank(file) for file, keys in files.items() if not taken & keys.keys()}
        best = max(ranks.values(), default=(0, 0, False))
        if not best[1]:
            return Beside()
        first, *others = [file for file, each in ranks.items() if each == best]
        rivals = [file for file in others if files[file].keys() & files[first].keys() & missing]
        if rivals:
            return Beside(rivals=(first, *rivals), keys=frozenset(files[first]) & wanted.keys())
        chosen.append(first)
        taken |= files[first].keys()
        missing -= taken
    return Beside(tuple(chosen), keys=frozenset(wanted) if chosen else frozenset())


def _wanted(program: Path | str, caps: Caps | None) -> Wanted:
    with open_artifact(program, caps=caps) as artifact:
        context = open_context(artifact, Target(), (), {})
        tensors: Keys = {
            each.key: (each.tensor.scalar_type, tuple(each.tensor.sizes or ()))
            for method in context.methods
            for each in externals(method)
            if each.key is not None
        }
        try:
            return Wanted(tensors, dict.fromkeys(_asked(context)))
        except NotFetchedError:
            return Wanted(tensors, {})


def _asked(context: Context) -> Iterator[str]:
    """What delegates ask for that is not in the program."""
    data = NamedData(context)
    for described in context.blobs:
        for blob in described:
            for want in blob.facts.wants:
                if data.look_up(want.asked).found in (Found.MISSING, Found.NO_MAP):
                    yield want.asked


def _beside(program: Path) -> list[Path]:
    """Data files in the folder, and no links."""
    names = [name for name, _, _ in Names(MOST_NAMES).entries(str(program.parent))]
    files = [program.parent / name for name in names if name.lower().endswith(".ptd")]
    return [file for file in files if file.is_file() and not file.is_symlink()][:MOST_FILES]


def _keys(file: Path | str, caps: Caps | None) -> Keys:
    """The keys of a data file with what they hold; empty where it cannot be used."""
    with ExitStack() as stack:
        try:
            opened = open_data(stack.enter_context(open_artifact(file, caps=caps)))
        except ArtifactError:
            return {}
        known = entries((opened,)) if is_usable(opened) else {}
        layouts = {key: entry.named.tensor_layout for key, entry in known.items()}
        return {
            key: None if layout is None else (layout.scalar_type, tuple(layout.sizes or ()))
            for key, layout in layouts.items()
        }
