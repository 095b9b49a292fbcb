from __future__ import annotations

from dataclasses import replace

from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.support.examples import adder, plain, scaler
from tests.support.judging import judge, only, verdict


def with_segment(built: BuiltProgram, **fields: int) -> bytes:
    segments = built.program.segments or ()
    return built.replaced("segments", (replace(segments[0], **fields), *segments[1:])).bytes()


def test_outside_the_file() -> None:
    report = judge(with_segment(plain(), size=4096), "PTE014")
    assert only(report).location.path == "segments[0]"
    assert verdict(report).error == "InvalidArgument"
    assert verdict(report).stage is Stage.LOAD_PROGRAM


def test_a_start_that_wraps_reads_other_bytes() -> None:
    report = judge(with_segment(plain(), offset=2**64 - 256), "PTE014")
    assert "passes 2^64 and comes back at byte" in only(report).message
    assert verdict(report).outcome is Outcome.UNDEFINED


def test_only_methods_with_constants_suffer_from_a_wrap() -> None:
    built = build_program(scaler(), adder("other"))
    report = judge(with_segment(built, offset=2**64 - 256), "PTE014")
    assert [v.outcome for v in report.verdict] == [Outcome.UNDEFINED, Outcome.OK]


def test_inside() -> None:
    assert judge(plain().bytes(), "PTE014").findings == ()
