"""Repairs of the file around a program."""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.claims.finding import Finding
from pte_lint.data.context import Context
from pte_lint.edits.content import AlignConstants, DropTrailingBytes, LaySegmentsAnew
from pte_lint.edits.draft import Edit
from pte_lint.edits.fixer import fixer
from pte_lint.edits.plan_draft import EditError


@fixer("PTE015", "give every segment bytes of its own", safe=True)
def separate_segments(finding: Finding, context: Context) -> Iterator[Edit]:
    """Only where every segment still has its own content: what was overwritten is lost."""
    if finding.severity == "error":
        raise EditError("which of the segments the shared bytes belong to is lost; export again")
    yield LaySegmentsAnew()


@fixer("PTE017", "leave out the bytes behind the program", safe=True, last=True)
def cut(finding: Finding, context: Context) -> Iterator[Edit]:
    """Nothing that runs reads them."""
    yield DropTrailingBytes()


@fixer("PTE020", "lay the segments out in order", safe=True)
def sort_segments(finding: Finding, context: Context) -> Iterator[Edit]:
    """The table's order is the one that counts."""
    yield LaySegmentsAnew()


@fixer("PTE021", "write the padding as zeros", safe=True, last=True)
def clean_padding(finding: Finding, context: Context) -> Iterator[Edit]:
    """What stands between segments is not part of any."""
    yield LaySegmentsAnew()


@fixer("PTE505", "align the constants to 16 bytes", safe=True)
def align_constants(finding: Finding, context: Context) -> Iterator[Edit]:
    """Their bytes stay the same."""
    yield AlignConstants()
