from __future__ import annotations

from pte_lint.schema.program import DataSegment

from pte_lint.claims.finding import Severity
from tests.support.examples import plain
from tests.support.judging import judge, only


def test_segments_that_nothing_names() -> None:
    segments = (*(plain().program.segments or ()), DataSegment(0, 10), DataSegment(1 << 40, 20))
    finding = only(judge(plain().replaced("segments", segments).bytes(), "PTE701"))
    assert finding.message == (
        "Nothing refers to segments 1, 2 (30 bytes); 1 of them leave the file."
    )
    assert finding.severity is Severity.WARNING
    assert finding.location.path == "segments[1]"
    for one, says in (
        (DataSegment(0, 10), "Nothing refers to segment 1 (10 bytes)."),
        (DataSegment(1 << 40, 20), "Nothing refers to segment 1 (20 bytes); it leaves the file."),
    ):
        alone = plain().replaced("segments", (*(plain().program.segments or ()), one)).bytes()
        assert only(judge(alone, "PTE701")).message == says


def test_segments_in_use_and_empty_ones() -> None:
    segments = (*(plain().program.segments or ()), DataSegment(0, 0))
    assert judge(plain().replaced("segments", segments).bytes(), "PTE701").findings == ()
