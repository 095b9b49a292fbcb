"""Rules as JSON: the table, or their whole documentation."""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.claims.finding import Json
from pte_lint.report.json_text import json_text
from pte_lint.rulebook.families import title
from pte_lint.rulebook.fixable import fix_of
from pte_lint.rulebook.rule import Rule
from pte_lint.rulebook.ruledoc import document


def rules_json(rules: Sequence[Rule], documents: bool) -> str:
    """Renders an array of rules; with `documents` each has its sections by heading."""
    return json_text([_rule(rule, documents) for rule in rules]) + "\n"


def _rule(rule: Rule, documents: bool) -> dict[str, Json]:
    out: dict[str, Json] = {
        "id": rule.id,
        "name": rule.name,
        "severity": str(rule.severity),
        "family": rule.family,
        "family_title": title(rule.family),
        "scope": str(rule.scope),
        "summary": rule.summary,
        "fix": fix_of(rule.id),
    }
    if rule.origin is not None:
        out["plugin"] = rule.origin.plugin
    if documents:
        out["sections"] = {s.heading: s.text for s in document(rule).sections}
        if rule.options is not None:
            out["options"] = rule.options.model_json_schema()["properties"]
    return out
