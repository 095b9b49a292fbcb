"""Where rules come from: the entry-point group `pte_lint.rules`, built-in ones included."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points

from pte_lint.rule import Rule

GROUP = "pte_lint.rules"
_BUILTIN = EntryPoint("builtin", "pte_lint.rules:RULES", GROUP)
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
    points = [_BUILTIN]
    if not isolated:
        others = (p for p in entry_points(group=GROUP) if p.name != _BUILTIN.name)
        points += sorted(others, key=lambda p: p.name)
    rules: dict[str, Rule] = {}
    for point in points:
        try:
            loaded = point.load()
        except Exception as exc:
            raise RuleLoadError(f"rules {point.name!r} ({point.value}): {exc!r}") from exc
        _add(rules, point.name, [loaded] if isinstance(loaded, Rule) else loaded)
    return tuple(rules[key] for key in sorted(rules))


def _add(rules: dict[str, Rule], source: str, found: Iterable[object]) -> None:
    for rule in found:
        if not isinstance(rule, Rule):
            raise RuleLoadError(f"rules {source!r}: {rule!r} is no pte_lint.rule.Rule")
        if rule.id in rules:
            raise RuleLoadError(f"rules {source!r}: the id {rule.id} is taken")
        rules[rule.id] = rule
