"""One run over some artifacts: judging, progress, ignore entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING

from pte_lint._version import __version__
from pte_lint.claims.finding import Severity
from pte_lint.claims.result import ArtifactReport, Report
from pte_lint.cli import rulebook
from pte_lint.cli.beside import DataOf, taken, with_siblings
from pte_lint.cli.errors import Nothing, Trouble
from pte_lint.cli.paths import Gathered, Input
from pte_lint.cli.progress import tracked
from pte_lint.cli.recipe import Recipe
from pte_lint.cli.runner import DataFile, Failure, fetch_data, processes, run
from pte_lint.clock import STAGE, timed
from pte_lint.config.data_for import UnmatchedError, require_matches
from pte_lint.config.settings import RunSettings, folder_of
from pte_lint.config.suppression import suppress
from pte_lint.files.artifact import Artifact
from pte_lint.files.fetched import ArtifactError
from pte_lint.report.phrases import fetched_words
from pte_lint.rulebook.rule import Rule
from pte_lint.rulebook.selection import SelectorError
from pte_lint.schema.frozen import dataclass

if TYPE_CHECKING:
    from pte_lint.config.baseline import Comparison

_NAMED = 3
"""Rules that a note names."""


def require(found: Gathered) -> Gathered:
    """Makes sure that there is something to do.

    Raises:
        Trouble: there is not, since nothing could be read.
        Nothing: there is not.
    """
    if not found.inputs:
        found.all_read()
        raise Nothing("; ".join(found.remarks) or "nothing to check: give a file or a folder")
    return found


def fetch_notes(data: Sequence[DataFile]) -> tuple[str, ...]:
    """What was fetched of the data files that are far away, one sentence each."""
    return tuple(
        f"{file.path}: fetched {fetched_words(file.fetched)}"
        for file in data
        if isinstance(file, Artifact) and file.fetched is not None
    )


@dataclass(frozen=True, slots=True)
class Judged:
    """What a run gave."""

    report: Report
    rules: tuple[Rule, ...]
    """The rules that were run."""
    comparison: Comparison | None = None
    """With the baseline, if there is one; the report is then what it leaves."""


def require_programs(settings: RunSettings, inputs: Iterable[Input]) -> None:
    """Makes sure that each `--data PROGRAM=FILE` and `--contract` is for something here.

    Raises:
        Trouble: one is not.
    """
    names = [each.name for each in inputs]
    try:
        require_matches(settings.data, names)
    except UnmatchedError as exc:
        raise Trouble(str(exc)) from exc
    for each in settings.contracts:
        if each.is_required and not any(map(each.is_for, names)):
            raise Trouble(f"--contract {each.source}: no program here matches {each.artifact}")


@dataclass(frozen=True, slots=True)
class Job:
    """What `check` and `baseline` have in common."""

    settings: RunSettings
    today: date
    """Decides which ignore entries have expired."""

    def run(
        self,
        inputs: Sequence[Input],
        jobs: int = 1,
        quiet: bool = False,
        cache: int | None = None,
        unread: Sequence[str] = (),
    ) -> Judged:
        """Judges the inputs and sets aside what ignore entries cover.

        Args:
            inputs: what to judge.
            jobs: processes; 0 means one per CPU.
            quiet: show no progress.
            cache: from how many bytes on results are kept; None: never.
            unread: one line for each path that gave no input, for it could not be read.

        Raises:
            Trouble: the settings name something unknown, or a data file cannot be opened.
        """
        recipe = Recipe(self.settings)
        with timed(STAGE, "load"):
            every = rulebook.every_rule(self.settings.isolated)
            judged_by = recipe.cook(every)
        require_programs(self.settings, inputs)
        artifacts: list[ArtifactReport] = []
        failures = list(unread)
        try:
            needs = list(map(DataOf(self.settings), inputs))
            files = list(dict.fromkeys(chain.from_iterable(needs)))
            data = fetch_data(files, self.settings.caps)
            at = {file: position for position, file in enumerate(files)}
            loads = [tuple(at[file] for file in each) for each in needs]
            caps = self.settings.caps
            results = run(inputs, recipe, data, jobs, loads=loads, caps=caps, cache=cache)
            names = [each.name for each in inputs] if processes(jobs, len(inputs)) == 1 else []
            for result in tracked(results, names, len(inputs), quiet):
                if isinstance(result, Failure):
                    failures.append(result.message)
                else:
                    artifacts.append(result)
        except ArtifactError as exc:
            raise Trouble(exc.strerror or str(exc)) from exc
        notes = (*fetch_notes(data), *taken(self.settings.data, inputs, needs))
        told = tuple(with_siblings(artifact) for artifact in artifacts)
        report = Report(judged_by.target, told, __version__, notes, unread=tuple(failures))
        return self.settle(report, every, judged_by.rules)

    def settle(
        self,
        report: Report,
        every: Sequence[Rule],
        rules: Sequence[Rule],
    ) -> Judged:
        """Sets aside what ignore entries and the baseline cover.

        Args:
            report: the report as judged.
            every: all rules there are.
            rules: the rules that were run.

        Raises:
            Trouble: the settings name something unknown, or the baseline cannot be read.
        """
        with timed(STAGE, "settle"):
            return self._settle(report, every, rules)

    def _settle(self, report: Report, every: Sequence[Rule], rules: Sequence[Rule]) -> Judged:
        try:
            report = suppress(
                report,
                self.settings.ignores,
                every,
                root=self.settings.root,
                today=self.today,
                ran=frozenset(rule.id for rule in rules),
            )
        except SelectorError as exc:
            raise Trouble(str(exc)) from exc
        report = replace(report, notes=(*report.notes, *rules_left_out(every, rules)))
        report = self._with_pipelines(report)
        report = self._with_contracts(report)
        comparison = self._compare(report)
        if comparison is not None:
            report = comparison.report
        return Judged(report, tuple(rules), comparison)

    def _with_pipelines(self, report: Report) -> Report:
        """Notes the declared pipelines that nothing takes part in."""
        declared, file = self.settings.pipelines, self.settings.file
        if not declared or file is None:
            return report
        # Imported here: few runs declare any.
        from pte_lint.config.unmatched import unmatched_pipelines
        from pte_lint.rulebook.pipeline import Peers

        notes = unmatched_pipelines(report, declared, Peers(self.settings.root), file.name)
        return replace(report, notes=(*report.notes, *notes))

    def _with_contracts(self, report: Report) -> Report:
        """Notes the contracts that are about nothing here: most likely a misspelt name."""
        names = [each.path for each in report.artifacts]
        notes = [
            f"{each.source}: nothing that was checked matches {each.artifact}"
            for each in self.settings.contracts
            if names and not any(map(each.is_for, names))
        ]
        return replace(report, notes=(*report.notes, *notes)) if notes else report

    def _compare(self, report: Report) -> Comparison | None:
        file, mirror = self.settings.baseline_path, self.settings.mirror
        if file is None:
            return None
        from pte_lint.config.baseline import BaselineError, compare, load

        try:
            known = load(file)
        except BaselineError as exc:
            raise Trouble(str(exc)) from exc
        folder = folder_of(file)
        root = folder if mirror is None else mirror.stands_for(folder)
        return compare(report, known, root, file.name)


def rules_left_out(every: Sequence[Rule], rules: Sequence[Rule]) -> Iterator[str]:
    """Says that verdicts are those of some rules only."""
    asked = {rule.id for rule in rules}
    errors = [r.id for r in every if r.severity is Severity.ERROR and not r.is_optional]
    left = [each for each in errors if each not in asked]
    if left:
        which = ", ".join(left[:_NAMED]) + (", ..." if len(left) > _NAMED else "")
        yield (
            f"verdicts do not count what {len(left)} of {len(errors)} rules of errors would say, "
            f"which select or ignore left out ({which})"
        )
