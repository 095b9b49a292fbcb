"""Rules as SARIF reporting descriptors."""

from __future__ import annotations

from collections.abc import Iterable

from pte_lint.claims.finding import Finding, Json, Severity
from pte_lint.report.options import RenderOptions
from pte_lint.report.rule_markdown import rule_markdown
from pte_lint.report.rule_text import rule_text
from pte_lint.rulebook.families import title
from pte_lint.rulebook.rule import Rule
from pte_lint.text import sanitise

_PROBLEMS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "recommendation",
}
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def rule_descriptors(findings: Iterable[Finding], options: RenderOptions) -> list[dict[str, Json]]:
    """Describes the rules that have findings, sorted by id.

    A rule whose documentation is not at hand is described by what its findings say.
    """
    seen: dict[str, Finding] = {}
    for finding in findings:
        seen.setdefault(finding.rule, finding)
    return [
        _described(rule) if (rule := options.rule(rule_id)) else _bare(seen[rule_id])
        for rule_id in sorted(seen)
    ]


def _described(rule: Rule) -> dict[str, Json]:
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": f"Finds {rule.summary}."},
        "fullDescription": {"text": f"Finds {rule.summary}."},
        "help": {"text": rule_text(rule), "markdown": rule_markdown(rule)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {
            "tags": ["executorch", title(rule.family).lower()],
            "problem.severity": _PROBLEMS[rule.severity],
            "precision": "very-high" if rule.severity is Severity.ERROR else "high",
        },
    }


def _bare(finding: Finding) -> dict[str, Json]:
    return {
        "id": finding.rule,
        "name": sanitise.name(finding.name),
        "shortDescription": {"text": sanitise.name(finding.name)},
        "defaultConfiguration": {"level": _LEVELS[finding.severity or Severity.INFO]},
    }
