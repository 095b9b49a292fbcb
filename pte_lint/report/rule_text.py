"""A rule's documentation for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.report.layout import Painter, render, wrap
from pte_lint.rulebook.families import title
from pte_lint.rulebook.fixable import fix_of
from pte_lint.rulebook.rule import Rule
from pte_lint.rulebook.ruledoc import document


def rule_text(rule: Rule, colour: bool = False) -> str:
    """Renders what `pte-lint explain` prints; ends with a newline."""
    return "\n".join(_lines(rule, Painter(colour))) + "\n"


def _lines(rule: Rule, paint: Painter) -> Iterator[str]:
    severity = paint(str(rule.severity), str(rule.severity))
    yield f"{paint(rule.id, 'strong')} {paint(rule.name, 'strong')} ({severity})"
    yield paint(f"Family {rule.family}: {title(rule.family)}", "dim")
    if rule.origin is not None:
        yield paint(f"Plugin {rule.origin.plugin}", "dim")
    yield ""
    yield from wrap(f"Finds {rule.summary}.", "")
    if (fix := fix_of(rule.id)) is not None:
        leave = "" if fix == "safe" else " --unsafe-fixes"
        yield ""
        yield from wrap(f"`pte-lint fix{leave}` can repair the file.", "")
    for section in document(rule).sections:
        yield ""
        yield paint(section.heading, "strong")
        yield from render(section.blocks, "  ", paint)
    if rule.options is not None:
        from pte_lint.rulebook.options import described

        yield ""
        yield paint("Options", "strong")
        for name, kind, default, told in described(rule.options):
            yield from wrap(f"{name} ({kind}, default {default}): {told}".rstrip(": "), "  ")
