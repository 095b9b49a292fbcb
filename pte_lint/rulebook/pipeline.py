"""Declared pipelines: an output of one method that is handed to an input of another."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pte_lint.files.walking import Names, TooManyNames, is_regular, matching
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.limits import GLOB_NAMES
from pte_lint.text.globs import path_matches

if TYPE_CHECKING:
    from pte_lint.claims.ledger import Ledger
    from pte_lint.questions.method import Method

_MOST_PEERS: Final = 64
"""Artifacts that one glob may open; more are not looked at, and the ledger tells."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """One hand-over. An artifact is a path glob; None is the one being checked."""

    from_artifact: str | None
    from_method: str
    output: int
    to_artifact: str | None
    to_method: str
    input: int

    def __str__(self) -> str:
        """Renders as `prefill output 0 -> decode.pte: decode input 1`."""
        source = f"{self.from_artifact}: " if self.from_artifact else ""
        target = f"{self.to_artifact}: " if self.to_artifact else ""
        return (
            f"{source}{self.from_method} output {self.output} -> "
            f"{target}{self.to_method} input {self.input}"
        )


@dataclass(frozen=True, slots=True)
class Peer:
    """Another artifact of a pipeline, with its methods."""

    path: str
    methods: tuple[Method, ...]

    def method(self, name: str) -> Method | None:
        """The method that the runtime finds by a name: the first one."""
        return next((method for method in self.methods if method.name == name), None)


class Peers:
    """Opens the other artifacts that pipelines name, when a rule first asks for them.

    Globs are relative to `root`. Every process of a run makes its own; an artifact that cannot be
    read or decoded has no methods.
    """

    def __init__(self, root: Path | None = None) -> None:
        """`root` is the folder of the configuration file; the current one if there is none."""
        self._given = root
        self._opened: dict[str, tuple[Sequence[Peer], str]] = {}
        """By glob: what it matches, and why that is not all."""

    @cached_property
    def _root(self) -> Path:
        return Path(os.path.realpath(self._given or Path()))

    def __getstate__(self) -> Path:
        """Only the root travels between processes."""
        return self._root

    def __setstate__(self, root: Path) -> None:
        """See `__getstate__`."""
        self._given = root
        self._opened = {}

    def is_match(self, glob: str, path: str) -> bool:
        """True when an artifact's path, as it was given, matches a pipeline's glob."""
        full = Path(os.path.realpath(path))
        if full.is_relative_to(self._root):
            return path_matches(glob, full.relative_to(self._root).as_posix())
        return path_matches(glob, full.as_posix())

    def matching(self, glob: str, ledger: Ledger) -> Sequence[Peer]:
        """The artifacts that match a pipeline's glob, by path.

        Args:
            glob: The glob.
            ledger: Where it is entered that there are too many, or too much in one of them.
        """
        if glob not in self._opened:
            self._opened[glob] = self._open(glob)
        found, gap = self._opened[glob]
        if gap:
            ledger.give_up(f"what pipelines hand over from or to {glob}", gap)
        return found

    def _open(self, glob: str) -> tuple[Sequence[Peer], str]:
        """Only files below the root, links resolved, are opened: the globs may be a stranger's."""
        if not (self._root / glob).is_relative_to(self._root):
            return (), ""
        try:
            names = matching(glob, Names(GLOB_NAMES), str(self._root))
        except TooManyNames as exc:
            return (), exc.strerror or str(exc)
        paths = [self._root / name for name in names]
        below = [p for p in paths if is_regular(str(p)) and self._is_below(p)]
        gap = f"it names more than {_MOST_PEERS} files" if len(below) > _MOST_PEERS else ""
        peers = []
        for path in below[:_MOST_PEERS]:
            methods, is_whole = _methods_of(path)
            peers.append(Peer(str(path), methods))
            gap = gap or ("" if is_whole else f"{path.name} is not judged as a whole")
        return peers, gap

    def _is_below(self, path: Path) -> bool:
        return Path(os.path.realpath(path)).is_relative_to(self._root)


def _methods_of(path: Path) -> tuple[tuple[Method, ...], bool]:
    """The methods of an artifact that are judged, and whether those are all."""
    from pte_lint.claims.target import Target
    from pte_lint.data.reading import open_context
    from pte_lint.files.artifact import open_artifact
    from pte_lint.files.fetched import ArtifactError

    try:
        with open_artifact(path) as artifact:
            context = open_context(artifact, Target(), (), {})
            return context.methods, not (context.ledger or context.left_out)
    except ArtifactError:
        return (), True
