"""What a rule's findings can be undone with."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pte_lint.claims.finding import Finding
from pte_lint.data.context import Context
from pte_lint.edits.draft import Edit
from pte_lint.schema.frozen import dataclass

Edits = Callable[[Finding, Context], Iterable[Edit]]
"""Makes the edits that undo one finding.

It raises `EditError` where this one cannot be undone; the text says why.
"""


@dataclass(frozen=True, slots=True)
class Fixer:
    """How the findings of one rule are undone.

    Attributes:
        rule: The rule's id.
        what: What is done, to follow "fix:", without a full stop.
        is_safe: Whether the repaired program gives the same results for every input that the old
            one could take, and asks nothing else of its caller.
        edits: Makes the edits for one finding.
        replans: Whether the memory of the methods concerned is to be planned again afterwards:
            where that makes it smaller, or whatever it costs because the plan itself is wrong.
    """

    rule: str
    what: str
    is_safe: bool
    edits: Edits
    replans: str = "no"
    """`no`, `smaller`, or `always`."""
    last: bool = False
    """Only where no error is left: what looks unused may be what a wrong index was to name."""


def fixer(
    rule: str, what: str, *, safe: bool, replans: str = "no", last: bool = False
) -> Callable[[Edits], Fixer]:
    """Declares the function below as what undoes the findings of a rule."""

    def declare(function: Edits) -> Fixer:
        return Fixer(rule, what, safe, function, replans, last)

    return declare
