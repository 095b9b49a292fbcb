"""Rules of pte-lint: one a module."""

from pte_lint.plugin import rules_in

PTE_LINT_INTERFACE = 1
"""The version of `pte_lint.plugin` that this is made for."""

RULES = rules_in(__name__)
