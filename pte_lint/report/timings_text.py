"""Where the time went, as a table for people."""

from __future__ import annotations

from pte_lint.clock import Seconds
from pte_lint.report.columns import columns

_SHOWN = 40
"""Rows; what takes less than all of these is summed up."""


def render(timings: Seconds, processes: int = 1) -> str:
    """Renders own times, the largest first.

    Args:
        timings: own seconds by kind and name.
        processes: how many processes the times are of.
    """
    total = sum(timings.values())
    ranked = sorted(timings.items(), key=lambda item: (-item[1], item[0]))
    rows = [_row(kind, name, seconds, total) for (kind, name), seconds in ranked[:_SHOWN]]
    rest = ranked[_SHOWN:]
    if rest:
        rows.append(_row("", f"{len(rest)} others", sum(s for _, s in rest), total))
    rows.append(_row("", "total", total, total))
    lines = columns(rows, right=frozenset((2, 3)))
    of = f", summed over {processes} processes" if processes > 1 else ""
    return "\n".join((f"timings: seconds of each alone{of}", *lines)) + "\n"


def _row(kind: str, name: str, seconds: float, total: float) -> tuple[str, ...]:
    share = f"{100 * seconds / total:.1f} %" if total else ""
    return kind, name, f"{seconds:.4f}", share, ""
