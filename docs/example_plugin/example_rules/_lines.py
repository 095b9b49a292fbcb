"""The report format `example-lines`: path, rule and subject with tabs between them."""

from __future__ import annotations

import json

from pte_lint.plugin import Report, ReportFormat


def render(report: Report) -> str:
    """One line a finding. What comes from a file is quoted: it may hold anything."""
    return "".join(
        f"{json.dumps(artifact.path)}\t{finding.rule}\t{json.dumps(finding.subject)}\n"
        for artifact in report.artifacts
        for finding in artifact.findings
    )


LINES = ReportFormat("path, rule and subject", (".tsv",), render)
