"""The three tables of a store's results: their columns, which others rely on, and their rows.

Columns may be added, never renamed, dropped or given another type while `LAYOUT` stays the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pte_lint._version import __version__
from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.claims.need import words
from pte_lint.claims.result import ArtifactReport, Verdict
from pte_lint.claims.target import Target
from pte_lint.report.json_value import json_value
from pte_lint.rulebook.fixable import fix_of
from pte_lint.schema.frozen import dataclass
from pte_lint.text.sanitise import exact

LAYOUT: Final = 1

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: `string`, `int64`, `bool` or `list` (of strings). All but `path` may be null."""

    name: str
    kind: str
    meaning: str


_PATH: Final = Column("path", "string", "what reports call the artifact, and joins the tables")
_SHA256: Final = Column(
    "sha256", "string", "hash of the content; null where not all of it was read"
)

TABLES: Final[Mapping[str, tuple[Column, ...]]] = {
    "artifacts": (
        _PATH,
        Column("status", "string", "`judged`, or `failed` where nothing could be said"),
        Column("failure", "string", "why it failed"),
        Column("kind", "string", "what the file is, such as `pte`"),
        Column("size", "int64", "bytes"),
        _SHA256,
        Column("revision", "string", "commit, version or ETag that a listing named"),
        Column("tool_version", "string", "version of pte-lint"),
        Column("runtime", "string", "the target's version, such as `1.5`"),
        Column("verification", "string", "`both`, `full` or `minimal`"),
        Column("profile", "string", "name of the target's profile"),
        Column("runs", "bool", "whether every method runs on the target"),
        Column("runs_on", "list", "the known versions on which every method runs"),
        Column("worst", "string", "worst severity among the findings"),
        Column("errors", "int64", "findings that are errors"),
        Column("warnings", "int64", "findings that are warnings"),
        Column("infos", "int64", "findings that are infos"),
        Column("suppressed", "int64", "findings that an ignore entry or the baseline sets aside"),
        Column("unchecked", "int64", "things that could not be checked"),
        Column("internal_errors", "int64", "rules that failed themselves"),
        Column("backends", "list", "the backends that its delegates name"),
        Column("needs", "string", "what a runner must provide besides the target"),
        Column("fetched_bytes", "int64", "bytes fetched; null for what was here"),
        Column("fetched_requests", "int64", "requests that took"),
    ),
    "verdicts": (
        _PATH,
        _SHA256,
        Column("method", "string", "null for the artifact as a whole"),
        Column("runtime", "string", "the version that this is about: each known one has its row"),
        Column("is_target", "bool", "whether that is the target's version"),
        Column("stage", "string", "where it ends; `execute` and `ok`: it runs"),
        Column("outcome", "string", "`ok`, `error`, `crash`, `undefined`, `wrong`, `unjudged`"),
        Column("error", "string", "the runtime's own name of the error"),
        Column("signal", "string", "the signal of a crash"),
        Column("rule", "string", "the rule whose finding decides"),
    ),
    "findings": (
        _PATH,
        _SHA256,
        Column("rule", "string", "id"),
        Column("name", "string", "name of the rule"),
        Column("severity", "string", "`error`, `warning` or `info`"),
        Column("method", "string", "null for the artifact as a whole"),
        Column("message", "string", "what is wrong and what follows"),
        Column("remediation", "string", "what to change"),
        Column("location", "string", "logical path, such as `execution_plan[0].values[17]`"),
        Column("instruction", "int64", "counts over all chains of the method"),
        Column("value", "int64", "index of the value"),
        Column("argument", "int64", "position in the instruction's argument list"),
        Column("byte_offset", "int64", "absolute in the file"),
        Column("operator", "string", "operator, delegate or kind of the instruction"),
        Column("subject", "string", "what it is about, by logical names only"),
        Column("stage", "string", "where the target's runtime meets it"),
        Column("outcome", "string", "how that stage ends"),
        Column("error", "string", "the runtime's own name of the error"),
        Column("fingerprint", "string", "stable under re-export"),
        Column("caused_by", "string", "fingerprint of the finding that it follows from"),
        Column("fix", "string", "`safe` or `unsafe` where `pte-lint fix` has a repair"),
        Column("evidence", "string", "JSON"),
    ),
}
"""By name of the file, without its suffix."""


