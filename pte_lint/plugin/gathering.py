"""The rules of a package, one a module, without a list to keep."""

from __future__ import annotations

import sys
from importlib import import_module
from pkgutil import iter_modules

from pte_lint.rulebook.rule import Rule


def rules_in(package: str) -> list[Rule]:
    """Imports the modules of a package and returns the rules that they declare, by id.

    A plugin's `__init__.py` ends with `RULES = rules_in(__name__)`. Modules whose names begin with
    an underscore are left out, as are packages below.

    Args:
        package: the name of the package, which is being imported or has been.
    """
    found: dict[int, Rule] = {}
    for info in iter_modules(sys.modules[package].__path__):
        if info.ispkg or info.name.startswith("_"):
            continue
        module = import_module(f"{package}.{info.name}")
        rules = (value for value in vars(module).values() if isinstance(value, Rule))
        found.update((id(rule), rule) for rule in rules if rule.module == module.__name__)
    return sorted(found.values(), key=lambda rule: str(rule.id))
