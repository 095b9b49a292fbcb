from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict


def test_a_misaligned_constant() -> None:
    report = judge(plain().replaced("constant_segment.offsets", (0, 0, 2)).bytes(), "PTE505")
    assert only(report).message == (
        "Constant 2 (value 2) starts at byte 2 of the constant segment; its elements have 4 bytes."
    )
    assert only(report).severity is Severity.WARNING
    assert verdict(report).outcome is Outcome.OK


def test_a_multiple_of_the_element_is_enough() -> None:
    built = plain().replaced("constant_segment.offsets", (0, 0, 4))
    assert judge(built.bytes(), "PTE505").findings == ()
