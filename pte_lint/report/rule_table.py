"""Tables of rules by family, for a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from pte_lint.report.layout import Painter, wrap
from pte_lint.report.rule_markdown import inline
from pte_lint.rulebook.families import title
from pte_lint.rulebook.rule import Rule


def table_text(rules: Sequence[Rule], colour: bool = False) -> str:
    """Renders the table for a terminal: two lines a rule where the summary is long."""
    return "\n".join(_text_lines(rules, Painter(colour))) + "\n"


def _text_lines(rules: Sequence[Rule], paint: Painter) -> Iterator[str]:
    for number, (family, members) in enumerate(groupby(rules, key=lambda r: r.family)):
        if number:
            yield ""
        yield paint(f"{family} {title(family)}", "strong")
        for rule in members:
            severity = str(rule.severity)
            yield f"  {rule.id}  {paint(severity.ljust(7), severity)}  {rule.name}"
            yield from wrap(rule.summary, indent=" " * 19)
    yield ""
    yield f"{len(rules)} rule{'' if len(rules) == 1 else 's'}; `pte-lint explain RULE` tells more."


def table_markdown(rules: Sequence[Rule], pages: str | None = None, level: int = 3) -> str:
    """Renders one Markdown table a family.

    Args:
        rules: sorted by id.
        pages: the folder of the rule pages as seen from the document, to link ids; None for none.
        level: the heading level of a family.
    """
    return "\n".join(_markdown_lines(rules, pages, "#" * level)) + "\n"


def _markdown_lines(rules: Sequence[Rule], pages: str | None, heading: str) -> Iterator[str]:
    for number, (family, members) in enumerate(groupby(rules, key=lambda r: r.family)):
        if number:
            yield ""
        yield f"{heading} {family} {title(family)}"
        yield ""
        yield "| Rule | Name | Severity | Finds |"
        yield "| --- | --- | --- | --- |"
        for rule in members:
            link = rule.id if pages is None else f"[{rule.id}]({pages}{rule.id}.md)"
            yield f"| {link} | {rule.name} | {rule.severity} | {inline(rule.summary)} |"
