"""Declared pipelines: an output of one method that is handed to an input of another."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pte_lint.claims.finding import NotEvaluated
from pte_lint.files.walking import Names, TooManyNames, is_regular, matching
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.limits import GLOB_NAMES
from pte_lint.text.globs import path_matches

if TYPE_CHECKING:
    from pte_lint.questions.method import Method

_MOST_PEERS: Final = 64
"""Artifacts that one glob may open; more are not looked at."""


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


class Peers:
    """Opens the other artifacts that pipelines name, when a rule first asks for them.

    Globs are relative to `root`. Every process of a run makes its own; an artifact that cannot be
    read or decoded has no methods.
    """

    def __init__(self, root: Path | None = None) -> None:
        """`root` is the folder of the configuration file; the current one if there is none."""
        self._given = root
        self._opened: dict[str, tuple[Peer, ...]] = {}

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

    def matching(self, glob: str) -> Sequence[Peer]:
        """The artifacts that match a pipeline's glob, by path."""
        known = self._opened.get(glob)
        if known is None:
            known = tuple(self._open(glob))
            self._opened[glob] = known
        return known

    def _open(self, glob: str) -> Iterator[Peer]:
        """Only files below the root, links resolved, are opened: the globs may be a stranger's."""
        if not (self._root / glob).is_relative_to(self._root):
            return
        try:
            names = matching(glob, Names(GLOB_NAMES), str(self._root))
        except TooManyNames as exc:
            raise NotEvaluated(f"the glob {glob} of a pipeline: {exc.strerror}") from exc
        paths = [self._root / name for name in names]
        below = [p for p in paths if is_regular(str(p)) and self._is_below(p)]
        for path in below[:_MOST_PEERS]:
            yield Peer(str(path), _methods_of(path))

    def _is_below(self, path: Path) -> bool:
        return Path(os.path.realpath(path)).is_relative_to(self._root)


def _methods_of(path: Path) -> tuple[Method, ...]:
    from pte_lint.claims.target import Target
    from pte_lint.data.reading import open_context
    from pte_lint.files.artifact import open_artifact
    from pte_lint.files.fetched import ArtifactError

    try:
        with open_artifact(path) as artifact:
            return open_context(artifact, Target(), (), {}).methods
    except ArtifactError:
        return ()
