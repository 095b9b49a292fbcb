"""Numbers that people act on, per method and in total."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pte_lint.finding import Json

if TYPE_CHECKING:
    from pte_lint.method import Method


def numbers(methods: Sequence[Method]) -> dict[str, Json]:
    """Planned bytes by device name, for each method and in total."""
    total: dict[str, int] = {}
    per_method = []
    for method in methods:
        planned = method.planned_bytes()
        for name, size in planned.items():
            total[name] = total.get(name, 0) + size
        per_method.append({"method": method.name, "planned_bytes": planned})
    return {"methods": per_method, "planned_bytes": total}
