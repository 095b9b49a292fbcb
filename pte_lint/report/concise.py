"""One line a finding, for `grep` and people in a hurry: `path:method:instruction rule message`.

What a run showed of a finding stands beside its severity, what else was wrong in lines of its own.
Files with the worst findings come first. What follows from another finding is counted with it.
"""

from __future__ import annotations

from pte_lint.claims.causes import consequences
from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.result import Report
from pte_lint.report.options import DEFAULT, RenderOptions
from pte_lint.report.phrases import counts, following, mark, shown_wrong, source_words
from pte_lint.report.ranking import worst_first
from pte_lint.text import sanitise


def render(report: Report, options: RenderOptions = DEFAULT) -> str:
    """Renders the lines, the worst of each file first, then a summary."""
    lines: list[str] = []
    for artifact in worst_first(report):
        path = sanitise.name(artifact.path, sanitise.EXACT_LIMIT)
        roots, follow = consequences(artifact.findings)
        for finding in sorted(roots, key=lambda f: (f.severity or Severity.INFO).rank):
            lines.append(_line(path, finding, follow.get(finding.fingerprint, 0)))
        lines += [
            f"{path}:: {head}: {sanitise.prose(text)}" for head, text in shown_wrong(artifact)
        ]
        lines += [
            f"{path}:: {sanitise.prose(each.what)}: {sanitise.prose(each.message)}"
            for each in artifact.internal_errors
        ]
    lines += [f"error: {sanitise.prose(each)}" for each in report.unread]
    lines += [f"note: {sanitise.prose(note)}" for note in report.notes]
    lines.append(f"pte-lint: {counts(report)}")
    return "".join(f"{line}\n" for line in lines)


def _line(path: str, finding: Finding, follow: int) -> str:
    method = "" if finding.method is None else sanitise.name(finding.method)
    at = finding.location.instruction
    place = "" if at is None else str(at)
    message = sanitise.prose(finding.message.replace("\n", " "))
    more = f" ({following(follow)})" if follow else ""
    source = source_words(finding).partition(" ")[0]
    if source:
        more += f" (from {sanitise.prose(source)})"
    marks = f"{finding.severity}{mark(finding)}"
    return f"{path}:{method}:{place} {finding.rule} {message}{more} [{marks}]"
