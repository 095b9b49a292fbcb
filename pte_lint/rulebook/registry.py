"""Where rules come from: the entry-point group `pte_lint.rules`, built-in ones included."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from pte_lint.rulebook.installed import others_may_declare
from pte_lint.rulebook.rule import Rule

GROUP = "pte_lint.rules"
_BUILTIN: Final = "builtin"
_BUILTIN_VALUE: Final = "pte_lint.rules:RULES"
"""The package's own entry point, as pyproject.toml declares it: needs no look at what is
installed, and no import of the rules from here."""


class RuleLoadError(RuntimeError):
    """A rule package cannot be loaded, gives something else than rules, or reuses an id."""


@lru_cache(maxsize=2)
def load_rules(isolated: bool = False) -> tuple[Rule, ...]:
    """Loads all rules, sorted by id.

    Args:
        isolated: only the built-in ones, whatever else is installed.

    Raises:
        RuleLoadError: with the name of the entry point that is at fault.
    """
    points = [(_BUILTIN, _BUILTIN_VALUE, _load_builtin)]
    if not isolated and others_may_declare(GROUP):
        points += _others()
    rules: dict[str, Rule] = {}
    for name, value, load in points:
        try:
            loaded = load()
        except Exception as exc:
            raise RuleLoadError(f"rules {name!r} ({value}): {exc!r}") from exc
        _add(rules, name, [loaded] if isinstance(loaded, Rule) else loaded)
    return tuple(rules[key] for key in sorted(rules))


def _load_builtin() -> Any:
    module, _, attribute = _BUILTIN_VALUE.partition(":")
    return getattr(import_module(module), attribute)


def _others() -> list[tuple[str, str, Callable[[], Any]]]:
    """Name, value and loader of the entry points that other packages declare, by name."""
    from importlib.metadata import entry_points

    others = (p for p in entry_points(group=GROUP) if p.name != _BUILTIN)
    return [(p.name, p.value, p.load) for p in sorted(others, key=lambda p: p.name)]


def _add(rules: dict[str, Rule], source: str, found: Iterable[object]) -> None:
    for rule in found:
        if not isinstance(rule, Rule):
            raise RuleLoadError(f"rules {source!r}: {rule!r} is no pte_lint.rulebook.rule.Rule")
        if rule.id in rules:
            raise RuleLoadError(f"rules {source!r}: the id {rule.id} is taken")
        rules[rule.id] = rule
