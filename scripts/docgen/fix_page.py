"""The table of docs/fix.md: what undoes which findings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pte_lint.fix.fixers import load_fixers
from pte_lint.rulebook.registry import load_rules

_BEGIN, _END = "<!-- fixers: begin -->\n", "<!-- fixers: end -->\n"


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """docs/fix.md with its table made anew; the rest of the page is written by hand."""
    text = (root / "docs" / "fix.md").read_text("utf-8")
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    yield "docs/fix.md", f"{before}{_BEGIN}{_table()}{_END}{after}"


def _table() -> str:
    names = {rule.id: rule.name for rule in load_rules(isolated=True)}
    rows = ["| Rule | Name | What is done | |", "| --- | --- | --- | --- |"]
    for rule, fixer in sorted(load_fixers(isolated=True).items()):
        kind = "safe" if fixer.is_safe else "unsafe"
        rows.append(f"| [{rule}](rules/{rule}.md) | {names[rule]} | {fixer.what} | {kind} |")
    return "\n".join(rows) + "\n"
