"""Judges artifacts, or remembers what was said about the same bytes under the same settings."""

from __future__ import annotations

import hashlib
import mmap
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from pte_lint.cache.canonical import Unknown, canonical
from pte_lint.cache.code import fingerprint
from pte_lint.cache.packing import pack, unpack
from pte_lint.cache.store import Store
from pte_lint.cache.traced_bytes import Range, TracedBytes, digest_of
from pte_lint.claims.result import ArtifactReport
from pte_lint.clock import STAGE, STARTED, timed
from pte_lint.files.artifact import HASH_LIMIT, Artifact
from pte_lint.judging.engine import Settings
from pte_lint.schema.errors import NotFetchedError
from pte_lint.schema.ranges import take
from pte_lint.schema.sniff import head_bytes

JudgeArtifact = Callable[[Artifact], ArtifactReport]

_SETTLED: Final = 2_000_000_000
"""Nanoseconds after which a mapped file that did not change is taken for one that nobody writes to:
clocks of file systems tick too slowly to tell two changes of a moment apart."""


class Results:
    """The cache as a run sees it. Settings that it cannot identify switch it off."""

    def __init__(
        self, store: Store, settings: Settings, data: Sequence[Artifact], ranges: Sequence[int]
    ) -> None:
        """Identifies what judges.

        Args:
            store: where results are kept.
            settings: rules, target, severities, options.
            data: the data files, opened.
            ranges: of each, the first byte behind its tables.
        """
        self._store = store
        self._base: str | None = None
        self._mapped = [(each, _state(each)) for each in data if isinstance(each.buffer, mmap.mmap)]
        if not all(_is_old(state, STARTED) for _, state in self._mapped):
            return
        try:
            self._base = identity(settings, data, ranges)
        except (Unknown, NotFetchedError, OSError):
            return

    def check(self, artifact: Artifact, judge: JudgeArtifact) -> ArtifactReport:
        """The report on an artifact: remembered, or made by `judge` and kept.

        Nothing is kept of what is far away (fetching it is part of the report), of reports with
        internal errors, and of files that change meanwhile.
        """
        buffer = artifact.buffer
        if self._base is None or not isinstance(buffer, bytes | mmap.mmap):
            return judge(artifact)
        with timed(STAGE, "cache"):
            known = artifact.sha256()
            key = self._key(artifact, known)
            found = self._find(key, artifact, known)
        if found is not None:
            return found
        if known is not None:
            artifact = replace(artifact, digest=known)
        if isinstance(buffer, bytes):
            assert known is not None or artifact.size > HASH_LIMIT
            report = judge(artifact)
            if known is not None:
                self._keep(key, (), known, report)
            return report
        return self._check_mapped(artifact, buffer, key, judge)

    def remembered(self, name: str, revision: str) -> ArtifactReport | None:
        """The report on what a storage calls by this revision, if it was kept."""
        raw = self._store.get(self._far_key(name, revision)) if self._base is not None else None
        content = unpack(raw) if raw is not None else None
        return content[2] if content is not None and content[2].path == name else None

    def remember(self, revision: str, report: ArtifactReport) -> None:
        """Keeps the report on what a storage calls by this revision."""
        if self._base is not None:
            self._keep(self._far_key(report.path, revision), (), "", report)

    def _far_key(self, name: str, revision: str) -> str:
        text = canonical((self._base, "far", name, revision))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def _check_mapped(
        self, artifact: Artifact, mapped: mmap.mmap, key: str, judge: JudgeArtifact
    ) -> ArtifactReport:
        before = _state(artifact)
        traced = TracedBytes(mapped)
        is_hashed = artifact.digest is not None
        report = judge(artifact if is_hashed else replace(artifact, buffer=traced))
        with timed(STAGE, "cache"):
            ranges = () if is_hashed else traced.ranges()
            digest = artifact.digest or digest_of(mapped, ranges)
            # Others may write to the file while it is mapped: then nobody knows what was judged.
            is_sure = before == _state(artifact) and _is_old(before, time.time_ns())
            if digest is not None and is_sure:
                self._keep(key, ranges, digest, report)
        return report

    def _find(self, key: str, artifact: Artifact, known: str | None) -> ArtifactReport | None:
        raw = self._store.get(key)
        content = unpack(raw) if raw is not None else None
        if content is None:
            return None
        ranges, digest, report = content
        if (report.path, report.size, report.sha256) != (artifact.path, artifact.size, known):
            return None
        if known is None:
            if not isinstance(artifact.buffer, mmap.mmap):
                return None
            known = digest_of(artifact.buffer, ranges)
        return report if known == digest else None

    def _keep(
        self, key: str, ranges: tuple[Range, ...], digest: str, report: ArtifactReport
    ) -> None:
        if report.internal_errors or any(_state(d) != s for d, s in self._mapped):
            return
        raw = pack((ranges, digest, report))
        if raw is not None:
            self._store.put(key, raw)

    def _key(self, artifact: Artifact, known: str | None) -> str:
        """By content, where all of it is read anyway; else by name, to be compared by ranges."""
        text = canonical((self._base, artifact.path, artifact.size, known))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def identity(settings: Settings, data: Sequence[Artifact], ends: Sequence[int]) -> str:
    """Everything that a report depends on, besides the artifact.

    Raises:
        Unknown: an option is an object of its own, such as declared pipelines, which look at other
            files.
        NotFetchedError: a data file is far away.
    """
    rules = tuple((r.id, r.name, r.severity, r.module) for r in settings.rules)
    files = []
    for artifact, end in zip(data, ends, strict=True):
        content = take(artifact.buffer, 0, max(end, head_bytes()))
        files.append((artifact.path, artifact.size, hashlib.sha256(content).hexdigest()))
    text = canonical(
        (
            fingerprint(settings.rules),
            rules,
            settings.target,
            settings.severity,
            settings.options,
            settings.rule_options,
            settings.allow_unjudged,
            tuple(files),
        )
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_State = tuple[int, int, int, int, int]


def _state(artifact: Artifact) -> _State | None:
    """What changes when the file does; None where there is no such file."""
    try:
        told = os.stat(artifact.path)  # noqa: PTH116 - an artifact's path is text
    except (OSError, ValueError):
        return None
    return told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns, told.st_ctime_ns


def _is_old(state: _State | None, now: int) -> bool:
    return state is not None and now - max(state[3], state[4]) > _SETTLED
