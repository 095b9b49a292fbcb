"""SARIF 2.1.0, as code scanning takes it.

A binary has no lines, but GitHub wants one: every region says line 1 and, beside it, the byte. Its
uploader would derive fingerprints from source lines, so ours are given (`partialFingerprints`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pte_lint.claims.causes import consequences
from pte_lint.claims.finding import Finding, Json, Severity
from pte_lint.claims.result import ArtifactReport, Report
from pte_lint.claims.target import Target
from pte_lint.report.json_text import json_text
from pte_lint.report.json_value import json_value
from pte_lint.report.options import DEFAULT, RenderOptions
from pte_lint.report.phrases import runtime_sentence
from pte_lint.report.sarif_locations import (
    artifact_uri,
    attach,
    listing_uri,
    location,
    source_locations,
)
from pte_lint.report.sarif_rules import rule_descriptors
from pte_lint.rulebook.fixable import fix_of
from pte_lint.text import sanitise

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"

LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render(report: Report, options: RenderOptions = DEFAULT) -> str:
    """Renders a SARIF log with one run, ASCII only."""
    rules = rule_descriptors(_findings(report), options)
    index = {rule["id"]: n for n, rule in enumerate(rules)}
    results = []
    attached = [n for n, a in enumerate(report.artifacts) if a.path in options.listings]
    for n, artifact in enumerate(report.artifacts):
        roots, follow = consequences(artifact.findings)
        told = [*((f, None) for f in roots), *((s.finding, s.reason) for s in artifact.suppressed)]
        for finding, reason in told:
            made = _result(finding, artifact, report.target, number=n, rules=index, reason=reason)
            made["properties"]["consequences"] = follow.get(finding.fingerprint, 0)
            if n in attached:
                at = len(report.artifacts) + attached.index(n)
                attach(made, finding, artifact.path, options.listings[artifact.path], at)
            results.append(made)
    run: dict[str, Json] = {
        "tool": {
            "driver": {
                "name": "pte-lint",
                "semanticVersion": report.tool_version,
                "version": report.tool_version,
                "rules": rules,
            }
        },
        "invocations": [_invocation(report)],
        "artifacts": [
            *(_artifact(a) for a in report.artifacts),
            *(_listing(report.artifacts[n].path, n, options) for n in attached),
        ],
        "results": results,
        "columnKind": "unicodeCodePoints",
        "properties": {"target": f"executorch {report.target.runtime}"},
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(log) + "\n"


def message(text: str) -> dict[str, Json]:
    """A message object; `[text](target)` in it would be a link, so that pattern is broken up."""
    return {"text": sanitise.block(text).replace("](", "] (")}


def _findings(report: Report) -> Sequence[Finding]:
    return [
        f
        for a in report.artifacts
        for f in (*consequences(a.findings)[0], *(s.finding for s in a.suppressed))
    ]


def _artifact(artifact: ArtifactReport) -> dict[str, Json]:
    made: dict[str, Json] = {
        "location": {"uri": artifact_uri(artifact.path)},
        "length": artifact.size,
        "roles": ["analysisTarget"],
        "properties": {
            "kind": artifact.kind,
            "verdict": [
                {
                    "method": None if v.method is None else sanitise.name(v.method),
                    "stage": str(v.stage),
                    "outcome": str(v.outcome),
                    "error": v.error,
                    "rule": v.rule,
                }
                for v in artifact.verdict
            ],
        },
    }
    if artifact.sha256 is not None:
        made["hashes"] = {"sha-256": artifact.sha256}
    return made


def _listing(path: str, parent: int, options: RenderOptions) -> dict[str, Json]:
    """The instructions of a program as a text inside of it."""
    return {
        "location": {"uri": listing_uri(path)},
        "parentIndex": parent,
        "roles": ["attachment"],
        "mimeType": "text/plain",
        "contents": {"text": options.listings[path].text},
    }


def _result(
    finding: Finding,
    artifact: ArtifactReport,
    target: Target,
    *,
    number: int,
    rules: dict[str, int],
    reason: str | None,
) -> dict[str, Json]:
    """One result.

    Args:
        finding: what was found.
        artifact: where.
        target: whom it was judged for.
        number: the artifact's position in the run's list.
        rules: positions of rules in the driver's list.
        reason: why it is suppressed, if it is.
    """
    sentence = runtime_sentence(finding, target)
    parts = [finding.message, f"{sentence}." if sentence else "", finding.remediation.strip()]
    properties: dict[str, Json] = {
        "method": None if finding.method is None else sanitise.name(finding.method),
        "subject": sanitise.name(finding.subject),
        "evidence": json_value(finding.evidence),
    }
    if (fix := fix_of(finding.rule, finding.severity)) is not None:
        properties["fix"] = fix
    if finding.confirmation is not None:
        properties["confirmation"] = finding.confirmation.status
        if (version := finding.confirmation.evidence.get("replayed")) is not None:
            properties["replayed"] = json_value(version)
    made: dict[str, Json] = {
        "ruleId": finding.rule,
        "ruleIndex": rules[finding.rule],
        "level": LEVELS[finding.severity or Severity.INFO],
        "message": message("\n\n".join(p for p in parts if p)),
        "locations": [location(finding, artifact, number)],
        "partialFingerprints": {
            # The only key that GitHub looks at.
            "primaryLocationLineHash": f"{finding.fingerprint}:1",
            "pteLint/v1": finding.fingerprint,
        },
        "properties": properties,
    }
    related = source_locations(finding)
    if related:
        made["relatedLocations"] = related
    if reason is not None:
        made["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": sanitise.prose(reason)}
        ]
    return made


def _invocation(report: Report) -> dict[str, Json]:
    """Whether all went well; failures of rules, what was not read or checked, and notes."""
    execution: list[Json] = []
    for number, artifact in enumerate(report.artifacts):
        where = {"artifactLocation": {"uri": artifact_uri(artifact.path), "index": number}}
        for error in artifact.internal_errors:
            execution.append(
                {
                    "level": "error",
                    "message": message(f"{error.what}: {error.message}"),
                    "locations": [{"physicalLocation": where}],
                }
            )
        for gap in artifact.unchecked:
            execution.append(
                {
                    "level": "note",
                    "message": message(f"not checked: {gap.what}: {gap.why}"),
                    "locations": [{"physicalLocation": where}],
                }
            )
    execution += [{"level": "error", "message": message(each)} for each in report.unread]
    return {
        "executionSuccessful": not (report.internal_errors or report.unread),
        "toolExecutionNotifications": execution,
        "toolConfigurationNotifications": [
            {"level": "warning", "message": message(note)} for note in report.notes
        ],
    }
