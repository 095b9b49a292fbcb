"""Edited copies of a program: judged, and run the way the program itself was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Final

from pte_lint.claims.finding import Finding
from pte_lint.claims.result import ArtifactReport
from pte_lint.data.context import Context
from pte_lint.data.reading import open_context
from pte_lint.edits.draft import Draft, Edit
from pte_lint.edits.plan_draft import EditError
from pte_lint.files.artifact import HASH_LIMIT, Artifact, open_artifact
from pte_lint.fix.leftovers import free_leftovers, is_large
from pte_lint.fix.pieced import PiecedBytes
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.process import scratch_folder
from pte_lint.harness.runs import Runs
from pte_lint.judging.engine import Settings, judge
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.loaded import LoadedFlatTensor
from pte_lint.schema.writer.program_file import Source

_TIMES: Final = 6
_FREE: Final = 6 << 20
_FINDING: Final = 1 << 10
"""Copies are made until they are together so many times the program, and so many bytes, where each
finding counts as so many: it is judged and asked about in every copy."""

_TURNED = bytes(255 - each for each in range(256))

Patch = tuple[int, bytes, bytes]
"""Where in the file, what is there, and what is to be there."""

Key = tuple[str, str]
"""A finding by rule and fingerprint: what it is in every copy."""


def key_of(finding: Finding) -> Key:
    """What a finding is called in every copy."""
    return finding.rule, finding.fingerprint


@dataclass(frozen=True)
class Copy:
    """A program on its way: what was undone so far, what is found now, how it runs."""

    context: Context
    report: ArtifactReport
    runs: Runs
    undone: tuple[Finding, ...] = ()

    def finding(self, key: Key) -> Finding | None:
        """The finding in this copy, None where it is gone."""
        return self._by_key.get(key)

    @cached_property
    def _by_key(self) -> dict[Key, Finding]:
        return {key_of(finding): finding for finding in reversed(self.report.findings)}

    @property
    def work(self) -> int:
        """What it takes to make another one of it, in bytes."""
        return self.context.artifact.size + _FINDING * len(self.report.findings)


class Copies:
    """Makes copies; they live as long as this does."""

    def __init__(
        self,
        settings: Settings,
        data: Sequence[Path],
        loaded: Sequence[LoadedFlatTensor],
        options: ProbeOptions,
    ) -> None:
        self._settings, self._data = settings, data
        self._loaded, self._options = tuple(loaded), options
        self._stack = ExitStack()
        self._folder = self._stack.enter_context(scratch_folder())
        self._count = 0
        self._room: int | None = None

    @property
    def is_enough(self) -> bool:
        """Whether no more are made: a crafted file has thousands of findings to try."""
        return self._room is not None and self._room <= 0

    def _make_room(self, origin: Copy) -> None:
        if self._room is None:
            self._room = _FREE + _TIMES * origin.work
        if self.is_enough:
            raise EditError("too many copies were made")
        self._room -= origin.work

    def close(self) -> None:
        """Removes all copies."""
        self._stack.close()

    def edited(self, origin: Copy, edits: Iterable[Edit], undone: Finding | None = None) -> Copy:
        """A copy with some edits.

        Raises:
            EditError: They do not fit, the file cannot be written, or there are enough copies.
        """
        self._make_room(origin)
        free_leftovers(origin.work)
        context = origin.context
        if context.loaded is None or context.bundle is not None:
            raise EditError("there is no program to change")
        draft = Draft(Source(context.loaded, context.artifact.buffer, may_lose=True))
        draft.apply(list(edits))
        content = PiecedBytes(draft.pieces(), context.artifact.buffer)[:]
        del draft
        return self._judged(origin, content, undone)

    def replaced(self, origin: Copy, content: bytes) -> Copy:
        """A program with the same data files that is another file altogether.

        Raises:
            EditError: It is the same, or there are enough copies.
        """
        self._make_room(origin)
        if content == origin.context.artifact.buffer[:]:
            raise EditError("there is nothing to change")
        return self._judged(origin, content)

    def _judged(self, origin: Copy, content: bytes, undone: Finding | None = None) -> Copy:
        path = self._path(content)
        # What is mapped stays so until all copies are gone, and what is not, as long as this one.
        if len(content) <= HASH_LIMIT:
            artifact = Artifact(str(path), content)
        else:
            artifact = self._stack.enter_context(open_artifact(path))
        del content
        changed = self._opened(artifact)
        report = judge(changed, self._settings)
        if is_large(origin.work):
            # Most of what was worked out to judge it is not asked for again, and there are several.
            changed.release()
            changed = self._opened(artifact)
        return Copy(
            changed,
            report,
            Runs(path, changed, self._data, self._options),
            origin.undone if undone is None else (*origin.undone, undone),
        )

    def _opened(self, artifact: Artifact) -> Context:
        settings = self._settings
        return open_context(artifact, settings.target, self._loaded, settings.options)

    def overwritten(self, origin: Copy, ranges: Iterable[tuple[int, int]]) -> Runs:
        """The runs of a copy in which every bit of some bytes is turned; it is not judged.

        Raises:
            EditError: There are none of those bytes, or there are enough copies.
        """
        self._make_room(origin)
        content = bytearray(origin.context.artifact.buffer[:])
        turned = 0
        for start, end in ranges:
            if not 0 <= start <= end <= len(content):
                raise EditError(f"there are no bytes {start} to {end}")
            content[start:end] = content[start:end].translate(_TURNED)
            turned += end - start
        if not turned or origin.context.bundle is not None:
            raise EditError("there is nothing to write over")
        return self._runs(origin, content)

    def patched(self, origin: Copy, patches: Iterable[Patch]) -> Runs:
        """The runs of a copy in which some bytes are others; it is not judged.

        Raises:
            EditError: There are other bytes than the patches say, or none to be changed, or there
                are enough copies.
        """
        self._make_room(origin)
        content = bytearray(origin.context.artifact.buffer[:])
        for start, old, new in patches:
            if len(old) != len(new) or bytes(content[start : start + len(old)]) != old:
                raise EditError(f"byte {start} and those after it are others")
            content[start : start + len(old)] = new
        if content == origin.context.artifact.buffer[:]:
            raise EditError("there is nothing to change")
        return self._runs(origin, content)

    def _runs(self, origin: Copy, content: bytearray) -> Runs:
        return Runs(self._path(content), origin.context, self._data, self._options)

    def _path(self, content: bytes | bytearray) -> Path:
        self._count += 1
        path = self._folder / f"copy-{self._count}.pte"
        path.write_bytes(content)
        return path


@contextmanager
def copies(
    settings: Settings,
    data: Sequence[Path],
    loaded: Sequence[LoadedFlatTensor],
    options: ProbeOptions,
) -> Iterator[Copies]:
    """Copies that are gone afterwards."""
    made = Copies(settings, data, loaded, options)
    try:
        yield made
    finally:
        made.close()
