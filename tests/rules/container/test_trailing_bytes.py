from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.testing.containers import Layout
from pte_lint.testing.program_builder import build_program
from tests.support.examples import adder, plain
from tests.support.judging import judge, only, verdict


def test_bytes_after_the_end() -> None:
    size = len(plain().bytes())
    report = judge(plain().bytes(Layout(trailing=b"x" * 30)), "PTE017")
    assert only(report).message == f"30 bytes follow the end of the program at byte {size}."
    assert only(report).severity is Severity.WARNING
    assert verdict(report).outcome is Outcome.OK


def test_a_segment_size_that_is_too_small_leaves_nothing_over() -> None:
    assert judge(plain().bytes(Layout(segment_data_size=16)), "PTE017").findings == ()


def test_nothing_follows() -> None:
    assert judge(plain().bytes(), "PTE017").findings == ()
    assert judge(build_program(adder()).bytes(), "PTE017").findings == ()
