"""One page a rule, and an index by family and by severity."""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.claims.finding import Severity
from pte_lint.report.rule_markdown import rule_markdown
from pte_lint.report.rule_table import table_markdown
from pte_lint.rulebook.registry import load_rules

_INTRODUCTION = """\
# Rules

An **error** is proven: the target runtime refuses the file, fails, crashes or computes garbage, at
a named stage. What is only likely, or only wasteful, is a **warning**; what is worth knowing is an
**info**. `pte-lint explain RULE` prints these pages in a terminal.
"""


def pages() -> Iterator[tuple[str, str]]:
    """The pages below docs/rules."""
    rules = load_rules(isolated=True)
    parts = [_INTRODUCTION, "## By family\n", table_markdown(rules, pages="") if rules else ""]
    parts.append("## By severity\n")
    for severity in Severity:
        ids = [f"[{r.id}]({r.id}.md) {r.name}" for r in rules if r.severity is severity]
        parts.append(f"**{severity}** ({len(ids)}): {', '.join(ids) or 'none'}\n")
    yield "docs/rules/index.md", "\n".join(p for p in parts if p)
    for rule in rules:
        yield f"docs/rules/{rule.id}.md", rule_markdown(rule)
