from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.program_builder import build_program
from tests.support.examples import counter
from tests.support.judging import judge, only


def test_a_table_out_of_order() -> None:
    b = counter()
    b.output(b.add(b.inputs[0], b.constant([1, 2, 3], (3,))))
    program = build_program(b)
    segments = program.program.segments or ()
    swapped = program.replaced("segments", segments[::-1])
    swapped = swapped.replaced("constant_segment.segment_index", 1)
    swapped = swapped.replaced("mutable_data_segments[0].segment_index", 0)
    report = judge(swapped.bytes(), "PTE020")
    assert only(report).message == (
        "Segment 1 starts at 0, before the segment in front of it, which starts at 128."
    )
    assert only(report).severity is Severity.WARNING
    assert judge(program.bytes(), "PTE020").findings == ()
