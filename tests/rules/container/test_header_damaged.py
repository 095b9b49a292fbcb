from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.testing.containers import Layout
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict

SIZE = len(plain().bytes())


@pytest.mark.parametrize(
    ("layout", "error", "field"),
    [
        (Layout(header_length=23), "InvalidProgram", "length"),
        (Layout(program_size=SIZE + 1), "InvalidArgument", "program_size"),
        (Layout(program_size=7), "InvalidProgram", "program_size"),
        (Layout(segment_data_size=2**64 - 1), "InvalidProgram", "segment_base_offset"),
    ],
)
def test_impossible_numbers(layout: Layout, error: str, field: str) -> None:
    report = judge(plain().bytes(layout), "PTE007")
    assert only(report).location.path == f"header.{field}"
    assert verdict(report).error == error


def test_an_empty_program_crashed_1_2() -> None:
    report = judge(plain().bytes(Layout(program_size=0)), "PTE007")
    assert verdict(report).error == "InvalidProgram"
    (old,) = report.runs_on["1.2"]
    assert (old.outcome, old.signal) == (Outcome.CRASH, "SIGSEGV")


def test_a_small_segment_size_is_only_doubtful() -> None:
    report = judge(plain().bytes(Layout(segment_data_size=16)), "PTE007")
    assert only(report).severity is Severity.WARNING
    assert only(report).message.startswith("segment_data_size is 16, but the last segment ends at")
    assert verdict(report).outcome is Outcome.OK


@pytest.mark.parametrize("layout", [Layout(), Layout(header_length=24), Layout(header_length=99)])
def test_good_headers(layout: Layout) -> None:
    assert judge(plain().bytes(layout), "PTE007").findings == ()
