"""Markdown for a comment on a pull request.

Folded like the text format, and kept under the length that forges accept: what does not fit is
counted, never cut in the middle.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.claims.result import ArtifactReport, Report
from pte_lint.claims.target import Target
from pte_lint.report.folding import Group, ranked
from pte_lint.report.markdown_safe import code, prose
from pte_lint.report.options import DEFAULT, RenderOptions
from pte_lint.report.phrases import (
    counts,
    following,
    heading,
    plural,
    runs_label,
    runs_on,
    runtime_sentence,
    shown,
    shown_wrong,
    source_words,
    verdict,
    where,
)
from pte_lint.report.ranking import failing, worst_first
from pte_lint.text import sanitise
from pte_lint.text.code_language import language
from pte_lint.text.prose import Block, BlockKind, blocks

LIMIT: Final = 60_000
"""Characters; GitHub refuses comments of more than 65,536."""

LISTED: Final = 50
"""Failing files that are named at the top."""

SHOWN: Final = 3
"""Findings of a group that are told one by one."""


def render(report: Report, options: RenderOptions = DEFAULT) -> str:
    """Renders the comment."""
    head = f"## pte-lint: {counts(report)}\n\nJudged for executorch {report.target.runtime}.\n"
    parts, used, left_out = [head], len(head), 0
    bad = failing(report, options)
    if bad and len(report.artifacts) > 1:
        head += "\n".join(_failing(bad))
        parts, used = [head], len(head)
    for artifact in worst_first(report):
        part = "\n".join(_artifact(artifact, report.target)) + "\n"
        if used + len(part) > LIMIT and artifact in bad:
            part = "\n".join(_brief(artifact)) + "\n"
        if used + len(part) > LIMIT:
            left_out += 1
            continue
        parts.append(part)
        used += len(part)
    if left_out:
        parts.append(f"{plural(left_out, 'file')} left out: this comment would be too long.\n")
    if report.unread:
        unread = [f"- {prose(each)}" for each in report.unread[:20]]
        if len(report.unread) > len(unread):
            unread.append(f"- and {len(report.unread) - len(unread)} more")
        parts.append("Not read:\n\n" + "\n".join(unread) + "\n")
    if report.notes:
        notes = [f"- {prose(note)}" for note in report.notes[:20]]
        parts.append("Notes:\n\n" + "\n".join(notes) + "\n")
    return "\n".join(parts)


def _failing(bad: Sequence[ArtifactReport]) -> Iterator[str]:
    """A list of the files that fail, for these must be seen whatever is left out further down."""
    yield f"\nFailing: {plural(len(bad), 'file')}.\n"
    for artifact in bad[:LISTED]:
        yield f"- {code(artifact.path)}: {heading(artifact) or 'refuted by the runtime'}"
    if len(bad) > LISTED:
        yield f"- and {plural(len(bad) - LISTED, 'more file')}"
    yield ""


def _head(artifact: ArtifactReport) -> Iterator[str]:
    told = heading(artifact)
    ok = all(v.outcome is Outcome.OK for v in artifact.verdict)
    yield f"### {code(artifact.path)}: {told or ('clean' if ok else 'no findings')}"
    yield ""
    for v in artifact.verdict:
        ran = shown(v)
        told = verdict(v, artifact.needs) + (f" ({ran})" if ran is not None else "")
        yield f"- Verdict: {prose(told)}"
    for title, text in shown_wrong(artifact):
        yield f"- {title.capitalize()}: {prose(text)}"


def _brief(artifact: ArtifactReport) -> Iterator[str]:
    """A failing file that there is no room to tell more of: its rules."""
    yield from _head(artifact)
    rules = Counter(f.rule for f in artifact.findings if f.severity is Severity.ERROR)
    if rules:
        each = ", ".join(f"{rule} x{n}" if n > 1 else rule for rule, n in sorted(rules.items()))
        yield f"- Errors: {prose(each)}"


def _artifact(artifact: ArtifactReport, target: Target) -> Iterator[str]:
    yield from _head(artifact)
    versions = runs_on(artifact)
    if versions is not None:
        yield f"- {runs_label(artifact).capitalize()}: {prose(versions)}"
    if artifact.suppressed:
        aside = plural(len(artifact.suppressed), "finding")
        yield f"- Set aside by an ignore entry or the baseline: {aside}"
    if artifact.unchecked:
        first = artifact.unchecked[0].what
        rest = len(artifact.unchecked) - 1
        more = f" and {plural(rest, 'other thing')}" if rest else ""
        yield f"- Not checked: {code(first)}{more}"
    for error in artifact.internal_errors:
        whose = "" if error.plugin is None else f" of the plugin {prose(error.plugin)}"
        yield f"- Internal error in {code(error.rule)}{whose}: {code(error.message)}"
    for group in ranked(artifact.findings):
        yield ""
        yield from _group(group, target)


def _group(group: Group, target: Target) -> Iterator[str]:
    first = group.first
    yield f"**{first.severity} {prose(first.rule)} {prose(first.name)}**"
    yield ""
    first_ones = len(group.findings) if len(group.findings) <= SHOWN + 1 else SHOWN
    for finding in group.findings[:first_ones]:
        source = source_words(finding)
        origin = f" From {code(source, sanitise.PROSE_LIMIT)}." if source else ""
        place = code(where(finding), sanitise.PROSE_LIMIT)
        yield f"- {place}: {prose(_line(finding.message))}{origin}"
    if len(group.findings) > first_ones:
        yield f"- and {len(group.findings) - first_ones} more like this"
    if group.follow:
        yield f"- {following(group.follow)}"
    sentence = runtime_sentence(first, target)
    if sentence is not None:
        yield ""
        yield f"Runtime: {prose(sentence)}."
    ran = shown(first)
    if ran is not None:
        yield ""
        yield f"Run: {prose(ran)}."
    parts = blocks(first.remediation)
    if parts:
        yield ""
        yield "<details><summary>Fix</summary>"
        for part in parts:
            yield from _block(part)
        yield ""
        yield "</details>"


def _block(part: Block) -> Iterator[str]:
    yield ""
    if part.kind is BlockKind.CODE:
        text = sanitise.block(part.text)
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
        yield f"{fence}{language(part.text)}"
        yield text
        yield fence
    else:
        yield f"{'- ' if part.kind is BlockKind.ITEM else ''}{prose(part.text)}"


def _line(text: str) -> str:
    return text.replace("\n", " ")
