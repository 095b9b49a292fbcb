"""The numbers of an artifact, in a line or two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pte_lint.claims.finding import Finding, Json
from pte_lint.report.phrases import human_bytes


def memory_lines(numbers: Mapping[str, Json], findings: Iterable[Finding] = ()) -> Iterator[str]:
    """Planned bytes by device, summed over the methods, and what a fix would save.

    Args:
        numbers: the report's numbers.
        findings: findings that carry `planned_bytes` and `planned_bytes_with_fix` of their method.
    """
    planned = numbers.get("planned_bytes")
    if isinstance(planned, Mapping) and planned:
        yield "planned " + ", ".join(
            f"{human_bytes(size)} on {device}" for device, size in sorted(planned.items())
        )
    yield from _copied(numbers)
    told: set[str | None] = set()
    for finding in findings:
        now = finding.evidence.get("planned_bytes")
        after = finding.evidence.get("planned_bytes_with_fix")
        if finding.method in told or not isinstance(now, int) or not isinstance(after, int):
            continue
        told.add(finding.method)
        if after < now:
            yield (
                f"{finding.method} plans {human_bytes(now)}, and {human_bytes(after)} with"
                f" {finding.rule} fixed"
            )


def _copied(numbers: Mapping[str, Json]) -> Iterator[str]:
    """Bytes that one call of each method copies between host and device."""
    copied = numbers.get("copied_bytes")
    if not isinstance(copied, Mapping) or not any(copied.values()):
        return
    line = (
        f"copies {human_bytes(copied.get('h2d', 0))} to the device and "
        f"{human_bytes(copied.get('d2h', 0))} back per call"
    )
    redundant, wasted = numbers.get("redundant_copies", 0), numbers.get("redundant_bytes", 0)
    if redundant:
        line += f", {human_bytes(wasted)} of it for nothing (redundant copies: {redundant})"
    yield line
