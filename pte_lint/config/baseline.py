"""Baselines: the findings of today, so that only those of tomorrow are news.

A baseline file lists findings by artifact and fingerprint. Fingerprints are made of rules and
logical names, so a program that is exported again keeps them. A finding that has become more
severe than it was recorded is new again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.result import ArtifactReport, Report, Suppressed
from pte_lint.config.suppression import relative
from pte_lint.files.regular import read_file
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.limits import RECORD_FILE_BYTES
from pte_lint.text.sanitise import exact

SCHEMA_VERSION: Final = 1

DEFAULT_NAME: Final = "pte-lint-baseline.json"


class BaselineError(ValueError):
    """The file is no baseline, or cannot be read; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Known:
    """One recorded finding; what is not the fingerprint or the severity is for readers."""

    fingerprint: str
    rule: str
    severity: Severity
    method: str | None
    subject: str
    message: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """Recorded findings by artifact, whose paths are relative to the file's folder."""

    artifacts: Mapping[str, tuple[Known, ...]]


@dataclass(frozen=True, slots=True)
class Fixed:
    """A recorded finding that is no longer there."""

    path: str
    known: Known


@dataclass(frozen=True, slots=True)
class Comparison:
    """A report seen against a baseline."""

    report: Report
    """With the known findings set aside: its findings are the new ones."""
    fixed: tuple[Fixed, ...]
    absent: tuple[str, ...]
    """Recorded artifacts that were not checked this time."""
    known: int
    """Findings that were set aside."""


def record(report: Report, root: Path) -> Baseline:
    """Records the findings of a report, but for what was not judged.

    What an ignore entry has set aside is not among them.

    Args:
        report: what was found.
        root: the folder of the baseline file.
    """
    return Baseline(
        {
            relative(a.path, root): found
            for a in report.artifacts
            if (found := tuple(_known(f) for f in a.findings if not f.is_unjudged))
        }
    )


def compare(report: Report, baseline: Baseline, root: Path, name: str) -> Comparison:
    """Sets the known findings of a report aside.

    Args:
        report: what was found; it is not changed.
        baseline: what is known.
        root: the folder of the baseline file.
        name: what to call the baseline in the reason.
    """
    artifacts: list[ArtifactReport] = []
    fixed: list[Fixed] = []
    seen: set[str] = set()
    for artifact in report.artifacts:
        path = relative(artifact.path, root)
        seen.add(path)
        recorded = {k.fingerprint: k for k in baseline.artifacts.get(path, ())}
        fresh = [f for f in artifact.findings if not _covers(recorded.get(f.fingerprint), f)]
        aside = [f for f in artifact.findings if _covers(recorded.get(f.fingerprint), f)]
        reason = f"known: in the baseline {name}"
        artifacts.append(
            replace(
                artifact,
                findings=tuple(fresh),
                suppressed=(*artifact.suppressed, *(Suppressed(f, reason) for f in aside)),
            )
        )
        # What an ignore entry has set aside is still there, so it is not fixed.
        present = {f.fingerprint for f in artifact.findings}
        present.update(s.finding.fingerprint for s in artifact.suppressed)
        fixed += [Fixed(path, k) for print_, k in recorded.items() if print_ not in present]
    return Comparison(
        replace(report, artifacts=tuple(artifacts)),
        tuple(fixed),
        tuple(path for path in baseline.artifacts if path not in seen),
        sum(len(a.suppressed) for a in artifacts)
        - sum(len(a.suppressed) for a in report.artifacts),
    )


def dump(baseline: Baseline) -> str:
    """Renders the file: sorted and without dates, so that versions of it can be compared."""
    content = {
        "schema_version": SCHEMA_VERSION,
        "tool": "pte-lint",
        "artifacts": {
            exact(path): [
                {
                    "fingerprint": k.fingerprint,
                    "rule": k.rule,
                    "severity": str(k.severity),
                    "method": None if k.method is None else exact(k.method),
                    "subject": exact(k.subject),
                    "message": exact(k.message),
                }
                for k in sorted(known, key=lambda k: (k.rule, k.fingerprint))
            ]
            for path, known in sorted(baseline.artifacts.items())
        },
    }
    return json.dumps(content, indent=2) + "\n"


def load(path: Path) -> Baseline:
    """Reads a baseline file.

    Raises:
        BaselineError: it cannot be read, or is none.
    """
    try:
        content = json.loads(read_file(path, RECORD_FILE_BYTES))
    except OSError as exc:
        raise BaselineError(f"cannot read the baseline {path}: {exc.strerror or exc}") from exc
    except (ValueError, RecursionError) as exc:
        raise BaselineError(f"{path} is no baseline: {exc}") from exc
    if not isinstance(content, dict) or content.get("tool") != "pte-lint":
        raise BaselineError(f"{path} is no baseline of pte-lint")
    if content.get("schema_version") != SCHEMA_VERSION:
        raise BaselineError(f"{path} is a baseline of another version of pte-lint; write it anew")
    try:
        return Baseline(
            {
                str(name): tuple(_read(entry) for entry in entries)
                for name, entries in content["artifacts"].items()
            }
        )
    except (KeyError, TypeError, ValueError, AttributeError) as exc:
        raise BaselineError(f"{path} is damaged: {exc!r}") from exc


def _covers(known: Known | None, finding: Finding) -> bool:
    if known is None or known.rule != finding.rule or finding.is_unjudged:
        return False
    return (finding.severity or Severity.INFO).rank >= known.severity.rank


def _known(f: Finding) -> Known:
    return Known(f.fingerprint, f.rule, f.severity or Severity.INFO, f.method, f.subject, f.message)


def _read(entry: Mapping[str, Any]) -> Known:
    method = entry["method"]
    return Known(
        str(entry["fingerprint"]),
        str(entry["rule"]),
        Severity(entry["severity"]),
        None if method is None else str(method),
        str(entry["subject"]),
        str(entry["message"]),
    )
