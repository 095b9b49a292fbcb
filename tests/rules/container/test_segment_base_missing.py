from __future__ import annotations

from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.testing.containers import Layout
from pte_lint.testing.program_builder import build_program
from tests.support.examples import adder, plain
from tests.support.judging import judge, only, verdict


def test_a_base_of_zero() -> None:
    report = judge(plain().bytes(Layout(segment_base_offset=0)), "PTE008")
    assert only(report).message == (
        "2 constants are in a segment, but the header's segment_base_offset is 0: the "
        "program's own tables are read instead, and every result that depends on them is wrong."
    )
    assert (verdict(report).stage, verdict(report).outcome) == (Stage.EXECUTE, Outcome.UNDEFINED)


def test_an_unknown_magic() -> None:
    report = judge(plain().bytes(Layout(magic=b"eh01")), "PTE008")
    assert "no extended header (bytes 65 68 30 31 where eh00 belongs)" in only(report).message


def test_without_constants_no_base_is_needed() -> None:
    assert judge(build_program(adder()).bytes(), "PTE008").findings == ()


def test_a_base() -> None:
    assert judge(plain().bytes(), "PTE008").findings == ()
