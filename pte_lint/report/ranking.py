"""What readers are shown first: files by their worst finding, and only what is asked for.

JSON and SARIF keep the order in which files were given.
"""

from __future__ import annotations

from dataclasses import replace

from pte_lint.claims.finding import Severity
from pte_lint.claims.result import ArtifactReport, Report, is_refuted
from pte_lint.report.options import RenderOptions


def worst_first(report: Report) -> list[ArtifactReport]:
    """Files by worst severity, then by how many findings have it, then as they were given."""
    return sorted(report.artifacts, key=_badness)


def _badness(artifact: ArtifactReport) -> tuple[int, int]:
    if artifact.internal_errors or is_refuted(artifact):
        return -1, 0
    worst = next((s for s in Severity if artifact.told(s)), None)
    return (len(Severity), 0) if worst is None else (worst.rank, -artifact.told(worst))


def failing(report: Report, options: RenderOptions) -> list[ArtifactReport]:
    """The files that make the exit code other than 0, the worst first."""
    return [
        artifact
        for artifact in worst_first(report)
        if artifact.internal_errors
        or is_refuted(artifact)
        or any(options.fails(finding) for finding in artifact.findings)
    ]


def at_least(report: Report, severity: Severity) -> Report:
    """The report without findings that are milder; these are counted in `hidden`."""
    return replace(report, artifacts=tuple(_at_least(a, severity) for a in report.artifacts))


def _at_least(artifact: ArtifactReport, severity: Severity) -> ArtifactReport:
    kept = tuple(f for f in artifact.findings if f.severity and f.severity.rank <= severity.rank)
    if len(kept) == len(artifact.findings):
        return artifact
    hidden = {
        str(s): artifact.count(s) for s in Severity if s.rank > severity.rank and artifact.count(s)
    }
    return replace(artifact, findings=kept, hidden=hidden)
