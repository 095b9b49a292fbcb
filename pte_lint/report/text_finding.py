"""One group of findings as text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.target import Target
from pte_lint.report.folding import Group
from pte_lint.report.json_value import json_value
from pte_lint.report.layout import Painter, labelled, render, wrap
from pte_lint.report.phrases import following, rest, runtime_sentence, short, source_words, where
from pte_lint.report.text_confirmation import confirmation_lines
from pte_lint.text import sanitise
from pte_lint.text.prose import Block, BlockKind, blocks

SHOWN: Final = 3
"""Findings of a group that are printed in full before the rest is counted."""

_INDENT: Final = "    "


def group_lines(
    group: Group,
    target: Target,
    paint: Painter,
    unfold: bool,
    snippets: dict[str, str] | None = None,
) -> Iterator[str]:
    """Renders one group: what, where (several times), what the runtime does, the fix.

    Args:
        group: the findings.
        target: whom the runtime sentence is about.
        paint: puts on colour.
        unfold: print every finding of the group, and its evidence.
        snippets: code that was shown already, by what it said, and the rule that showed it; added
            to. A snippet is shown once.
    """
    first = group.first
    severity = str(first.severity or "info")
    title = f"{paint(first.rule, 'strong')} ({sanitise.name(first.name)})"
    if first.severity is Severity.INFO and not unfold:
        yield from _note(group, paint)
        return
    yield f"  {paint(severity, severity)} {title}"
    # One finding too many is no reason to fold: the line that counts it would be as long.
    shown = len(group.findings) if unfold or len(group.findings) <= SHOWN + 1 else SHOWN
    for finding in group.findings[:shown]:
        yield from labelled("at ", where(finding), _INDENT, paint)
        for part in finding.message.split("\n"):
            yield from wrap(part, indent=_INDENT + "   ")
        if source := source_words(finding):
            yield from labelled("from ", source, _INDENT + "   ", paint)
        if unfold:
            yield from _details(finding)
    others = group.findings[shown:]
    if others:
        yield from wrap(rest(others), indent=_INDENT + "   ", first=_INDENT)
    if group.after:
        yield from labelled("follows from: ", group.after, _INDENT, paint)
    if group.follow and not unfold:
        text = f"{following(group.follow)} (-v lists them)"
        yield from wrap(text, indent=_INDENT + "   ", first=_INDENT)
    sentence = runtime_sentence(first, target)
    if sentence is not None:
        yield from labelled("runtime: ", sentence, _INDENT, paint)
    yield from _confirmed(group, paint)
    yield from _fix(first, paint, {} if snippets is None or unfold else snippets)


def _note(group: Group, paint: Painter) -> Iterator[str]:
    """An info in one paragraph, with what one may do: it must not bury what asks for more."""
    first = group.first
    label = f"info {first.rule} ({sanitise.name(first.name)})"
    more = f" {rest(group.findings[1:])}." if len(group.findings) > 1 else ""
    text = f"{label} at {where(first)}: {first.message}{more} {advice(first.remediation)}"
    lines = wrap(text, indent=_INDENT, first="  ")
    painted = f"{paint('info', 'info')} {paint(first.rule, 'strong')}"
    lines[0] = lines[0].replace(f"info {first.rule}", painted, 1)
    yield from lines


def advice(remediation: str) -> str:
    """The first paragraph of a remedy, for where there is no room for the snippets after it."""
    parts = blocks(remediation)
    if not parts:
        return "Nothing needs to be done."
    text = parts[0].text if parts[0].kind is not BlockKind.CODE else ""
    if len(parts) == 1:
        return f"Advice: {text}"
    return f"Advice: {text.rstrip(':,.')} (-v shows how).".replace("  ", " ")


def _confirmed(group: Group, paint: Painter) -> Iterator[str]:
    """What running showed: once where it is the same for all findings of the group."""
    told: dict[str, list[Finding]] = {}
    for finding in group.findings:
        if finding.confirmation is not None:
            told.setdefault(finding.confirmation.status, []).append(finding)
    for findings in told.values():
        confirmation = findings[0].confirmation
        assert confirmation is not None
        if len(told) > 1:
            places = ", ".join(dict.fromkeys(f.subject or short(f) for f in findings))
            yield from wrap(f"{places}:", indent=_INDENT)
        yield from confirmation_lines(confirmation, _INDENT, paint)


def _details(finding: Finding) -> Iterator[str]:
    at = finding.location
    place = [at.path or "the file"]
    if at.byte_offset is not None:
        place.append(f"byte {at.byte_offset}")
    yield from wrap(f"({', '.join(place)}; fingerprint {finding.fingerprint})", _INDENT + "   ")
    for key in sorted(finding.evidence):
        value = json.dumps(json_value(finding.evidence[key]), ensure_ascii=False)
        yield from wrap(f"{key} = {value}", _INDENT + "     ", _INDENT + "   ")


def _fix(finding: Finding, paint: Painter, snippets: dict[str, str]) -> Iterator[str]:
    parts = [
        Block(BlockKind.PARAGRAPH, f"(the snippet is that of {snippets[part.text]})")
        if part.kind is BlockKind.CODE and part.text in snippets
        else part
        for part in blocks(finding.remediation)
    ]
    for part in parts:
        if part.kind is BlockKind.CODE:
            snippets[part.text] = finding.rule
    if not parts:
        return
    if parts[0].kind is BlockKind.PARAGRAPH:
        yield from labelled("fix: ", parts[0].text, _INDENT, paint, hanging=2)
        parts = parts[1:]
    else:
        yield _INDENT + paint("fix:", "dim")
    if parts:
        yield ""
        yield from render(parts, _INDENT + "  ", paint, code_indent=_INDENT + "    ")
