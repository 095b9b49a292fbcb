"""What a report says about a file, in a text for golden files: verdicts and whole findings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from pte_lint.claims.finding import Finding
from pte_lint.claims.forecast import Prediction
from pte_lint.claims.result import ArtifactReport, Verdict
from pte_lint.report.json_report import artifact_json
from pte_lint.report.json_value import json_value

ROOT = Path(__file__).parents[2]


def said(report: ArtifactReport) -> str:
    """Verdicts, then findings in their order: rule, severity, place, message, forecast, evidence.

    What a finding advises is left out: its page has it.
    """
    assert report.internal_errors == ()
    lines = [_verdict(each) for each in report.verdict]
    for finding in report.findings:
        lines += ["", *_finding(finding)]
    for unchecked in report.unchecked:
        lines += ["", f"unchecked: {unchecked.what}: {unchecked.why}"]
    for need in artifact_json(report)["needs"]:
        lines += ["", f"needs: {_compact(need)}"]
    # Data files are named by where they are on this machine.
    return ("\n".join(lines) + "\n").replace(f"{ROOT}/", "")


def in_short(report: ArtifactReport) -> Iterator[str]:
    """Verdicts, rules and places, and a digest of the whole text: for very many reports."""
    text = said(report)
    yield from (line.rstrip() for line in text.partition("\n\n")[0].split("\n") if line)
    for finding in report.findings:
        yield f"{finding.rule} {finding.severity} at {finding.location.path}"
    yield sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _verdict(verdict: Verdict) -> str:
    ending = verdict.error or verdict.signal or ""
    said = f"{verdict.method}: {verdict.stage} {verdict.outcome} {ending}".strip()
    return f"{said} by {verdict.rule}" if verdict.rule else said


def _finding(finding: Finding) -> Iterator[str]:
    yield f"{finding.rule} {finding.name} {finding.severity}: {finding.message}"
    place = finding.location
    parts = {
        "path": place.path, "instruction": place.instruction, "value": place.value,
        "argument": place.argument, "byte": place.byte_offset, "operator": place.operator,
    }  # fmt: skip
    yield "  at " + ", ".join(f"{name} {part}" for name, part in parts.items() if part is not None)
    yield f"  subject {finding.subject}"
    yield f"  runtime {_prediction(finding.runtime)}"
    if finding.runtime_minimal != finding.runtime:
        yield f"  minimal {_prediction(finding.runtime_minimal)}"
    yield f"  evidence {_compact(json_value(finding.evidence))}"


def _prediction(prediction: Prediction | None) -> str:
    if prediction is None:
        return "nothing foretold"
    ending = prediction.error or prediction.signal or ""
    return f"{prediction.stage} {prediction.outcome} {ending}".strip()


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
