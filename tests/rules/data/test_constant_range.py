from __future__ import annotations

from pte_lint.claims.forecast import Outcome
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict


def test_a_constant_that_leaves_its_segment() -> None:
    report = judge(plain().replaced("constant_segment.offsets", (0, 0, 17)).bytes(), "PTE503")
    assert only(report).message == (
        "Value 2 (constant 2) takes bytes 17 to 33 of the constant segment, which has 32."
    )
    assert verdict(report).error == "InvalidArgument"


def test_an_offset_that_wraps_in_1_2() -> None:
    offsets = (0, 0, 2**64 - 8)
    report = judge(plain().replaced("constant_segment.offsets", offsets).bytes(), "PTE503")
    assert verdict(report).error == "InvalidArgument"
    assert report.runs_on["1.2"][0].outcome is Outcome.UNDEFINED


def test_a_constant_that_just_fits() -> None:
    assert judge(plain().bytes(), "PTE503").findings == ()
