"""The numbers of an artifact, in a line or two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pte_lint.finding import Json
from pte_lint.report.phrases import human_bytes


def memory_lines(numbers: Mapping[str, Json]) -> Iterator[str]:
    """Planned bytes by device, summed over the methods; nothing where nothing is planned."""
    planned = numbers.get("planned_bytes")
    if isinstance(planned, Mapping) and planned:
        yield "planned " + ", ".join(
            f"{human_bytes(size)} on {device}" for device, size in sorted(planned.items())
        )
