"""Opens artifacts with the data files that they are loaded with, and judges them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from pte_lint.data.reading import held, open_context, open_data
from pte_lint.files.artifact import Artifact, Source, open_artifact
from pte_lint.judging.engine import Settings, check_artifact, judge
from pte_lint.quiet_gc import collection_paused

if TYPE_CHECKING:
    from pte_lint.claims.result import ArtifactReport
    from pte_lint.data.context import Context
    from pte_lint.files.remote.caps import Caps
    from pte_lint.schema.loaded import LoadedFlatTensor


class Session:
    """What is judged with one set of settings, and what is open for it until the `with` block ends.

    Files are opened by name once, however many programs are loaded with them.
    """

    def __init__(self, settings: Settings, caps: Caps | None = None) -> None:
        """Opens nothing yet.

        Args:
            settings: what to judge with.
            caps: how much may be fetched of an address; None: the defaults.
        """
        self.settings = settings
        self._caps = caps
        self._stack = ExitStack()
        self._data: dict[str, LoadedFlatTensor] = {}

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def artifact(self, source: Source | Artifact, name: str | None = None) -> Artifact:
        """Opens a file for as long as the session lives; one that is open stays as it is.

        Raises:
            ArtifactError: it cannot be read.
        """
        if isinstance(source, Artifact):
            return source
        return self._stack.enter_context(open_artifact(source, name, self._caps))

    def data(self, sources: Iterable[Source | Artifact]) -> tuple[LoadedFlatTensor, ...]:
        """Opens and decodes the .ptd files that a program is loaded with.

        Raises:
            ArtifactError: one of them cannot be read.
        """
        return tuple(map(self._datum, sources))

    def _datum(self, source: Source | Artifact) -> LoadedFlatTensor:
        if not isinstance(source, str | Path):
            return open_data(self.artifact(source))
        key = str(source)
        if key not in self._data:
            self._data[key] = open_data(self.artifact(source))
        return self._data[key]

    def context(
        self,
        source: Source | Artifact,
        name: str | None = None,
        data: Sequence[LoadedFlatTensor] = (),
    ) -> Context:
        """Opens an artifact as rules see it, for as long as the session lives.

        Args:
            source: what to open, or what is open.
            name: the path to report instead of the source's own.
            data: what it is loaded with; without any what an object holds.

        Raises:
            ArtifactError: it cannot be read.
        """
        artifact, run = self.artifact(source, name), self.settings
        with collection_paused():
            return open_context(artifact, run.target, data or held(source), run.options)

    def judge(self, context: Context) -> ArtifactReport:
        """Judges what is open."""
        with collection_paused():
            return judge(context, self.settings)

    def check(
        self, source: Source, name: str | None = None, data: Sequence[LoadedFlatTensor] = ()
    ) -> ArtifactReport:
        """Opens an artifact, judges it and closes it; see `context`."""
        with open_artifact(source, name, self._caps) as artifact:
            return check_artifact(artifact, self.settings, data or held(source))
