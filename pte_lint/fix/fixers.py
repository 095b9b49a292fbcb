"""Where fixers come from: the entry-point group `pte_lint.fixes`, built-in ones included."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from typing import Final

from pte_lint.edits.fixer import Fixer
from pte_lint.rulebook.origin import entry_points_of_others

GROUP: Final = "pte_lint.fixes"
_OWN: Final = ("builtin", "pte_lint.rules.fixes:FIXES")


class FixerLoadError(RuntimeError):
    """A package's fixers cannot be loaded, are no fixers, or undo a rule that has one."""


@lru_cache(maxsize=2)
def load_fixers(isolated: bool = False) -> dict[str, Fixer]:
    """Loads all fixers, by rule.

    Args:
        isolated: only the built-in ones, whatever else is installed.

    Raises:
        FixerLoadError: with the name of the entry point that is at fault.
    """
    module, _, attribute = _OWN[1].partition(":")
    fixers: dict[str, Fixer] = {}
    _add(fixers, "pte-lint", getattr(import_module(module), attribute))
    for origin, load in () if isolated else entry_points_of_others(GROUP, _OWN):
        try:
            loaded = load()
        except Exception as exc:
            raise FixerLoadError(f"{origin}: it cannot be loaded: {exc!r}") from exc
        _add(fixers, str(origin), [loaded] if isinstance(loaded, Fixer) else loaded)
    return fixers


def _add(fixers: dict[str, Fixer], source: str, found: Iterable[object]) -> None:
    for each in found:
        if not isinstance(each, Fixer):
            raise FixerLoadError(f"{source}: {each!r} is no pte_lint.edits.fixer.Fixer")
        if each.rule in fixers:
            raise FixerLoadError(f"{source}: {each.rule} has a fixer already")
        fixers[each.rule] = each
