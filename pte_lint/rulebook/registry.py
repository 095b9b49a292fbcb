"""Where rules come from: the entry-point group `pte_lint.rules`, built-in ones included.

What plugins bring is looked over before anything else sees it: a rule that cannot be used is told
to its author, all faults of all plugins at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from pte_lint.rulebook.interface import INTERFACE_VERSION, REQUIRED
from pte_lint.rulebook.origin import Origin, entry_points_of_others
from pte_lint.rulebook.rule import Rule

GROUP = "pte_lint.rules"
_BUILTIN: Final = ("builtin", "pte_lint.rules:RULES")
"""The package's own entry point, as pyproject.toml declares it: needs no look at what is
installed, and no import of the rules from here."""


class RuleLoadError(RuntimeError):
    """Plugins that cannot be used: a line for each fault, and the tracebacks of those that fell."""

    def __init__(self, lines: Sequence[str], tracebacks: Sequence[str] = ()) -> None:
        """Takes the lines, each of which names the plugin and says what to change."""
        super().__init__("\n".join(lines))
        self.lines = tuple(lines)
        self.tracebacks = tuple(tracebacks)


@lru_cache(maxsize=2)
def load_rules(isolated: bool = False) -> tuple[Rule, ...]:
    """Loads all rules, sorted by id.

    Args:
        isolated: only the built-in ones, whatever else is installed.

    Raises:
        RuleLoadError: plugins cannot be used.
    """
    module, _, attribute = _BUILTIN[1].partition(":")
    rules = {rule.id: rule for rule in getattr(import_module(module), attribute)}
    if not isolated:
        lines: list[str] = []
        tracebacks: list[str] = []
        for origin, load in entry_points_of_others(GROUP, _BUILTIN):
            lines += _add(rules, origin, load, tracebacks)
        if lines:
            raise RuleLoadError(lines, tracebacks)
    return tuple(rules[key] for key in sorted(rules))


def _add(
    rules: dict[str, Rule], origin: Origin, load: Callable[[], Any], tracebacks: list[str]
) -> Iterator[str]:
    """Adds the rules of one entry point; yields what is wrong with it."""
    # Imported here: where nothing but pte-lint is installed there is nothing to look over.
    from pte_lint.rulebook.vetting import faults

    try:
        loaded = load()
        found = [loaded] if isinstance(loaded, Rule) else _several(loaded)
    except (Exception, SystemExit) as exc:
        import traceback

        tracebacks.append(traceback.format_exc())
        told = str(exc) or "no more is said"
        yield f"{origin}: it cannot be loaded: {type(exc).__name__}: {told}"
        return
    module = sys.modules.get(origin.value.partition(":")[0].strip())
    wanted = getattr(module, REQUIRED, INTERFACE_VERSION)
    if wanted != INTERFACE_VERSION:
        yield (
            f"{origin}: it is made for version {wanted!r} of pte_lint.plugin, and this is version "
            f"{INTERFACE_VERSION}: install one that fits"
        )
        return
    names = {rule.name: rule for rule in rules.values()}
    for rule in found:
        label = f"{origin}: {_label(rule)}"
        wrong = list(faults(rule))
        if not wrong:
            assert isinstance(rule, Rule)
            wrong = [*_taken("id", rules.get(rule.id)), *_taken("name", names.get(rule.name))]
        yield from (f"{label}{each}" for each in wrong)
        if not wrong:
            assert isinstance(rule, Rule)
            rules[rule.id] = names[rule.name] = replace(rule, origin=origin)


def _several(loaded: Any) -> list[object]:
    if isinstance(loaded, str | bytes | dict) or callable(loaded):
        raise TypeError(f"{loaded!r} is no list of rules")
    return list(loaded)


def _label(rule: object) -> str:
    """How a message names a rule, whatever it is."""
    known = str(getattr(rule, "id", "")) if isinstance(rule, Rule) else ""
    return f"rule {known}: " if known else ""


def _taken(what: str, by: Rule | None) -> Iterator[str]:
    if by is not None:
        whose = by.origin.plugin if by.origin else "pte-lint"
        value = by.id if what == "id" else by.name
        yield f"the {what} {value} is taken by {by.id} of {whose}: choose another"
