"""Repairs of what a file carries and nothing uses."""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.rules.fixes.finding import method_of

from pte_lint.claims.finding import Finding
from pte_lint.data.context import Context
from pte_lint.edits.content import DropDelegates, DropOperators, DropSegments, DropStackTraces
from pte_lint.edits.draft import Edit
from pte_lint.edits.fixer import fixer
from pte_lint.edits.plan_draft import EditError


@fixer("PTE701", "leave out the segments that nothing refers to", safe=True, last=True)
def drop_segments(finding: Finding, context: Context) -> Iterator[Edit]:
    """Nothing can read them through the runtime."""
    yield DropSegments(tuple(finding.evidence["segments"]))


@fixer("PTE702", "leave out what is never called", safe=True, last=True)
def drop_entries(finding: Finding, context: Context) -> Iterator[Edit]:
    """Unused operators fail a load where they are missing; unused delegates cost their start."""
    method, entries = method_of(finding, context), tuple(finding.evidence["entries"])
    if finding.evidence["table"] == "operators":
        yield DropOperators(method.index, entries)
    else:
        yield DropDelegates(method.index, entries)


@fixer("PTE703", "leave out the stack traces", safe=True)
def drop_stack_traces(finding: Finding, context: Context) -> Iterator[Edit]:
    """Paths inside of backends' own data stay: only the backend knows what they are for."""
    if finding.subject != "stack traces":
        raise EditError("the paths are part of what a backend reads")
    for method in context.methods:
        yield DropStackTraces(method.index)
