"""Loads and selects rules for commands, turning the library's errors into one-line ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pte_lint.cli.errors import Trouble, plugin_trouble
from pte_lint.rulebook.registry import RuleLoadError, load_rules
from pte_lint.rulebook.rule import Rule
from pte_lint.rulebook.selection import SelectorError, find_rule, rules_to_run


def every_rule(isolated: bool) -> tuple[Rule, ...]:
    """All rules there are, sorted by id."""
    try:
        return load_rules(isolated)
    except RuleLoadError as exc:
        raise plugin_trouble(exc.lines, exc.tracebacks) from exc


def chosen(
    rules: Sequence[Rule],
    select: Iterable[str],
    ignore: Iterable[str],
    severity: Iterable[str] = (),
) -> tuple[Rule, ...]:
    """The rules to run that these selectors leave; see `rules_to_run`."""
    try:
        return rules_to_run(rules, select, ignore, severity)
    except SelectorError as exc:
        raise Trouble(str(exc)) from exc


def named(rules: Sequence[Rule], words: Iterable[str]) -> tuple[Rule, ...]:
    """The rules with these ids or names, in the order asked for, each once."""
    try:
        return tuple(dict.fromkeys(find_rule(rules, word) for word in words))
    except SelectorError as exc:
        raise Trouble(str(exc)) from exc


def split(values: Iterable[str]) -> tuple[str, ...]:
    """Flattens repeated and comma-separated selectors."""
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())
