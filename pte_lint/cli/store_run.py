"""A run whose results go to a folder of tables: any number of artifacts in the same memory."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timezone
from itertools import chain, groupby
from pathlib import Path
from typing import Final

from pte_lint._version import __version__
from pte_lint.cache.canonical import Unknown
from pte_lint.cache.results import identity
from pte_lint.claims.finding import Severity
from pte_lint.claims.result import ArtifactReport
from pte_lint.claims.target import Target
from pte_lint.cli.batches import Batch, batches
from pte_lint.cli.crew import Crew, far, here, in_order
from pte_lint.cli.errors import Trouble
from pte_lint.cli.limits import Limits
from pte_lint.cli.one_by_one import OneByOne, State
from pte_lint.cli.paths import Input, expanded, shown_argument
from pte_lint.cli.progress import tracked
from pte_lint.cli.runner import Failure, Result
from pte_lint.config.baseline import BaselineError
from pte_lint.config.data_for import AUTO, DataFor
from pte_lint.config.settings import RunSettings
from pte_lint.files.remote.address import scheme
from pte_lint.files.sieve import Sieve
from pte_lint.files.walking import Names, TooManyNames
from pte_lint.schema.frozen import dataclass, field
from pte_lint.store.arrow import NoArrowError, parquet
from pte_lint.store.folder import Part, ResultFolder
from pte_lint.store.tables import LAYOUT, Row, artifact_row, failed_row, finding_rows, verdict_rows
from pte_lint.text.sanitise import exact
from pte_lint.text.words import count

_TOLD: Final = 20
"""Artifacts that failed that are told one by one."""


@dataclass(frozen=True, slots=True)
class StoreRun:
    """What to judge, with what, and by whom."""

    settings: RunSettings
    into: Path
    arguments: tuple[str, ...]
    sieve: Sieve = field(default_factory=Sieve)
    limits: Limits = field(default_factory=Limits)
    jobs: int = 1
    scheduler: str | None = None
    cache: int | None = None
    quiet: bool = False


class Outcome:
    """What became of a run."""

    def __init__(self, settings: RunSettings) -> None:
        """Nothing yet."""
        self._settings = settings
        self.artifacts = 0
        self.resumed = 0
        """Those of parts that an earlier run left."""
        self.has_findings = False
        """Whether any are what the run fails for."""
        self.failed = 0
        self.failures: list[str] = []
        """Why, of the first of them."""
        self.internal_errors = 0
        self.left_out = 0
        """Artifacts beyond the limit."""
        self.is_cut = False
        """Whether names were looked at no more."""
        self.remarks: list[str] = []
        self.reports: list[ArtifactReport] = []
        """All of them, where somebody else wants them."""

    def count(self, row: Row) -> None:
        """Counts an artifact by its row."""
        self.artifacts += 1
        if row["status"] == "failed":
            self.failed += 1
            if len(self.failures) < _TOLD:
                self.failures.append(row["failure"])
            return
        self.internal_errors += row["internal_errors"]
        fail_on = self._settings.fail_on
        counts = zip(Severity, (row["errors"], row["warnings"], row["infos"]), strict=True)
        if fail_on is not None:
            self.has_findings |= any(n for each, n in counts if each.rank <= fail_on.rank)
            self.has_findings |= self._settings.fail_on_unchecked and row["unchecked"] > 0

    @property
    def troubles(self) -> list[str]:
        """Why the run does not pass whatever was found, one line each."""
        told = list(self.failures)
        if self.failed > len(told):
            told.append(f"and {self.failed - len(told)} more that could not be judged")
        if self.left_out or self.is_cut:
            told.append(f"{self.beyond}: allow more with --limit artifacts=N and --limit names=N")
        if self.internal_errors:
            told.append("a rule failed: see internal_errors in artifacts.parquet")
        return told

    @property
    def beyond(self) -> str:
        """What is beyond the limits; empty where nothing is."""
        if not self.left_out and not self.is_cut:
            return ""
        least = "at least " if self.is_cut else ""
        return f"{least}{count(self.left_out, 'artifact')} beyond the limits not judged"


def run(what: StoreRun, *, keep: bool = False) -> Outcome:
    """Judges everything and writes the folder.

    Args:
        what: the run.
        keep: whether to keep all reports for other formats, which takes memory.

    Raises:
        Trouble: something is wrong with settings, arguments or the folder. What was judged until
            then is there for the next try.
    """
    outcome = Outcome(what.settings)
    today = datetime.now(timezone.utc).date()
    folder_here = os.getcwd()  # noqa: PTH109 - text
    state = State(what.settings, what.cache, today, folder_here, is_brief=not keep)
    try:
        parquet()
        judge = OneByOne(state)
    except (NoArrowError, BaselineError) as exc:
        raise Trouble(str(exc)) from exc
    judged_by = os.urandom(32) if keep else _judged_by(state, judge)
    found = batches(_inputs(what, outcome), judged_by, beside=AUTO in what.settings.data)
    try:
        with ResultFolder(what.into).opened() as folder, _crew(what, state) as crew:
            keys: list[str] = []
            results = tracked(in_order(crew, _work(found, folder)), (), 0, what.quiet)
            for key, told in groupby(results, lambda each: each[0].key):
                keys.append(key)
                batch, first = next(told)
                if first is None:
                    outcome.resumed += len(batch.inputs)
                else:
                    results_of_batch = chain([first], (result for _, result in told))
                    with folder.part(key) as part:
                        for each, result in zip(batch.inputs, results_of_batch, strict=True):
                            assert result is not None
                            _write(part, each, result, judge.engine.target)
                            if keep and isinstance(result, ArtifactReport):
                                outcome.reports.append(result)
                for row in folder.rows(key):
                    outcome.count(row)
            folder.finish(keys, _told(keys, outcome, judge))
    except OSError as exc:
        raise Trouble(f"cannot write {what.into}: {exc.strerror or exc}") from exc
    return outcome


def _work(found: Iterable[Batch], folder: ResultFolder) -> Iterator[tuple[Batch, Input | None]]:
    """The inputs of each batch; of one that is there already, none."""
    for batch in found:
        if folder.has(batch.key):
            yield batch, None
        else:
            yield from ((batch, each) for each in batch.inputs)


def _write(part: Part, each: Input, result: Result, target: Target) -> None:
    if isinstance(result, Failure):
        part.add("artifacts", [failed_row(each.name, result.message, target, each.revision)])
        return
    part.add("artifacts", [artifact_row(result, target, each.revision)])
    part.add("verdicts", verdict_rows(result, target))
    part.add("findings", finding_rows(result))


def _crew(what: StoreRun, state: State) -> AbstractContextManager[Crew]:
    if what.scheduler is not None:
        return far(state, what.limits, what.scheduler)
    return here(state, what.limits, what.jobs or os.cpu_count() or 1)


def _inputs(what: StoreRun, outcome: Outcome) -> Iterator[Input]:
    """What the arguments stand for, each once, as far as the limits allow."""
    names = Names(what.limits.names)
    # Nothing but pages of links names a file twice.
    is_web = any(scheme(each) in ("http", "https") for each in what.arguments)
    seen: set[bytes] | None = set() if is_web or len(what.arguments) > 1 else None
    taken = 0
    for argument in what.arguments:
        is_any = False
        try:
            for key, each in expanded(argument, what.sieve, names, what.settings.caps.timeout):
                is_any = True
                if seen is not None:
                    known = hashlib.blake2b(os.fsencode(key), digest_size=16).digest()
                    if known in seen:
                        continue
                    seen.add(known)
                if taken < what.limits.artifacts:
                    taken += 1
                    yield each
                else:
                    outcome.left_out += 1
        except TooManyNames:
            outcome.is_cut = True
            return
        if not is_any:
            outcome.remarks.append(f"nothing to check in {shown_argument(argument)}")


def _judged_by(state: State, judge: OneByOne) -> bytes:
    """Identifies what judges: random where it cannot be told, so that nothing is like it."""
    run = state.settings
    given = [each.file if isinstance(each, DataFor) else each for each in run.data]
    files = [run.baseline_path, *(each for each in given if isinstance(each, Path))]
    try:
        engine = identity(judge.engine, (), ())
        states = [each.stat() for each in files if each is not None]
    except (Unknown, OSError):
        return os.urandom(32)
    today = state.today if run.ignores else None
    told = repr((engine, run.ignores, run.root, today, run.data, run.caps, states))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).digest()


def _told(keys: Sequence[str], outcome: Outcome, judge: OneByOne) -> str:
    """What the files tell of the run, as JSON."""
    target = judge.engine.target
    told = {
        "layout": LAYOUT,
        "tool_version": __version__,
        "runtime": target.runtime,
        "verification": str(target.verification),
        "profile": exact(target.profile.name),
        "beyond": outcome.beyond,
        "parts": hashlib.sha256(" ".join(keys).encode()).hexdigest(),
    }
    return json.dumps(told, sort_keys=True)
