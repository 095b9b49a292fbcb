"""Ignore entries: findings that are meant to be, with a reason.

An entry sets findings aside after the rules have run. The verdict is left alone: what the runtime
does is not changed by anyone's opinion of it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from pte_lint.claims.finding import Finding
from pte_lint.claims.result import ArtifactReport, Report, Suppressed
from pte_lint.files.remote.address import is_address, with_slashes
from pte_lint.rulebook.rule import Rule
from pte_lint.rulebook.selection import SelectorError, select_rules
from pte_lint.schema.frozen import dataclass
from pte_lint.text.globs import path_matches, text_matches


@dataclass(frozen=True, slots=True)
class Ignore:
    """One entry; None matches everything."""

    rule: str
    reason: str
    path: str | None = None
    method: str | None = None
    location: str | None = None
    expires: date | None = None
    """The last day on which it counts."""
    source: str = "ignore entry"
    """Where it is written, for notes: `pyproject.toml: ignore[2]`."""


def suppress(
    report: Report,
    entries: Sequence[Ignore],
    rules: Sequence[Rule],
    *,
    root: Path | None = None,
    today: date,
    ran: Collection[str] | None = None,
) -> Report:
    """Sets aside the findings that an entry matches; notes unused and expired entries.

    Args:
        report: the report to work on; it is not changed.
        entries: the entries; where several match a finding, the first gives the reason.
        rules: every rule there is, to resolve the entries' selectors.
        root: the folder that path globs are relative to; None: match paths as they are reported.
        today: the date that `expires` is compared with.
        ran: ids of the rules that were run; an entry for a rule that was not is no news.

    Raises:
        SelectorError: an entry names no rule.
    """
    if not entries:
        return report
    covers: dict[Ignore, frozenset[str]] = {}
    known: dict[str, frozenset[str]] = {}
    for entry in entries:
        if entry.rule not in known:
            known[entry.rule] = _covered(entry, rules)
        covers[entry] = known[entry.rule]
    notes = [_expired(e) for e in entries if _is_over(e, today)]
    live = [e for e in entries if not _is_over(e, today)]
    used: set[Ignore] = set()
    artifacts = tuple(_apply(a, live, covers, root, used) for a in report.artifacts)
    notes += [
        f"{entry.source} ({entry.rule}) matches nothing; remove it"
        for entry in live
        if entry not in used and (ran is None or not covers[entry].isdisjoint(ran))
    ]
    return replace(report, artifacts=artifacts, notes=(*report.notes, *notes))


def _covered(entry: Ignore, rules: Sequence[Rule]) -> frozenset[str]:
    try:
        return frozenset(rule.id for rule in select_rules(rules, (entry.rule,)))
    except SelectorError as exc:
        raise SelectorError(f"{entry.source}: {exc}") from exc


def _apply(
    artifact: ArtifactReport,
    entries: Sequence[Ignore],
    covers: Mapping[Ignore, frozenset[str]],
    root: Path | None,
    used: set[Ignore],
) -> ArtifactReport:
    path = relative(artifact.path, root)
    here = [e for e in entries if e.path is None or path_matches(e.path, path)]
    if not here:
        return artifact
    kept: list[Finding] = []
    aside: list[Suppressed] = []
    for finding in artifact.findings:
        if finding.is_unjudged:
            kept.append(finding)
            continue
        matching = [e for e in here if finding.rule in covers[e] and _matches(e, finding)]
        used.update(matching)
        if matching:
            aside.append(Suppressed(finding, matching[0].reason))
        else:
            kept.append(finding)
    return replace(artifact, findings=tuple(kept), suppressed=(*artifact.suppressed, *aside))


def _matches(entry: Ignore, finding: Finding) -> bool:
    if entry.method is not None and (
        finding.method is None or not text_matches(entry.method, finding.method)
    ):
        return False
    if entry.location is None:
        return True
    return text_matches(entry.location, finding.subject) or text_matches(
        entry.location, finding.location.path
    )


def relative(path: str, root: Path | None) -> str:
    """An artifact's path as globs see it: relative to `root` where it lies below, with slashes.

    An address stays what it is.
    """
    if root is not None and not path.startswith("<") and not is_address(path):
        absolute = Path(os.path.abspath(path))  # noqa: PTH100 - resolving links would change names
        if absolute.is_relative_to(root):
            return absolute.relative_to(root).as_posix()
    return with_slashes(path)


def _is_over(entry: Ignore, today: date) -> bool:
    return entry.expires is not None and entry.expires < today


def _expired(entry: Ignore) -> str:
    return f"{entry.source} ({entry.rule}) expired on {entry.expires}: {entry.reason}"
