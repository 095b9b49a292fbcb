"""GitLab code quality: a JSON array of issues in the Code Climate form that GitLab reads."""

from __future__ import annotations

import hashlib
from typing import Final

from pte_lint.claims.causes import consequences
from pte_lint.claims.finding import Finding, Json, Severity
from pte_lint.claims.result import ArtifactReport, InternalError, Report
from pte_lint.files.remote.address import with_slashes
from pte_lint.report.json_text import json_text
from pte_lint.report.options import DEFAULT, RenderOptions
from pte_lint.report.phrases import following, source_words, where
from pte_lint.report.ranking import worst_first
from pte_lint.text import sanitise

LEVELS: Final = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: Report, options: RenderOptions = DEFAULT) -> str:
    """Renders the array, ASCII only."""
    issues: list[Json] = []
    for artifact in worst_first(report):
        roots, follow = consequences(artifact.findings)
        issues += [_finding(f, artifact, follow.get(f.fingerprint, 0)) for f in roots]
        issues += [
            _internal(e, artifact, number) for number, e in enumerate(artifact.internal_errors)
        ]
    return json_text(issues) + "\n"


def _finding(finding: Finding, artifact: ArtifactReport, follow: int) -> dict[str, Json]:
    more = f" ({following(follow)})" if follow else ""
    if source := source_words(finding):
        more += f" (from {sanitise.name(source, sanitise.EXACT_LIMIT)})"
    return _issue(
        artifact,
        check=f"{finding.rule} {finding.name}",
        description=f"{finding.rule}: {where(finding)}: {finding.message}{more}",
        severity=LEVELS[finding.severity or Severity.INFO],
        fingerprint=finding.fingerprint,
        body=finding.remediation,
    )


def _internal(error: InternalError, artifact: ArtifactReport, number: int) -> dict[str, Json]:
    return _issue(
        artifact,
        check="internal error",
        description=f"{error.what}: {error.message}",
        severity="blocker",
        fingerprint=f"internal error {error.rule} {number}",
        body=error.traceback,
    )


def _issue(
    artifact: ArtifactReport,
    *,
    check: str,
    description: str,
    severity: str,
    fingerprint: str,
    body: str,
) -> dict[str, Json]:
    path = sanitise.exact(with_slashes(artifact.path))
    # GitLab wants fingerprints that are unique in the report; ours are so within an artifact.
    unique = hashlib.sha256(f"{path}\x1f{fingerprint}".encode()).hexdigest()
    return {
        "type": "issue",
        "check_name": sanitise.name(check),
        "description": sanitise.prose(description.replace("\n", " ")),
        "content": {"body": sanitise.block(body.strip())},
        "categories": ["Bug Risk"],
        "severity": severity,
        "fingerprint": unique,
        "location": {"path": path, "lines": {"begin": 1}},
    }
