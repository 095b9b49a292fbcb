"""Folds findings that say the same about many places, for formats that people read.

Machine formats never fold: they list every finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pte_lint.claims.causes import consequences
from pte_lint.claims.finding import Finding, Severity
from pte_lint.schema.frozen import dataclass

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Group:
    """Findings with one rule, severity, method, consequence and remedy; never empty."""

    findings: tuple[Finding, ...]
    follow: int = 0
    """How many other findings follow from these, and are not told."""
    after: str = ""
    """The rule of the finding that these follow from."""

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
            f.cause,
            f.forecast,
            f.runtime,
            f.confirmation.status if f.confirmation else None,
            _DIGITS.sub("#", f.remediation),
        )
        groups.setdefault(key, []).append(f)
    return tuple(Group(tuple(members)) for members in groups.values())


def ranked(findings: Sequence[Finding], *, with_consequences: bool = False) -> list[Group]:
    """Groups for readers, the worst first; each knows how many findings follow from it.

    Args:
        findings: those of one artifact.
        with_consequences: tell what follows from others too, last and in groups of their own.
    """
    roots, follow = consequences(findings)
    groups = [
        replace(group, follow=sum(follow.get(f.fingerprint, 0) for f in group.findings))
        for group in fold(roots)
    ]
    groups.sort(key=lambda group: group.rank)
    if not with_consequences or not follow:
        return groups
    rules = {f.fingerprint: f.rule for f in roots}
    told = set(map(id, roots))
    rest = fold(f for f in findings if id(f) not in told)
    later = [replace(group, after=rules[group.first.cause or ""]) for group in rest]
    return groups + sorted(later, key=lambda group: group.rank)
