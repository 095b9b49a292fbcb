"""The built-in rules: one judgement a file.

`RULES` is the value of the entry point `builtin` in the group `pte_lint.rules`.
"""

from __future__ import annotations

from pte_lint.rule import Rule

RULES: tuple[Rule, ...] = ()