def artifact_row(report: ArtifactReport, target: Target, revision: str | None) -> Row:
    """The row of an artifact that was judged."""
    counts = {each: report.count(each) for each in Severity}
    runs_on = [version for version, told in report.runs_on.items() if _all_run(told)]
    return {
        **_common(report.path, target, revision),
        "status": "judged",
        "kind": report.kind,
        "size": report.size,
        "sha256": report.sha256,
        "runs": _all_run(report.verdict),
        "runs_on": runs_on,
        "worst": next((str(each) for each, count in counts.items() if count), None),
        "errors": counts[Severity.ERROR],
        "warnings": counts[Severity.WARNING],
        "infos": counts[Severity.INFO],
        "suppressed": len(report.suppressed),
        "unchecked": len(report.unchecked),
        "internal_errors": len(report.internal_errors),
        "backends": [exact(name) for name in report.backends],
        "needs": exact(words(report.needs)) or None,
        "fetched_bytes": report.fetched.bytes if report.fetched else None,
        "fetched_requests": report.fetched.requests if report.fetched else None,
    }


def failed_row(path: str, failure: str, target: Target, revision: str | None) -> Row:
    """The row of an artifact of which nothing can be said."""
    told = {"status": "failed", "failure": exact(failure), "runs": False, "runs_on": []}
    return {**_common(path, target, revision), **told, "backends": []}


def _common(path: str, target: Target, revision: str | None) -> Row:
    return {
        "path": exact(path),
        "revision": None if revision is None else exact(revision),
        "tool_version": __version__,
        "runtime": target.runtime,
        "verification": str(target.verification),
        "profile": exact(target.profile.name),
    }


def verdict_rows(report: ArtifactReport, target: Target) -> Iterator[Row]:
    """A row for each method and known version; of the target's own where that is not known."""
    for version, told in (report.runs_on or {target.runtime: report.verdict}).items():
        for each in told:
            yield {
                "path": exact(report.path),
                "sha256": report.sha256,
                "method": None if each.method is None else exact(each.method),
                "runtime": version,
                "is_target": version == target.runtime,
                "stage": str(each.stage),
                "outcome": str(each.outcome),
                "error": each.error,
                "signal": each.signal,
                "rule": each.rule,
            }


def finding_rows(report: ArtifactReport) -> Iterator[Row]:
    """A row for each finding, in the order of the report."""
    for each in report.findings:
        yield _finding_row(report, each)


def _finding_row(report: ArtifactReport, f: Finding) -> Row:
    at, told = f.location, f.runtime
    return {
        "path": exact(report.path),
        "sha256": report.sha256,
        "rule": f.rule,
        "name": exact(f.name),
        "severity": str(f.severity),
        "method": None if f.method is None else exact(f.method),
        "message": exact(f.message),
        "remediation": exact(f.remediation),
        "location": exact(at.path),
        "instruction": _int64(at.instruction),
        "value": _int64(at.value),
        "argument": _int64(at.argument),
        "byte_offset": _int64(at.byte_offset),
        "operator": None if at.operator is None else exact(at.operator),
        "subject": exact(f.subject),
        "stage": None if told is None else str(told.stage),
        "outcome": None if told is None else str(told.outcome),
        "error": None if told is None else told.error,
        "fingerprint": f.fingerprint,
        "caused_by": f.cause,
        "fix": fix_of(f.rule, f.severity),
        "evidence": json.dumps(json_value(f.evidence), sort_keys=True),
    }


def _int64(value: int | None) -> int | None:
    """A number that a file tells may be larger than a column takes."""
    return value if value is not None and -(1 << 63) <= value < 1 << 63 else None


def _all_run(verdicts: tuple[Verdict, ...]) -> bool:
    return bool(verdicts) and all(each.outcome is Outcome.OK for each in verdicts)
