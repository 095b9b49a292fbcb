"""Says what was repaired, what stays, and what it came to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.result import ArtifactReport
from pte_lint.fix.repaired import Memory, Repair
from pte_lint.report.phrases import plural, verdict
from pte_lint.text import sanitise

if TYPE_CHECKING:
    from pte_lint.fix.proof import Shown


def render(repair: Repair, shown: Sequence[Shown] = (), unproven: str = "") -> str:
    """One program's repair.

    Args:
        repair: What was done.
        shown: What running both versions showed.
        unproven: Why they were not run, if they were not.
    """
    return "".join(f"{line}\n" for line in _lines(repair, shown, unproven))


def _lines(repair: Repair, shown: Sequence[Shown], unproven: str) -> Iterator[str]:
    left = [each for each in repair.left if each.finding.severity is not Severity.INFO]
    fixed = plural(len(repair.applied), "finding")
    yield f"{sanitise.name(repair.before.path)}: {fixed} fixed, {len(left)} left"
    for done in repair.applied:
        unsafe = "" if done.is_safe else " (unsafe)"
        yield f"  fixed {_about(done.finding)}: {sanitise.prose(done.what)}{unsafe}"
    for stays in left:
        yield f"  left  {_about(stays.finding)}: {sanitise.prose(stays.why)}"
    for arena in repair.memory:
        yield f"  memory: {_memory(arena)}"
    yield from _verdicts(repair.before, repair.after)
    for each in shown:
        name = sanitise.name(each.method) or "(no name)"
        yield f"  run: {name}: {each.status} ({sanitise.prose(each.detail)})"
    if unproven:
        yield f"  not run: {sanitise.prose(unproven)}"


def _about(finding: Finding) -> str:
    where = " ".join(part for part in (finding.method, finding.subject) if part)
    return f"{finding.rule} ({finding.name}) {sanitise.prose(where)}".rstrip()


def _memory(arena: Memory) -> str:
    name = sanitise.name(arena.method) or "(no name)"
    least = ""
    if arena.bound is not None:
        least = (
            "; no plan needs less"
            if arena.after <= arena.bound
            else f"; no plan needs less than {arena.bound}"
        )
    return (
        f"{name}: arena {arena.memory_id} on {sanitise.name(arena.device)}: "
        f"{arena.before} to {arena.after} bytes{least}"
    )


def _verdicts(before: ArtifactReport, after: ArtifactReport) -> Iterator[str]:
    was = {v.method: verdict(v, before.needs) for v in before.verdict}
    for each in after.verdict:
        now, old = verdict(each, after.needs), was.get(each.method)
        changed = (
            f" (before: {sanitise.prose(old.partition(': ')[2])})" if old != now and old else ""
        )
        yield f"  verdict: {sanitise.prose(now)}{changed}"
