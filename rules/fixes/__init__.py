"""How findings of the built-in rules are undone.

`FIXES` is the value of the entry point `builtin` in the group `pte_lint.fixes`.
"""

from __future__ import annotations

from pte_lint.rules.fixes import boundary, container, copies, devices, hygiene, memory

from pte_lint.edits.fixer import Fixer

FIXES: tuple[Fixer, ...] = tuple(
    each
    for module in (boundary, container, copies, devices, hygiene, memory)
    for each in vars(module).values()
    if isinstance(each, Fixer)
)
