"""`pte-lint inspect --json`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pte_lint.inspection.model import Inspection
from pte_lint.report.documents import (
    InspectedArtifact,
    InspectedBytes,
    InspectionDocument,
    inspected_method,
)
from pte_lint.report.jsonable import Room, pieces

_FREE: Final = 2 << 20
_TIMES: Final = 12
"""Characters of the document: so many, and so many for each byte of the file. No exporter's program
comes near it."""


def render(inspection: Inspection, listings: Sequence[Sequence[str]] | None = None) -> str:
    """Renders the document; see `rendered`."""
    return "".join(rendered(inspection, listings))


def rendered(
    inspection: Inspection, listings: Sequence[Sequence[str]] | None = None
) -> Iterator[str]:
    """Renders the document, in pieces.

    Args:
        inspection: what to show.
        listings: the instruction lines of each method, where they were asked for.
    """
    room = Room(_FREE + _TIMES * inspection.size)
    return pieces(
        InspectionDocument(
            artifact=InspectedArtifact(
                path=inspection.path,
                kind=inspection.format,
                size=inspection.size,
                sha256=inspection.sha256,
                schema_version=inspection.schema_version,
                damage=inspection.damage,
                fetched=inspection.fetched,
            ),
            methods=tuple(
                inspected_method(m, tuple(listings[n]) if listings is not None else None)
                for n, m in enumerate(inspection.methods)
            ),
            needs=inspection.needs,
            constants=inspection.constants,
            named_data=inspection.named,
            keys=inspection.keys,
            test_suites=inspection.suites,
            bytes=InspectedBytes(inspection.bytes_by_kind(), inspection.regions),
            unlisted=room.unlisted,
        ),
        room,
    )
