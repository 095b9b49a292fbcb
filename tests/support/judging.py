"""Judges bytes as a file, with one rule or with all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pte_lint.claims.finding import Finding
from pte_lint.claims.result import ArtifactReport, Verdict
from pte_lint.claims.target import Target
from pte_lint.data.reading import open_data
from pte_lint.files.artifact import Artifact
from pte_lint.judging.engine import Settings, check_artifact
from pte_lint.rulebook.registry import load_rules
from pte_lint.rulebook.selection import find_rule

_RULES = load_rules(isolated=True)


def judge(
    content: bytes,
    rule: str | None = None,
    *,
    name: str = "model.pte",
    data: Mapping[str, bytes] | None = None,
    target: Target | None = None,
    options: Mapping[str, object] | None = None,
) -> ArtifactReport:
    """The report on a file.

    Args:
        content: The file.
        rule: The id of the only rule to ask; all of them when left out.
        name: The file's name.
        data: The .ptd files given with it, by name.
        target: What to judge for; the default target when left out.
        options: Options for rules.
    """
    chosen = _RULES if rule is None else (find_rule(_RULES, rule),)
    settings = Settings(chosen, target or Target(), options=options or {})
    given = [open_data(Artifact(key, value)) for key, value in (data or {}).items()]
    report = check_artifact(Artifact(name, content), settings, given)
    assert report.internal_errors == ()
    return report


def only(report: ArtifactReport) -> Finding:
    """The one finding of a report."""
    (finding,) = report.findings
    return finding


def verdict(report: ArtifactReport) -> Verdict:
    """The one verdict of a report."""
    (said,) = report.verdict
    return said


def messages(report: ArtifactReport) -> Sequence[str]:
    """What the findings say."""
    return [finding.message for finding in report.findings]
