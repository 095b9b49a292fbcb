"""Findings as the page shows them: grouped, linked to the pictures, with what a fix would save."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from pte_lint.claims.finding import Confirmation, Finding, Json, Severity
from pte_lint.claims.target import Target
from pte_lint.picture import anchors
from pte_lint.report.folding import Group, ranked
from pte_lint.report.json_value import json_value
from pte_lint.report.phrases import runtime_sentence, source_words, status_words, where
from pte_lint.report.text_confirmation import ran_on
from pte_lint.schema.frozen import dataclass
from pte_lint.text import sanitise
from pte_lint.text.prose import Block, blocks

SHOWN = 6
"""Findings of a group that are shown before the rest is folded."""

MOST = 1_000
"""Findings of a group that are listed at all."""

_LOGS = 4
_MOST_EVIDENCE = 40


@dataclass(frozen=True, slots=True)
class Link:
    """A link into a picture."""

    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class Stamp:
    """What the real runtime showed. `reason` is one sentence, `logs` the runtime's last words."""

    status: str
    word: str
    reason: str
    logs: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    """What minimal verification and older runtimes show."""


@dataclass(frozen=True, slots=True)
class Saving:
    """Planned bytes of one device, now and with the fix."""

    device: str
    now: int
    after: int


@dataclass(frozen=True, slots=True)
class Place:
    """One finding of a group."""

    anchor: str
    where: str
    message: str
    links: tuple[Link, ...]
    source: str
    evidence: tuple[tuple[str, str], ...]
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """Findings with one rule, consequence and remedy."""

    severity: Severity
    rule: str
    name: str
    places: tuple[Place, ...]
    unlisted: int
    runtime: str
    fix: tuple[Block, ...]
    savings: tuple[Saving, ...]
    stamps: tuple[tuple[str, str], ...]
    """(status, word) of what the real runtime showed of the group's findings, each once."""


def finding_groups(
    findings: Iterable[Finding], target: Target, links: Mapping[str, Sequence[Link]]
) -> tuple[FindingGroup, ...]:
    """Groups findings, the worst first; what follows from others comes last.

    Args:
        findings: all findings of an artifact, in the order of its report.
        target: whom the sentence about the runtime is about.
        links: by a finding's anchor, its places in the pictures.
    """
    groups = ranked(tuple(findings), with_consequences=True)
    return tuple(_group(group, target, links) for group in groups)


def _group(group: Group, target: Target, links: Mapping[str, Sequence[Link]]) -> FindingGroup:
    first = group.first
    stamps = dict.fromkeys(
        (f.confirmation.status, status_words(f.confirmation))
        for f in group.findings
        if f.confirmation is not None and f.confirmation.status != "unsupported"
    )
    return FindingGroup(
        first.severity or Severity.INFO,
        first.rule,
        first.name,
        tuple(_place(f, links) for f in group.findings[:MOST]),
        max(len(group.findings) - MOST, 0),
        runtime_sentence(first, target) or "",
        blocks(first.remediation),
        _savings(first.evidence),
        tuple(stamps),
    )


def _place(finding: Finding, links: Mapping[str, Sequence[Link]]) -> Place:
    anchor, at = anchors.finding(finding), finding.location
    told = [("place", at.path or "the file")]
    if at.byte_offset is not None:
        told.append(("byte", f"{at.byte_offset:,}"))
    for key in sorted(finding.evidence)[:_MOST_EVIDENCE]:
        value = json.dumps(json_value(finding.evidence[key]), ensure_ascii=False)
        told.append((sanitise.name(key), sanitise.prose(value)))
    told.append(("fingerprint", finding.fingerprint))
    return Place(
        anchor,
        where(finding),
        finding.message,
        tuple(links.get(anchor, ())),
        source_words(finding),
        tuple(told),
        stamp(finding.confirmation) if finding.confirmation is not None else None,
    )


def _savings(evidence: Mapping[str, Json]) -> tuple[Saving, ...]:
    now = evidence.get("planned_bytes_by_device")
    after = evidence.get("planned_bytes_by_device_with_fix")
    if not isinstance(now, Mapping) or not isinstance(after, Mapping):
        return ()
    return tuple(
        Saving("host" if device == "cpu" else str(device), size, after.get(device, 0))
        for device, size in sorted(now.items())
        if after.get(device, 0) < size
    )


def stamp(confirmation: Confirmation) -> Stamp:
    """What a confirmation says, in short."""
    told = confirmation.evidence
    logs = told.get("logs")
    more = []
    minimal = told.get("minimal_verification")
    if isinstance(minimal, Mapping) and minimal.get("status") != "unsupported":
        more.append(f"with minimal verification: {minimal['status']}, {minimal['reason']}")
    older = told.get("older_runtimes")
    if isinstance(older, Mapping):
        more += [
            f"{ran_on(version, shown)}: {shown['status']}, {shown['reason']}"
            for version, shown in older.items()
        ]
    return Stamp(
        confirmation.status,
        status_words(confirmation),
        str(told.get("reason", "")),
        tuple(str(line) for line in logs[-_LOGS:]) if isinstance(logs, list | tuple) else (),
        tuple(more),
    )
