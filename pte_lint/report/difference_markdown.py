"""`pte-lint diff --format markdown`: a comment for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pte_lint.difference.changes import Change
from pte_lint.difference.compare import Difference
from pte_lint.difference.failing import Condition
from pte_lint.difference.whole import FindingChange, FixedFinding
from pte_lint.report.change_text import words
from pte_lint.report.difference_text import Failing, by_method, summary
from pte_lint.report.markdown_safe import code, prose

_MAX_ROWS: Final = 200
"""Rows in all tables together: a forge refuses comments that are too long."""


def render(difference: Difference, failing: Failing = ()) -> str:
    """Renders a difference; `failing` are the changes that make it fail, with why."""
    failed = {id(change): condition for change, condition in failing}
    lines = [f"### pte-lint diff: {code(difference.new.path)}", ""]
    if failing:
        lines += [f"**{len(failing)} of these changes are too much** (:x:).", ""]
    room = _MAX_ROWS
    findings = [c for c in difference.changes if isinstance(c, FindingChange)]
    if findings:
        lines += [*_findings(findings[:room], failed), ""]
        room -= min(room, len(findings))
    others = [c for c in difference.changes if not isinstance(c, FindingChange)]
    for method, changes in by_method(others):
        if room <= 0:
            break
        title = "The artifact" if method is None else f"Method {code(method)}"
        lines += [f"#### {title}", "", *_table(changes[:room], failed), ""]
        room -= min(room, len(changes))
    hidden = len(difference.changes) - _MAX_ROWS
    if hidden > 0:
        lines += [f"... and {hidden} more; run `pte-lint diff` to see them.", ""]
    if not difference.changes:
        lines += ["No change.", ""]
    lines.append(prose(summary(difference, failing)))
    return "\n".join(lines) + "\n"


def _findings(findings: Sequence[FindingChange], failed: dict[int, Condition]) -> Iterator[str]:
    yield "#### Findings"
    yield ""
    for finding in findings:
        mark = ":x: " if id(finding) in failed else ""
        word = "fixed" if isinstance(finding, FixedFinding) else "new"
        where = f" in {code(finding.method)}" if finding.method is not None else ""
        about = f", {code(finding.about)}" if finding.about else ""
        title = f"**{word} {finding.severity}** {code(finding.rule)} {code(finding.name)}"
        yield f"- {mark}{title}{where}{about}: {prose(finding.message)}"


def _table(changes: Sequence[Change], failed: dict[int, Condition]) -> Iterator[str]:
    yield "| | change | of | old | new | |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for change in changes:
        told = words(change)
        why = failed.get(id(change))
        mark = f":x: {code(str(why))}" if why is not None else ""
        cells = (mark, change.kind, code(told.subject), code(told.old), code(told.new))
        yield "| " + " | ".join((*cells, prose(told.remark))) + " |"
