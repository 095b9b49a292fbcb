"""Annotations of a GitHub Actions job (workflow commands).

GitHub shows ten of each level a step, so these are chosen: one annotation for all findings of a
rule in one method that say the same, errors first, the first of every file before the second of
any. The rest of the output are plain lines, which appear in the log.
"""

from __future__ import annotations

from typing import Final

from pte_lint.claims.finding import Severity
from pte_lint.claims.result import ArtifactReport, Report
from pte_lint.claims.target import Target
from pte_lint.files.remote.address import with_slashes
from pte_lint.report.folding import Group, ranked
from pte_lint.report.options import DEFAULT, RenderOptions
from pte_lint.report.phrases import (
    counts,
    following,
    plural,
    rest,
    runtime_sentence,
    shown,
    shown_wrong,
    source_words,
    where,
)
from pte_lint.report.ranking import worst_first
from pte_lint.text import sanitise

LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: Report, options: RenderOptions = DEFAULT) -> str:
    """Renders one workflow command a line, then a summary."""
    lines: list[str] = []
    groups: list[tuple[int, int, str]] = []
    for artifact in worst_first(report):
        lines += [
            _command("error", artifact.path, error.what, [error.message])
            for error in artifact.internal_errors
        ]
        lines += [
            _command("error", artifact.path, head, [text]) for head, text in shown_wrong(artifact)
        ]
        for turn, group in enumerate(ranked(artifact.findings)):
            groups.append((group.rank, turn, _group(group, artifact, report.target)))
    groups.sort(key=lambda each: each[:2])
    lines += [line for *_, line in groups]
    lines += [f"::error title=pte-lint::{_data(sanitise.prose(each))}" for each in report.unread]
    lines += [f"::notice title=pte-lint::{_data(sanitise.prose(note))}" for note in report.notes]
    gaps = sum(len(a.unchecked) for a in report.artifacts)
    unchecked = f"; {plural(gaps, 'thing')} not checked" if gaps else ""
    lines.append(f"pte-lint: {counts(report)}{unchecked}")
    return "".join(f"{line}\n" for line in lines)


def _group(group: Group, artifact: ArtifactReport, target: Target) -> str:
    finding = group.first
    body = [f"{where(finding)}: {finding.message}"]
    if source := source_words(finding):
        body.append(f"from {source}")
    if len(group.findings) > 1:
        body.append(rest(group.findings[1:]))
    if group.follow:
        body.append(following(group.follow))
    sentence = runtime_sentence(finding, target)
    if sentence is not None:
        body.append(sentence)
    ran = shown(finding)
    if ran is not None:
        body.append(f"run: {ran}")
    if finding.remediation.strip():
        body += ["", *finding.remediation.strip().split("\n")]
    title = f"{finding.rule} {finding.name}"
    return _command(LEVELS[finding.severity or Severity.INFO], artifact.path, title, body)


def _command(level: str, path: str, title: str, body: list[str]) -> str:
    file = sanitise.name(with_slashes(path), sanitise.EXACT_LIMIT)
    text = "\n".join(sanitise.block(part) for part in body)
    head = f"file={_property(file)},line=1,title={_property(sanitise.name(title))}"
    return f"::{level} {head}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
