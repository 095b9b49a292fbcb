"""Checks many artifacts, one after the other or in several processes, in a fixed order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from pte_lint.claims.result import ArtifactReport
from pte_lint.cli.paths import Input
from pte_lint.clock import STAGE, Clock, Seconds, run_clock, running, timed
from pte_lint.data.reading import open_data
from pte_lint.files.artifact import Artifact, open_artifact
from pte_lint.files.fetched import ArtifactError
from pte_lint.judging.engine import Settings, check_artifact
from pte_lint.schema.frozen import dataclass

if TYPE_CHECKING:
    from pte_lint.cache.results import Results
    from pte_lint.files.remote.caps import Caps
    from pte_lint.schema.loaded import LoadedFlatTensor

DataFile = Path | Artifact
"""A .ptd: a path, or the tables of one that is far away, fetched once for all processes."""

Loads = tuple[int, ...]
"""The data files that an artifact is loaded with, by their positions among all."""

MakeSettings = Callable[[], Settings]
"""Makes the engine's settings. Rules cannot travel between processes, what makes them can."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An artifact that could not be opened."""

    message: str
    again: float | None = None
    """Seconds after which it may work, where that is so."""


Result = ArtifactReport | Failure


def processes(jobs: int, count: int) -> int:
    """How many processes check `count` artifacts; 0 jobs mean one per CPU."""
    return min(jobs or os.cpu_count() or 1, count)


def fetch_data(data: Sequence[Path | str], caps: Caps) -> tuple[DataFile, ...]:
    """Fetches the tables of the data files that are behind addresses.

    Raises:
        ArtifactError: one of them cannot be read.
    """
    found: list[DataFile] = []
    for each in data:
        if isinstance(each, Path):
            found.append(each)
            continue
        with open_artifact(each, caps=caps) as far:
            from pte_lint.files.remote.known_bytes import KnownBytes

            assert isinstance(far.buffer, KnownBytes)
            found.append(Artifact(far.path, far.buffer.detached()))
    return tuple(found)


def run(
    inputs: Sequence[Input],
    make: MakeSettings,
    data: Sequence[DataFile],
    jobs: int,
    *,
    loads: Sequence[Loads] | None = None,
    caps: Caps | None = None,
    cache: int | None = None,
) -> Iterator[Result]:
    """Yields one result per input, in the order of the inputs whatever the number of jobs.

    Args:
        inputs: what to check.
        make: makes the settings; with several jobs it is called once in each process and must
            be picklable.
        data: .ptd files that programs are loaded with.
        jobs: processes; 0 means one per CPU.
        loads: by input, those of `data` that it is loaded with; None: all of them.
        caps: how much may be fetched of each address; None: the defaults.
        cache: from how many bytes on results are kept; None: never.

    Raises:
        ArtifactError: a data file cannot be opened.
    """
    jobs = processes(jobs, len(inputs))
    tasks = list(zip(inputs, loads or [tuple(range(len(data)))] * len(inputs), strict=True))
    if jobs > 1:
        yield from _in_processes(tasks, (make, tuple(data), caps, cache), jobs)
        return
    with Worker(make, data, caps, cache) as worker:
        for left, task in enumerate(tasks, 1 - len(tasks)):
            yield worker.check(*task, is_last=left == 0)


class Worker:
    """Settings and opened data files, for as long as artifacts are checked against them."""

    def __init__(
        self,
        make: MakeSettings,
        data: Sequence[DataFile],
        caps: Caps | None,
        cache: int | None,
    ) -> None:
        with timed(STAGE, "load"):
            self._settings = make()
        self._caps = caps
        self._stack = ExitStack()
        self._files = [self._open(each) for each in data]
        self._data: tuple[LoadedFlatTensor, ...] = tuple(map(open_data, self._files))
        self._cache = cache
        self._results: dict[Loads, Results] = {}

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _open(self, file: DataFile) -> Artifact:
        if isinstance(file, Artifact):
            return file
        return self._stack.enter_context(open_artifact(file))

    def _results_with(self, loads: Loads) -> Results:
        from pte_lint.cache.place import folder
        from pte_lint.cache.results import Results
        from pte_lint.cache.store import Store

        if loads not in self._results:
            with timed(STAGE, "cache"):
                files = [self._files[i] for i in loads]
                ends = [self._data[i].container.program_range.size for i in loads]
                self._results[loads] = Results(Store(folder()), self._settings, files, ends)
        return self._results[loads]

    def check_once(self, each: Input, loads: Loads) -> Result:
        """Judges one input, or remembers what was said of the revision that a listing names."""
        if self._cache is None or each.address is None or each.revision is None:
            return self.check(each, loads)
        results = self._results_with(loads)
        known = results.remembered(each.name, each.revision)
        if known is not None:
            return known
        result = self.check(each, loads)
        if isinstance(result, ArtifactReport):
            results.remember(each.revision, result)
        return result

    def check(self, each: Input, loads: Loads, is_last: bool = False) -> Result:
        """Judges one input; what was worked out about the last one is left to the system."""
        data = [self._data[i] for i in loads]

        def judge(artifact: Artifact) -> ArtifactReport:
            return check_artifact(artifact, self._settings, data, release=not is_last)

        try:
            with (
                timed(STAGE, "open"),
                open_artifact(each.source, each.name, self._caps) as artifact,
            ):
                if self._cache is None or artifact.size < self._cache:
                    return judge(artifact)
                return self._results_with(loads).check(artifact, judge)
        except ArtifactError as exc:
            return Failure(exc.strerror or str(exc), exc.again)


_worker: Worker | None = None
"""The worker of this process, in a pool."""


_clock: Clock | None = None
"""Its clock, where anything is timed."""


State = tuple[MakeSettings, tuple[DataFile, ...], "Caps | None", int | None]
"""What workers are made of."""


def _start(state: State, is_timed: bool) -> None:
    global _worker, _clock  # noqa: PLW0603 - how a pool hands state to its tasks
    _clock = Clock() if is_timed else None
    with run_clock(_clock):
        _worker = Worker(*state)


def _task(task: tuple[Input, Loads]) -> tuple[Result, Seconds]:
    assert _worker is not None
    with run_clock(_clock):
        result = _worker.check(*task)
    return result, _clock.take() if _clock is not None else {}


def _in_processes(
    tasks: Sequence[tuple[Input, Loads]], state: State, jobs: int
) -> Iterator[Result]:
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
    from multiprocessing import get_context

    # Fail here, in one line, rather than in every process.
    for file in state[1]:
        if isinstance(file, Path):
            with open_artifact(file):
                pass
    # Not fork: the progress display runs a thread.
    clock = running()
    made = (state, clock is not None)
    with ProcessPoolExecutor(jobs, get_context("spawn"), _start, made) as pool:
        size = max(1, len(tasks) // (jobs * 8))
        results = pool.map(_task, tasks, chunksize=size)
        while True:
            try:
                result, seconds = next(results)
            except StopIteration:
                return
            except BrokenExecutor as exc:
                why = "a process that judged files was ended, for want of memory perhaps"
                raise ArtifactError(0, f"{why}: try fewer with -j") from exc
            if clock is not None:
                clock.add(seconds)
            yield result
