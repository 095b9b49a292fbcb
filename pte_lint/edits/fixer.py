"""What a rule's findings can be undone with."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pte_lint.claims.finding import Finding, Severity
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
        needs_error: Whether it is safe for errors alone: a warning says that results may be
            wrong, and where they are not, the repair may change them.
    """

    rule: str
    what: str
    is_safe: bool
    edits: Edits
    replans: str = "no"
    """`no`, `smaller`, or `always`."""
    last: bool = False
    """Only where no error is left: what looks unused may be what a wrong index was to name."""
    needs_error: bool = False

    def is_safe_for(self, finding: Finding) -> bool:
        """Whether undoing this finding is safe."""
        return self.is_safe and (finding.severity is Severity.ERROR or not self.needs_error)


def fixer(
    rule: str,
    what: str,
    *,
    safe: bool,
    replans: str = "no",
    last: bool = False,
    needs_error: bool = False,
) -> Callable[[Edits], Fixer]:
    """Declares the function below as what undoes the findings of a rule."""

    def declare(function: Edits) -> Fixer:
        return Fixer(rule, what, safe, function, replans, last, needs_error)

    return declare
