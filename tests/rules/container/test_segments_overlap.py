from __future__ import annotations

from dataclasses import replace

from pte_lint.schema.program import DataSegment

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.testing.containers import Layout
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.support.examples import counter, plain
from tests.support.judging import judge, only, verdict


def two_segments() -> BuiltProgram:
    """Constants and an initial state."""
    b = counter()
    b.output(b.add(b.inputs[0], b.constant([1, 2, 3], (3,))))
    return build_program(b)


def moved(built: BuiltProgram, index: int, segment: DataSegment) -> bytes:
    segments = list(built.program.segments or ())
    segments[index] = segment
    return built.replaced("segments", tuple(segments)).bytes()


def test_two_segments_that_overlap_in_part() -> None:
    built = two_segments()
    first, second = built.program.segments or ()
    report = judge(moved(built, 1, replace(second, offset=first.offset + 4)), "PTE015")
    assert only(report).message.endswith("share 8 bytes.")
    assert verdict(report).outcome is Outcome.UNDEFINED


def test_the_same_bytes_with_two_uses_may_be_meant() -> None:
    built = two_segments()
    first = (built.program.segments or ())[0]
    report = judge(moved(built, 1, first), "PTE015")
    assert only(report).severity is Severity.WARNING


def test_a_base_inside_the_program() -> None:
    report = judge(plain().bytes(Layout(segment_base_offset=64)), "PTE015")
    assert "lies over the program" in only(report).message
    assert verdict(report).outcome is Outcome.UNDEFINED


def test_a_program_given_as_too_long_is_harmless() -> None:
    size = len(plain().bytes())
    report = judge(plain().bytes(Layout(program_size=size)), "PTE015")
    assert only(report).severity is Severity.WARNING
    assert verdict(report).outcome is Outcome.OK


def test_segments_that_nobody_uses_do_not_count() -> None:
    built = two_segments()
    segments = built.program.segments or ()
    report = judge(built.replaced("segments", (*segments, segments[0])).bytes(), "PTE015")
    assert report.findings == ()


def test_segments_in_their_places() -> None:
    assert judge(two_segments().bytes(), "PTE015").findings == ()


def test_a_segment_that_is_given_as_too_long_is_only_doubtful() -> None:
    built = two_segments()
    first, second = built.program.segments or ()
    report = judge(moved(built, 0, replace(first, size=second.offset + 4)), "PTE015")
    assert only(report).severity is Severity.WARNING
    assert only(report).message.endswith("share 4 bytes, though none that are surely read.")
