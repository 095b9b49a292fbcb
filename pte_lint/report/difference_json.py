"""`pte-lint diff --format json`. Keys may be added, never renamed."""

from __future__ import annotations

from pte_lint.difference.changes import Change
from pte_lint.difference.compare import Difference
from pte_lint.finding import Json
from pte_lint.inspection.model import Inspection
from pte_lint.report import sanitise
from pte_lint.report.difference_text import Failing
from pte_lint.report.jsonable import document, jsonable


def render(difference: Difference, failing: Failing = ()) -> str:
    """Renders the document; `failing` are the changes that make it fail, with why."""
    failed = {id(change): str(condition) for change, condition in failing}
    changes = [_change(change, failed.get(id(change))) for change in difference.changes]
    return document(
        {
            "old": _artifact(difference.old),
            "new": _artifact(difference.new),
            "content_compared": difference.content_compared,
            "changes": changes,
            "summary": {"changes": len(changes), "failing": len(failed)},
        }
    )


def _artifact(inspection: Inspection) -> Json:
    return {
        "path": sanitise.exact(inspection.path),
        "kind": inspection.format.value,
        "size": inspection.size,
        "sha256": inspection.sha256,
    }


def _change(change: Change, fails: str | None) -> Json:
    return {
        "kind": change.kind,
        "method": jsonable(change.method),
        "subject": sanitise.exact(change.subject()),
        "fails": fails,
        "change": jsonable(change, frozenset({"method"})),
    }
