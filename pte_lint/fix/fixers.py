"""Where fixers come from: the entry-point group `pte_lint.fixes`, built-in ones included."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from typing import Final

from pte_lint.edits.fixer import Fixer
from pte_lint.rulebook.installed import others_may_declare

GROUP: Final = "pte_lint.fixes"
_BUILTIN: Final = "builtin"
_BUILTIN_VALUE: Final = "pte_lint.rules.fixes", "FIXES"


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
    module, attribute = _BUILTIN_VALUE
    fixers: dict[str, Fixer] = {}
    _add(fixers, _BUILTIN, getattr(import_module(module), attribute))
    if not isolated and others_may_declare(GROUP):
        from importlib.metadata import entry_points

        for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
            if point.name == _BUILTIN:
                continue
            try:
                loaded = point.load()
            except Exception as exc:
                raise FixerLoadError(f"fixes {point.name!r} ({point.value}): {exc!r}") from exc
            _add(fixers, point.name, [loaded] if isinstance(loaded, Fixer) else loaded)
    return fixers


def _add(fixers: dict[str, Fixer], source: str, found: Iterable[object]) -> None:
    for each in found:
        if not isinstance(each, Fixer):
            raise FixerLoadError(f"fixes {source!r}: {each!r} is no pte_lint.edits.fixer.Fixer")
        if each.rule in fixers:
            raise FixerLoadError(f"fixes {source!r}: {each.rule} has a fixer already")
        fixers[each.rule] = each
