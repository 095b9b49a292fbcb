"""Which rules' findings `pte-lint fix` can undo, without loading what undoes them.

A single finding may still be left, with the reason: this says that there is a repair for its kind.
"""

from __future__ import annotations

from typing import Final, Literal

from pte_lint.claims.finding import Severity

Fix = Literal["safe", "unsafe"]

FIXES: Final[dict[str, Fix]] = {
    "PTE015": "safe",
    "PTE017": "safe",
    "PTE020": "safe",
    "PTE021": "safe",
    "PTE131": "safe",
    "PTE138": "unsafe",
    "PTE201": "safe",
    "PTE202": "safe",
    "PTE203": "safe",
    "PTE204": "safe",
    "PTE205": "safe",
    "PTE206": "safe",
    "PTE207": "safe",
    "PTE301": "unsafe",
    "PTE302": "unsafe",
    "PTE304": "safe",
    "PTE305": "safe",
    "PTE306": "safe",
    "PTE307": "unsafe",
    "PTE308": "safe",
    "PTE309": "safe",
    "PTE310": "safe",
    "PTE311": "safe",
    "PTE316": "safe",
    "PTE317": "safe",
    "PTE318": "safe",
    "PTE319": "safe",
    "PTE505": "safe",
    "PTE701": "safe",
    "PTE702": "safe",
    "PTE703": "safe",
}

NEED_ERROR: Final = frozenset({"PTE203", "PTE204"})
"""Rules whose warnings are not undone safely: results that may be right may change."""


def fix_of(rule: str, severity: Severity | None = Severity.ERROR) -> Fix | None:
    """Whether a rule's findings can be undone: safely, only with leave, or not at all."""
    is_unsure = rule in NEED_ERROR and severity is not Severity.ERROR
    return "unsafe" if is_unsure else FIXES.get(rule)
