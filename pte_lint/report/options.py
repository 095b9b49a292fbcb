"""What a format may need to know besides the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pte_lint.claims.finding import Finding, Severity
from pte_lint.rulebook.rule import Rule
from pte_lint.schema.frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class Listing:
    """The instructions of a program as text, and the line of each, counted from 1."""

    text: str
    lines: Mapping[tuple[int, int], int]
    """By index of the method and of the instruction."""


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """The same for every format, so that all reports of one run agree."""

    rules: Sequence[Rule] = ()
    """The rules that were run, for formats that describe them."""
    fail_on: Severity | None = Severity.ERROR
    """The mildest severity that fails the run; None: none does."""
    listings: Mapping[str, Listing] = field(default_factory=dict)
    """By the artifact's path, for formats that show findings in a text."""

    def fails(self, finding: Finding) -> bool:
        """True when this finding makes the exit code 1."""
        if self.fail_on is None or finding.severity is None:
            return False
        return finding.severity.rank <= self.fail_on.rank

    def rule(self, rule_id: str) -> Rule | None:
        """The rule with this id, if it was run."""
        return next((rule for rule in self.rules if rule.id == rule_id), None)


DEFAULT = RenderOptions()
