"""Judges artifacts one by one, each with its own data files: what processes of a large run do."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Final

from pte_lint._version import __version__
from pte_lint.claims.result import ArtifactReport, Report
from pte_lint.cli import rulebook
from pte_lint.cli.beside import DataOf, with_siblings
from pte_lint.cli.paths import Input
from pte_lint.cli.recipe import Recipe
from pte_lint.cli.runner import Failure, Result, Worker, fetch_data
from pte_lint.config.baseline import compare, load
from pte_lint.config.settings import RunSettings, folder_of
from pte_lint.config.suppression import suppress
from pte_lint.files.fetched import ArtifactError
from pte_lint.files.remote.patience import TRIES, pause
from pte_lint.schema.frozen import dataclass

_KEPT: Final = 8
"""Sets of data files that stay open."""


@dataclass(frozen=True, slots=True)
class State:
    """What a process needs to judge for a run; it can be pickled."""

    settings: RunSettings
    cache: int | None
    """From how many bytes on results are kept; None: never."""
    today: date
    """Decides which ignore entries have expired."""
    folder: str = ""
    """The working folder, which names of inputs are relative to; "": the process's own."""
    is_brief: bool = False
    """Whether nobody wants what tables do not tell: the results of all rules are nine tenths of a
    report on a small program, and of the time that handing it on takes."""
    tool_version: str = __version__


class OneByOne:
    """Loads rules and baseline once."""

    def __init__(self, state: State) -> None:
        """Loads them.

        Raises:
            Trouble: the settings name something unknown.
            BaselineError: the baseline cannot be read.
        """
        self._state = state
        run = state.settings
        self._every = rulebook.every_rule(run.isolated)
        self.engine = Recipe(run).cook(self._every)
        file = run.baseline_path
        self._known = None if file is None else load(file)
        self._data_of = DataOf(run)
        self._workers: OrderedDict[tuple[Path | str, ...], Worker] = OrderedDict()

    def __call__(self, each: Input) -> Result:
        """Judges one input; what is busy is asked again."""
        for tried in range(1, TRIES + 1):
            result = self._judge(each)
            if not isinstance(result, Failure) or result.again is None or tried == TRIES:
                break
            time.sleep(pause(tried, result.again))
        return result if isinstance(result, Failure) else self._settled(result)

    def _judge(self, each: Input) -> Result:
        try:
            files = self._data_of(each)
            return self._worker(files).check_once(each, tuple(range(len(files))))
        except ArtifactError as exc:
            return Failure(exc.strerror or str(exc), exc.again)

    def _worker(self, files: tuple[Path | str, ...]) -> Worker:
        if files not in self._workers:
            caps = self._state.settings.caps
            data = fetch_data(files, caps)
            self._workers[files] = Worker(lambda: self.engine, data, caps, self._state.cache)
            if len(self._workers) > _KEPT:
                with self._workers.popitem(last=False)[1]:
                    pass
        self._workers.move_to_end(files)
        return self._workers[files]

    def _settled(self, artifact: ArtifactReport) -> ArtifactReport:
        """Without what ignore entries and the baseline set aside."""
        run = self._state.settings
        report = Report(self.engine.target, (with_siblings(artifact),), __version__)
        today, root = self._state.today, run.root
        report = suppress(report, run.ignores, self._every, root=root, today=today, ran=())
        file = run.baseline_path
        if file is not None and self._known is not None:
            folder = folder_of(file)
            root = folder if run.mirror is None else run.mirror.stands_for(folder)
            report = compare(report, self._known, root, file.name).report
        told = report.artifacts[0]
        return replace(told, rules=(), numbers={}) if self._state.is_brief else told
