"""Makes the engine's settings from the user's, in this process or another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pte_lint.claims.finding import Json, Severity
from pte_lint.claims.forecast import Verification
from pte_lint.claims.target import Target, TargetError
from pte_lint.cli import rulebook
from pte_lint.cli.errors import Trouble
from pte_lint.config.settings import RunSettings
from pte_lint.judging.engine import Settings
from pte_lint.rulebook.given_options import Given, OptionError, by_rule
from pte_lint.rulebook.registry import RuleLoadError
from pte_lint.rulebook.rule import Rule
from pte_lint.rulebook.selection import SelectorError, find_rule
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Recipe:
    """Calling it loads the rules and makes the settings; it is picklable, rules are not."""

    settings: RunSettings

    def __call__(self) -> Settings:
        """Makes the engine's settings.

        Raises:
            Trouble: a selector, a severity or the target names nothing known.
        """
        return self.cook(rulebook.every_rule(self.settings.isolated))

    def cook(self, every: tuple[Rule, ...]) -> Settings:
        """Makes the engine's settings from rules that are loaded already."""
        run = self.settings
        return Settings(
            rules=rulebook.chosen(every, run.select, run.ignore, run.severity),
            target=_target(run),
            severity=_severities(every, run.severity),
            options=run.rule_options,
            rule_options=_options(every, run.options),
            allow_unjudged=run.allow_unjudged,
        )


def _options(every: tuple[Rule, ...], given: Given) -> dict[str, Mapping[str, Json]]:
    try:
        return by_rule(every, given)
    except OptionError as exc:
        raise Trouble(*exc.lines) from exc


def _target(run: RunSettings) -> Target:
    target = _named_target(run)
    if not run.libraries:
        return target
    from pte_lint.harness.capture import with_libraries
    from pte_lint.harness.errors import HarnessUnavailable

    try:
        return replace(target, profile=with_libraries(target.profile, run.libraries))
    except HarnessUnavailable as exc:
        raise Trouble(f"{exc.reason} {exc.hint}") from exc


def _named_target(run: RunSettings) -> Target:
    verification = Verification(run.verification)
    if run.target is None:
        return Target(verification=verification)
    try:
        target = Target.parse(run.target, verification)
        if target.profile.others and not run.isolated:
            from pte_lint.rulebook.target_keys import check_target

            check_target(target)
    except TargetError as exc:
        raise Trouble(str(exc)) from exc
    except RuleLoadError as exc:
        raise Trouble(*exc.lines) from exc
    return target


def _severities(every: tuple[Rule, ...], given: Mapping[str, Severity]) -> dict[str, Severity]:
    try:
        return {find_rule(every, word).id: level for word, level in given.items()}
    except SelectorError as exc:
        raise Trouble(f"severity: {exc}") from exc
