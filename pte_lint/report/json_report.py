"""The JSON format. The contract is in `model.py`; a test holds the two together."""

from __future__ import annotations

from pte_lint.claims.finding import Confirmation, Finding, Json, Severity
from pte_lint.claims.forecast import Prediction
from pte_lint.claims.result import ArtifactReport, Report, Verdict
from pte_lint.claims.target import Target
from pte_lint.clock import ANALYSIS, RULE, STAGE, Seconds
from pte_lint.files.fetched import Fetched
from pte_lint.report.json_text import json_text
from pte_lint.report.json_value import json_value
from pte_lint.report.options import DEFAULT, RenderOptions
from pte_lint.rulebook.fixable import fix_of
from pte_lint.text.sanitise import exact

SCHEMA_VERSION = 1


def render(report: Report, options: RenderOptions = DEFAULT) -> str:
    """Renders a report as ASCII-only JSON, the same bytes for the same report."""
    return json_text(report_json(report)) + "\n"


def report_json(report: Report) -> dict[str, Json]:
    """The report as plain values."""
    document = _document(report)
    if report.timings is not None:
        document["timings"] = timings_json(report.timings)
    return document


def timings_json(timings: Seconds) -> dict[str, Json]:
    """Own seconds, by kind and name."""
    kinds: dict[str, dict[str, float]] = {"stages": {}, "analyses": {}, "rules": {}}
    into = {STAGE: "stages", ANALYSIS: "analyses", RULE: "rules"}
    for (kind, name), seconds in sorted(timings.items()):
        kinds[into[kind]][name] = round(seconds, 6)
    return {**kinds, "total": round(sum(timings.values()), 6)}


def _document(report: Report) -> dict[str, Json]:
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "pte-lint", "version": report.tool_version},
        "target": target_json(report.target),
        "artifacts": [artifact_json(a) for a in report.artifacts],
        "notes": [exact(note) for note in report.notes],
        "unread": [exact(line) for line in report.unread],
        "summary": {
            "artifacts": len(report.artifacts),
            "errors": report.count(Severity.ERROR),
            "warnings": report.count(Severity.WARNING),
            "infos": report.count(Severity.INFO),
            "suppressed": sum(len(a.suppressed) for a in report.artifacts),
            "internal_errors": len(report.internal_errors),
            "consequences": report.consequences,
        },
    }


def target_json(target: Target) -> dict[str, Json]:
    """The target, without the tables of its profile."""
    return {
        "runtime": target.runtime,
        "verification": str(target.verification),
        "profile": exact(target.profile.name),
    }


def artifact_json(artifact: ArtifactReport) -> dict[str, Json]:
    """One artifact."""
    return {
        "path": exact(artifact.path),
        "kind": artifact.kind,
        "size": artifact.size,
        "sha256": artifact.sha256,
        "verdict": [verdict_json(v) for v in artifact.verdict],
        "findings": [finding_json(f) for f in artifact.findings],
        "unchecked": [{"what": exact(u.what), "why": exact(u.why)} for u in artifact.unchecked],
        "rules": [
            {"rule": r.rule, "status": r.status, "reason": exact(r.reason)} for r in artifact.rules
        ],
        "internal_errors": [
            {
                "rule": e.rule,
                "plugin": e.plugin,
                "message": exact(e.message),
                "traceback": exact(e.traceback),
            }
            for e in artifact.internal_errors
        ],
        "runs_on": {
            version: [verdict_json(v) for v in verdicts]
            for version, verdicts in artifact.runs_on.items()
        },
        "numbers": json_value(artifact.numbers),
        "suppressed": [
            {"finding": finding_json(s.finding), "reason": exact(s.reason)}
            for s in artifact.suppressed
        ],
        "fetched": fetched_json(artifact.fetched),
        "needs": [
            {"kind": str(n.kind), "what": exact(n.what), "method": exact(n.method), "how": n.how}
            for n in artifact.needs
        ],
        "backends": [exact(name) for name in artifact.backends],
        "hidden": dict(artifact.hidden),
    }


def fetched_json(fetched: Fetched | None) -> Json:
    """What was fetched, or null for what was here."""
    if fetched is None:
        return None
    return {"bytes": fetched.bytes, "requests": fetched.requests}


def verdict_json(v: Verdict) -> dict[str, Json]:
    """One verdict."""
    return {
        "method": None if v.method is None else exact(v.method),
        "stage": str(v.stage),
        "outcome": str(v.outcome),
        "error": v.error,
        "rule": v.rule,
        "signal": v.signal,
        "confirmation": confirmation_json(v.confirmation),
    }


def confirmation_json(c: Confirmation | None) -> Json:
    """What the real runtime showed, or null where it was not asked."""
    if c is None:
        return None
    return {
        "status": c.status,
        "runtime": json_value(c.runtime),
        "evidence": json_value(c.evidence),
    }


def finding_json(f: Finding) -> dict[str, Json]:
    """One finding."""
    at = f.location
    return {
        "rule": f.rule,
        "name": exact(f.name),
        "severity": str(f.severity),
        "message": exact(f.message),
        "remediation": exact(f.remediation),
        "method": None if f.method is None else exact(f.method),
        "location": {
            "path": exact(at.path),
            "instruction": at.instruction,
            "value": at.value,
            "argument": at.argument,
            "byte_offset": at.byte_offset,
            "operator": None if at.operator is None else exact(at.operator),
        },
        "subject": exact(f.subject),
        "runtime": _prediction(f.runtime),
        "runtime_minimal": _prediction(f.runtime_minimal),
        "evidence": json_value(f.evidence),
        "fingerprint": f.fingerprint,
        "fix": fix_of(f.rule, f.severity),
        "caused_by": f.cause,
        "source": [
            {
                "file": exact(s.file),
                "line": s.line,
                "function": exact(s.function),
                "text": exact(s.text),
            }
            for s in f.source
        ],
        "written_by": exact(f.written_by),
        "confirmation": confirmation_json(f.confirmation),
    }


def _prediction(p: Prediction | None) -> Json:
    if p is None:
        return None
    return {
        "stage": str(p.stage),
        "outcome": str(p.outcome),
        "error": p.error,
        "signal": p.signal,
    }
