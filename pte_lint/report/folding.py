"""Folds findings that say the same about many places, for formats that people read.

Machine formats never fold: they list every finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pte_lint.finding import Finding, Severity
from pte_lint.schema.frozen import dataclass

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Group:
    """Findings with one rule, severity, method, consequence and remedy; never empty."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The finding that speaks for the group."""
        return self.findings[0]

    @property
    def rank(self) -> int:
        """0 for errors, rising with harmlessness."""
        return (self.first.severity or Severity.INFO).rank


def fold(findings: Iterable[Finding]) -> tuple[Group, ...]:
    """Groups findings, in the order in which each group is first met.

    Remedies that differ in numbers alone (which input, how many bytes) count as one.
    """
    groups: dict[object, list[Finding]] = {}
    for f in findings:
        key = (
            f.rule,
            f.severity,
            f.method,
            f.forecast,
            f.runtime,
            f.confirmation.status if f.confirmation else None,
            _DIGITS.sub("#", f.remediation),
        )
        groups.setdefault(key, []).append(f)
    return tuple(Group(tuple(members)) for members in groups.values())
