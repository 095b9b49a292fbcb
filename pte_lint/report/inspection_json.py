"""`pte-lint inspect --json`. Keys may be added, never renamed."""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.finding import Json
from pte_lint.inspection.model import Inspection
from pte_lint.report import sanitise
from pte_lint.report.jsonable import document, jsonable

_INTERNAL = frozenset({"code", "content"})


def render(inspection: Inspection, listings: Sequence[Sequence[str]] | None = None) -> str:
    """Renders the document.

    Args:
        inspection: what to show.
        listings: the instruction lines of each method, where they were asked for.
    """
    methods = []
    for position, method in enumerate(inspection.methods):
        facts = jsonable(method, _INTERNAL)
        facts["by_kind"] = dict(method.by_kind)
        facts["planned_bytes"] = method.planned_bytes()
        facts["share"]["delegated"] = method.share.delegated
        if listings is not None:
            facts["listing"] = [sanitise.exact(line) for line in listings[position]]
        methods.append(facts)
    needs: Json = jsonable(inspection.needs)
    needs["minimum_runtime"] = inspection.needs.minimum_runtime
    return document(
        {
            "artifact": {
                "path": sanitise.exact(inspection.path),
                "kind": inspection.format.value,
                "size": inspection.size,
                "sha256": inspection.sha256,
                "schema_version": inspection.schema_version,
                "damage": jsonable(inspection.damage),
            },
            "methods": methods,
            "needs": needs,
            "constants": jsonable(inspection.constants),
            "named_data": jsonable(inspection.named),
            "test_suites": jsonable(inspection.suites),
            "bytes": {
                "by_kind": inspection.bytes_by_kind(),
                "regions": jsonable(inspection.regions),
            },
        }
    )
