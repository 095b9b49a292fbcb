"""`pte-lint diff --format json`."""

from __future__ import annotations

from pte_lint.difference.compare import Difference
from pte_lint.report.difference_text import Failing
from pte_lint.report.documents import (
    ComparisonSummary,
    DifferenceDocument,
    compared_artifact,
    compared_change,
)
from pte_lint.report.jsonable import dumps


def render(difference: Difference, failing: Failing = ()) -> str:
    """Renders the document; `failing` are the changes that make it fail, with why."""
    failed = {id(change): str(condition) for change, condition in failing}
    return dumps(
        DifferenceDocument(
            old=compared_artifact(difference.old),
            new=compared_artifact(difference.new),
            content_compared=difference.content_compared,
            changes=tuple(compared_change(c, failed.get(id(c))) for c in difference.changes),
            summary=ComparisonSummary(len(difference.changes), len(failed)),
        )
    )
