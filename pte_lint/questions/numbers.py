"""Numbers that people act on, per method and in total."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pte_lint.claims.finding import Json
from pte_lint.questions.placement.faults import FaultCause

if TYPE_CHECKING:
    from pte_lint.questions.method import Method


def numbers(methods: Sequence[Method]) -> dict[str, Json]:
    """Planned and copied bytes.

    Per method and in total: `planned_bytes` by device; `planned_bytes_with_fix`, the same when
    device inputs that are planned as well no longer are (only where there are any; that edit alone:
    the setting `alloc_graph_input=False` takes host inputs out of their arena, too), and
    `bytes_duplicated` by them; `copied_bytes` per call by direction, each reachable copy counted
    once; `redundant_copies` and `redundant_bytes` per call.
    """
    per_method = [_of_method(method) for method in methods]
    total: dict[str, Json] = {"methods": per_method}
    total["planned_bytes"] = _sums(m["planned_bytes"] for m in per_method)
    if any("planned_bytes_with_fix" in m for m in per_method):
        fixed = [m.get("planned_bytes_with_fix", m["planned_bytes"]) for m in per_method]
        total["planned_bytes_with_fix"] = _sums(fixed)
        total["bytes_duplicated"] = sum(m.get("bytes_duplicated", 0) for m in per_method)
    if any("copied_bytes" in m for m in per_method):
        total["copied_bytes"] = _sums(m.get("copied_bytes", {}) for m in per_method)
        for key in ("redundant_copies", "redundant_bytes"):
            total[key] = sum(m.get(key, 0) for m in per_method)
    return total


def _of_method(method: Method) -> dict[str, Json]:
    out: dict[str, Json] = {"method": method.name, "planned_bytes": method.planned_bytes()}
    placement = method.placement
    if not placement.is_concerned:
        return out
    inputs = [v for v, _ in placement.by_tensor(FaultCause.PLANNED_INPUT)]
    if inputs:
        out["planned_bytes_with_fix"] = planned_without(method, inputs)
        out["bytes_duplicated"] = sum(method.nbytes(v) for v in inputs)
    if placement.has_copy_operators:
        copied = {"h2d": 0, "d2h": 0}
        for copy in placement.copies:
            if method.flow.reachable[copy.step.index]:
                copied[copy.direction] += copy.nbytes
        out["copied_bytes"] = copied
        out["redundant_copies"] = len(placement.wasted)
        out["redundant_bytes"] = sum(w.nbytes for w in placement.wasted)
    return out


def planned_without(method: Method, inputs: Sequence[int]) -> dict[str, int]:
    """Planned bytes by device name when these inputs are not planned."""
    from pte_lint.questions.planning import replan

    return {str(where): size for where, size in replan(method, inputs).items() if size}


def _sums(tables: Iterable[Json]) -> dict[str, int]:
    total: dict[str, int] = {}
    for table in tables:
        for key, size in table.items():
            total[key] = total.get(key, 0) + size
    return total
