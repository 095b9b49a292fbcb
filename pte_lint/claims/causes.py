"""Which findings follow from another one: the root-cause relation of an artifact's findings.

One damage makes many things look wrong. A finding that follows from another names that one by its
fingerprint; for people the consequences are counted under their cause. Verdicts and exit codes are
made of all findings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from pte_lint.claims.finding import Finding, Severity
from pte_lint.schema.violations import Violation

_WHOLE_FILE: Final = ("PTE001", "PTE002", "PTE003", "PTE004", "PTE005")
"""Empty, a Git LFS pointer, another format or version, damaged in transfer."""
_TRUNCATED: Final = "PTE006"
_HEADER: Final = ("PTE007", "PTE008", "PTE009")
"""Impossible numbers in the header, a segment base that is missing or shifted."""
_TABLES: Final = "PTE010"
_ABSENT: Final = "PTE102"
"""A table of a method that is not there."""
_DATA_FILE: Final = "PTE521"
_ENTRY: Final = "PTE515"
"""A data file that is cut off, or is none, and an entry of one."""
_INDEPENDENT: Final = frozenset({"PTE018", "PTE019"})
"""The file's name, and that it is a bundle, are what they are."""
_OF_SEGMENTS: Final = frozenset(
    f"PTE{number:03}"
    for number in (8, 9, 11, *range(14, 18), 20, 21, 413, 415, 417, *range(501, 507), 701, 704, 705)
)
"""Rules about where segments are and what is in them."""
_METHOD: Final = re.compile(r"execution_plan\[\d+\]")
_LAST: Final = re.compile(r"(?:\.[^.\[\]]*|\[\d+\])$")
_FOLLOWED: Final = ("", ".values", ".inputs", ".outputs", ".chains")
"""Fields of a method without which its steps are not what they seem."""


def linked(
    findings: Sequence[Finding], violations: Iterable[Violation] = ()
) -> tuple[Finding, ...]:
    """Tells of each finding which other one it follows from.

    A cause is never milder than what follows from it, and follows from nothing itself.

    Args:
        findings: all findings of one artifact, with fingerprints.
        violations: what does not verify in its tables.
    """
    causes = [found for rule in _CAUSES for found in findings if found.rule == rule]
    local = {scope: found for found in reversed(findings) if (scope := _explains(found))}
    if not causes and not local:
        return tuple(findings)
    is_cut = {_TRUNCATED, _TABLES} <= {cause.rule for cause in causes}
    unread = _unread(violations) if causes and causes[-1].rule == _TABLES else frozenset()
    roots: dict[int, Finding] = {}

    def explain(finding: Finding, by: Sequence[Finding]) -> None:
        for cause in by:
            is_milder = _rank(cause) > _rank(finding)
            if not is_milder and _CAUSES[cause.rule](finding, is_cut, unread):
                roots[id(finding)] = roots.get(id(cause), cause)
                return

    # Of several causes the earlier explain the later ones.
    for n, cause in enumerate(causes):
        explain(cause, causes[:n])
    for finding in findings:
        if finding.rule not in _CAUSES:
            explain(finding, causes)
    for finding in findings:
        root = local.get(_explained_with(finding))
        if id(finding) not in roots and root is not None and _rank(root) <= _rank(finding):
            roots[id(finding)] = root  # what explains that one explains all of the method
    return tuple(
        replace(f, cause=roots[id(f)].fingerprint) if id(f) in roots else f for f in findings
    )


def consequences(findings: Iterable[Finding]) -> tuple[list[Finding], dict[str, int]]:
    """Parts findings for people: those that stand for themselves, and how many follow from each.

    What follows from a finding that is not among them (set aside, say) stands for itself.
    """
    everything = list(findings)
    there = {finding.fingerprint for finding in everything if finding.cause is None}
    roots, counts = [], dict[str, int]()
    for finding in everything:
        if finding.cause in there and finding.cause is not None:
            counts[finding.cause] = counts.get(finding.cause, 0) + 1
        else:
            roots.append(finding)
    return roots, counts


_Scope: TypeAlias = tuple[str, object]
"""What one finding explains the others of: a method by its path, a data file by its name."""


def _explains(finding: Finding) -> _Scope | None:
    """What a finding explains that is not about the artifact as a whole."""
    if finding.rule == _DATA_FILE:
        return _DATA_FILE, finding.evidence.get("file")
    method = _METHOD.match(finding.location.path)
    if finding.rule == _ABSENT and method and finding.location.path[method.end() :] in _FOLLOWED:
        return _ABSENT, method[0]
    return None


def _explained_with(finding: Finding) -> _Scope:
    """What would have to be explained for a finding to be so, too."""
    if finding.rule == _ENTRY:
        return _DATA_FILE, finding.evidence.get("file")
    method = _METHOD.match(finding.location.path)
    return _ABSENT, method[0] if method and finding.rule not in (_ABSENT, *_CAUSES) else None


def _rank(finding: Finding) -> int:
    return (finding.severity or Severity.INFO).rank


def _unread(violations: Iterable[Violation]) -> frozenset[str]:
    """Paths of what could not be decoded, and of the tables that it belongs to.

    A method counts as a whole when what its steps are made of is among it.
    """
    out: set[str] = set()
    for violation in violations:
        path = violation.path
        out.add(path)
        method = _METHOD.match(path)
        if method is not None:
            rest = path[method.end() :]
            if rest in _FOLLOWED:
                out.add(method[0])
            table = _LAST.sub("", path)
            table = table.removesuffix(".val")
            if len(table) > len(method[0]) and table[len(method[0]) :] not in _FOLLOWED:
                out.add(table)
    return frozenset(out)


def _is_below(path: str, paths: Collection[str]) -> bool:
    """Whether a logical path, or one that it is part of, is among `paths`."""
    while path:
        if path in paths:
            return True
        shorter = _LAST.sub("", path)
        path = shorter if shorter != path else ""
    return "" in paths


def _of_file(finding: Finding, is_cut: bool, unread: Collection[str]) -> bool:
    return finding.rule not in _INDEPENDENT


def _of_cut(finding: Finding, is_cut: bool, unread: Collection[str]) -> bool:
    """What lies behind the cut: segments, and the tables where these were cut too."""
    if is_cut:
        return finding.rule not in _INDEPENDENT
    return finding.rule in _OF_SEGMENTS


def _of_header(finding: Finding, is_cut: bool, unread: Collection[str]) -> bool:
    return finding.rule in _OF_SEGMENTS


def _of_damaged_header(finding: Finding, is_cut: bool, unread: Collection[str]) -> bool:
    return finding.rule in _OF_SEGMENTS or finding.rule == _TABLES


def _of_tables(finding: Finding, is_cut: bool, unread: Collection[str]) -> bool:
    return bool(finding.location.path) and _is_below(finding.location.path, unread)


_CAUSES: Final[dict[str, Callable[[Finding, bool, Collection[str]], bool]]] = {
    **dict.fromkeys(_WHOLE_FILE, _of_file),
    _TRUNCATED: _of_cut,
    _HEADER[0]: _of_damaged_header,
    **dict.fromkeys(_HEADER[1:], _of_header),
    _TABLES: _of_tables,
}
"""What follows from a rule's findings; the rules stand in the order in which they explain."""
