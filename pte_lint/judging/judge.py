"""Judges artifacts one after the other with the same settings: what tests and plugins need.

The command line has a runner of its own, because it works with several processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from functools import cached_property

from pte_lint._version import __version__
from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Verification
from pte_lint.claims.result import Report
from pte_lint.claims.target import Target
from pte_lint.config.baseline import Baseline, compare, load
from pte_lint.config.settings import RunSettings, folder_of
from pte_lint.config.suppression import Ignore, suppress
from pte_lint.data.reading import held
from pte_lint.files.artifact import Source
from pte_lint.judging.engine import Settings, check_artifact
from pte_lint.judging.session import Session
from pte_lint.rulebook.given_options import by_rule
from pte_lint.rulebook.registry import load_rules
from pte_lint.rulebook.rule import Rule
from pte_lint.rulebook.selection import find_rule, rules_to_run


class Judge:
    """Loads the rules once; every call judges one artifact."""

    def __init__(self, settings: RunSettings) -> None:
        """Rules and target are looked up with the first artifact."""
        self.settings = settings

    def __call__(
        self,
        source: Source,
        *,
        name: str | None = None,
        data: Iterable[Source] = (),
        ignores: Iterable[Ignore] = (),
    ) -> Report:
        """Judges one artifact and sets aside what ignore entries and the baseline cover.

        Notes about entries that match nothing are left out: they may match the next artifact.

        Args:
            source: a path, an address, bytes, or an object with `.buffer`.
            name: the path to report instead of the source's own.
            data: .ptd files, besides those of the settings; without any an object's own.
            ignores: ignore entries, before those of the settings.

        Raises:
            ArtifactError: a path cannot be read.
            SelectorError: a selector, a severity or an ignore entry names no rule.
            TargetError: the target is not known.
            RuleLoadError: an installed rule package cannot be loaded.
            OptionError: a rule takes no such options.
            BaselineError: the baseline cannot be read.
        """
        run = self.settings
        with Session(self._engine, run.caps) as session:
            artifact = session.artifact(source, name)
            given = session.data((*run.data_of(artifact.path), *data)) or held(source)
            judged = check_artifact(artifact, self._engine, given)
        report = Report(self._engine.target, (judged,), __version__)
        entries = (*ignores, *run.ignores)
        today = datetime.now(timezone.utc).date()
        report = suppress(report, entries, self._rules, root=run.root, today=today, ran=())
        file = run.baseline_path
        if file is None:
            return report
        return compare(report, self._known, folder_of(file), file.name).report

    @cached_property
    def _known(self) -> Baseline:
        assert self.settings.baseline_path is not None
        return load(self.settings.baseline_path)

    @cached_property
    def _rules(self) -> tuple[Rule, ...]:
        return load_rules(self.settings.isolated)

    @cached_property
    def _engine(self) -> Settings:
        run = self.settings
        level = Verification(run.verification)
        target = Target(verification=level)
        if run.target is not None:
            target = Target.parse(run.target, level)
        return Settings(
            rules=rules_to_run(self._rules, run.select, run.ignore, run.severity),
            target=target,
            severity=_severities(run.severity, self._rules),
            options=run.rule_options,
            rule_options=by_rule(self._rules, run.options),
            allow_unjudged=run.allow_unjudged,
        )


def _severities(given: Mapping[str, Severity], rules: tuple[Rule, ...]) -> dict[str, Severity]:
    return {find_rule(rules, key).id: level for key, level in given.items()}
